def pieces_of(text):
    found = re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]', text)
    return [p.casefold().removesuffix('s') if len(p) > 3 else p.casefold() for p in found]


def columns_said(table, described):
    """The columns that the question speaks of, but for the first ones, the likeliest first."""
    said, fitting = set(pieces_of(question)), []
    for name in table.columns[described:COLUMNS_MAX]:
        pieces = pieces_of(name) or [name]
        if any(p.isdigit() and p not in said for p in pieces):
            continue
        share = sum(len(p) for p in pieces if p in said) / sum(map(len, pieces))
        if share > 0.6:
            fitting.append((share, name))
    return [name for share, name in sorted(fitting, key=lambda f: -f[0])[:24]]


found, size = [], 0
for path, sheet, described in places:
    table = load(path, sheet)
    for name in columns_said(table, described):
        about = describe(name[:80], table[name])
        if about[1] == 't':
            about[-1] = about[-1][:20]
        size += len(json.dumps(about, ensure_ascii=False).encode())
        if size < 4500:
            found.append([path, sheet or '', about])
print(json.dumps({'atoll_columns': 1, 'columns': found}, ensure_ascii=False, default=str))
