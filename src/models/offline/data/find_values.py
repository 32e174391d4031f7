found = []
for path, sheet, names in places:
    table = load(path, sheet)
    for name in names:
        values = table[name].dropna().astype(str).drop_duplicates()
        for word in wanted:
            hits = values[values.str.casefold() == word.casefold()]
            if hits.empty:
                hits = values[values.str.contains(word, case=False, regex=False)]
            if len(hits) == 1:
                found.append([path, sheet or '', name, word, hits.iloc[0][:200]])
print(json.dumps({'atoll_found': 1, 'wanted': wanted, 'values': found[:20]}, ensure_ascii=False))
