"""Many clients against one server that is killed again and again: is everything kept that was
acknowledged?"""
