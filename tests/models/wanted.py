"""What an answer must hold, beside plain numbers and words."""


class Lead:
    """Must stand in the first line."""

    def __init__(self, *wanted):
        self.wanted = wanted


class AnyOf:
    """One of these: a question that people mean in more than one way."""

    def __init__(self, *wanted):
        self.wanted = wanted


CHART = object()    # the code made a picture
REFUSAL = object()  # it says that it cannot or did not understand, and answers nothing else
