# Reads the data files, cleans what people type into tables, and describes the columns.
import csv, glob, io, json, os, re, warnings
import pandas as pd

MISSING = ['', '-', '--', '—', '–', '.', '?', 'n/a', 'N/A', 'n.a.', 'N.A.', 'na', 'NA', 'nan',
           'NaN', 'None', 'null', 'Null', 'NULL', 'nil', '#N/A', '#VALUE!', '#REF!', 'missing',
           'Missing', 'k. A.', 'k.A.', '空', '缺失', '暂无']
DATE_FORMATS = [
    '%Y-%m-%d %H:%M:%S', '%Y-%m-%d %H:%M', '%Y-%m-%d', '%Y/%m/%d %H:%M:%S', '%Y/%m/%d %H:%M',
    '%Y/%m/%d', '%Y.%m.%d', '%d.%m.%Y', '%d.%m.%Y %H:%M', '%d %b %Y', '%d %B %Y', '%b %d, %Y',
    '%B %d, %Y', '%b %d %Y', '%d-%b-%Y', '%d-%b-%y', '%Y-%m', '%Y/%m', '%b %Y', '%B %Y', '%b-%y',
    '%d/%b/%Y:%H:%M:%S %z', '%d-%B-%Y', '%d/%b/%Y', '%d.%m.%y', '%B %d %Y', '%d %b %y', '%b %d, %y',
    '%b. %d, %Y', '%d %b %Y %H:%M', '%d-%b-%Y %H:%M', '%b %d, %Y %H:%M', '%Y-%b-%d']
MULTIPLES = {'k': 1e3, 'm': 1e6, 'mn': 1e6, 'mio': 1e6, 'b': 1e9, 'bn': 1e9, '千': 1e3, '万': 1e4,
             '亿': 1e8}
DATE_LIKE = r'\d[-/.年 :]\s?\d|[A-Za-z]{3}\.?,?[-/ ]\d|\d(?:st|nd|rd|th)?[-/ ][A-Za-z]{3}'
TEXT_MAX_BYTES = 200_000_000  # of a file; beyond that it is read in pieces
SHEETS_MAX, TABLES_MAX = 12, 24  # of a workbook, of all files
COLUMNS_MAX = 2000  # of a table; the first 80 are described, others are found by their names
TABLE_MAX_BYTES = 700_000_000  # in memory; the rest is left out, and told so
TOTALS = ['total', 'totals', 'grand total', 'sum', 'subtotal', 'sub-total', 'sub total', 'gesamt',
          'gesamtsumme', 'summe', 'zwischensumme', '合计', '总计', '小计', '总和', '共计']
CURRENCIES = {'$': 'usd', '€': 'eur', '£': 'gbp', '¥': 'cny', '￥': 'cny', '₹': 'inr', 'rmb': 'cny',
              '元': 'cny'}
DURATION_NAME = (r'(?i)\bdur|elapsed|length|runtime|took|taken|uptime|downtime|dauer|时长|耗时|用时|'
                 r'(?:talk|wait|handl|play|run|call|lap|finish|race|response)\w*[ _-]?time')
YEAR = r'(?:19|20)\d\d'
books = {}  # path: the workbook that is being described
notes = {}  # (path, sheet): what there is to say about how it was read
said = []  # the same of the table that is being read


def note(sentence):
    if sentence not in said:
        said.append(sentence)


def to_numbers(text, dotted=False):
    """'$1,234.50', '1.234,50 €', '12 %', '(5.00)', '30 kg' as numbers; other text: missing."""
    t = text.str.replace(r'(?i)[$€£¥￥₹%％\s\u00a0\']|usd|eur|gbp|cny|rmb|元', '', regex=True)
    t = t.str.replace('\u2212', '-', regex=False)
    t = t.str.replace(r'^\((.*)\)$|^([\d.,]*\d)-$', r'-\1\2', regex=True)  # (5.00) and 5.00-
    t = t.where(~t.str.contains(r'^[-+]?\d{1,3}(?:_\d{3})+$').fillna(False), t.str.replace('_', ''))
    t = t.str.replace(r'(?i)^([\d.,]+)(?:/|outof)(?:5|10|20|100)$', r'\1', regex=True)  # 4.5/5
    unit = t.str.extract(r'^[-+]?[\d.,]+([^\d.,]{1,6})$')[0].dropna()
    times = 1.0
    kinds = set(unit.str.lower())
    if kinds and kinds <= set(MULTIPLES) and kinds != {'m'} and kinds != {'b'}:  # 1.2k, 3.4M, 5万
        given = t.str.extract(r'([^\d.,+-]+)$')[0].str.lower()
        times = given.map(MULTIPLES).fillna(1.0)
        t = t.str.replace(r'[^\d.,+-]+$', '', regex=True)
    elif len(unit) and unit.nunique() == 1:
        t = t.str.removesuffix(unit.iloc[0])
    commas = t.str.contains(r'^[-+]?(?:[\d.]*,(?:\d{1,2}|\d{4,})|0,\d+)$').sum()
    dots = t[t.str.contains('.', regex=False).fillna(False)]
    in_groups = dots.str.fullmatch(r'[-+]?[1-9]\d{0,2}(?:\.\d{3})+').all()
    groups = dots.str.count(r'\.')
    # 1.234.567 is a number, 192.168.100.101 is none
    if in_groups and (dotted or (groups > 1).any()) and not (groups == 3).all():
        commas = len(t) + 1
    if commas > t.str.contains(r'^[-+]?[\d,]*\.\d+$').sum():
        t = t.str.replace('.', '', regex=False).str.replace(',', '.', regex=False)
    odd = t.str.contains(r'^[-+]?\d{1,3}(?:\.\d{3})+,\d+$').fillna(False)  # 1.234,50 among others
    t = t.where(~odd, t.str.replace('.', '', regex=False).str.replace(',', '.', regex=False))
    t = t.str.replace(',', '', regex=False)
    return pd.to_numeric(t, errors='coerce').replace([float('inf'), -float('inf')], None) * times


def to_dates(text):
    """Dates in the usual forms, also several forms in one column; other text as missing."""
    t = text.str.replace(r'(\d{4})\s*年\s*(\d{1,2})\s*月', r'\1-\2-', regex=True)
    t = t.str.replace(r'-(\d{1,2})\s*[日号]', r'-\1', regex=True).str.rstrip('- ')
    t = t.str.replace('T', ' ', regex=False).where(t.str.contains(r'\d{4}-\d\d-\d\dT') == True, t)
    t = t.str.replace(r'(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+', '', regex=True)
    t = t.str.replace(r'(?i)(\d)(?:st|nd|rd|th)\b', r'\1', regex=True)
    done = pd.to_datetime(t, format='ISO8601', errors='coerce', utc=True).dt.tz_localize(None)
    slashed = t.str.extract(r'^(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}').astype('float')
    day_first = (slashed[0] > 12).sum() > (slashed[1] > 12).sum()
    order = '%d/%m/' if day_first else '%m/%d/'
    times = ('', ' %H:%M', ' %H:%M:%S', ' %I:%M %p', ' %I:%M:%S %p')
    slashes = [order + year + time for year in ('%Y', '%y') for time in times]
    for form in DATE_FORMATS + slashes + [s.replace('/', '-') for s in slashes]:
        rest = done.isna() & t.notna()
        if not rest.any():
            break
        more = pd.to_datetime(t[rest], format=form, errors='coerce', utc=True)
        done = done.fillna(more.dt.tz_localize(None))
    return done


def to_minutes(text):
    """'1:45:30' as 105.5; other text as missing."""
    parts = text.str.extract(r'^(?:(\d+) days?,? )?(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$')
    parts = parts.astype('float')
    return (parts[0].fillna(0) * 1440 + parts[1] * 60 + parts[2] + parts[3] / 60).round(6)


def is_code(text):
    """Whether digits are a name, no amount: 01234, 4929123412341234."""
    if not text.str.fullmatch(r'\d+').all():
        return False
    widths, zeros = text.str.len(), text.str.startswith('0').mean()
    same = widths.nunique() == 1
    return bool((same and widths.iloc[0] >= 16) or (widths.min() >= 3 and (
        zeros > 0.5 or (zeros > 0 and same))))


def say_doubts(name, text, values):
    """Notes on what a column of text lost, or may mean otherwise, as it became numbers or dates."""
    lost = text[values.isna() & text.notna()]
    is_date = pd.api.types.is_datetime64_any_dtype(values)
    if len(lost):
        kind = 'dates' if is_date else 'numbers'
        note(f'Some values of "{name}" are no {kind} (such as "{lost.iloc[0][:30]}") and count as '
             'missing.')
    if is_date:
        slashed = text.str.extract(r'^((\d{1,2})[/-](\d{1,2})[/-]\d{2,4})').dropna()
        first, second = slashed[1].astype('float').max(), slashed[2].astype('float').max()
        if max(first, second) <= 12:
            note(f'In "{name}", dates such as {slashed[0].iloc[0]} were read as month/day; nothing '
                 'in it tells whether the day comes first.')
        elif min(first, second) > 12:
            note(f'In "{name}", some dates begin with the day and others with the month; what '
                 'could be either was read like most of them.')
        if text.str.contains(r':\d\d(?:\.\d+)?\s?[-+](?!00:?00)\d\d:?\d\d$').any():
            note(f'The times in "{name}" were turned into UTC.')
        return
    signs = text.str.extract(r'(?i)([$€£¥￥₹元]|usd|eur|gbp|cny|rmb)')[0].dropna().str.lower()
    if (kinds := sorted(signs.replace(CURRENCIES).unique())) and len(kinds) > 1:
        note(f'"{name}" holds several currencies ({", ".join(kinds).upper()}); they were taken as '
             'plain numbers, nothing was converted.')
    percent = text.str.contains('[%％]').fillna(False)
    if percent.any() and (values.notna() & ~percent).any():
        note(f'Some values of "{name}" have a % sign and others do not; the signs were left out.')


def tidy(text):
    """Without spaces too many; what stands for nothing as missing."""
    text = text.str.strip().str.replace(r'\s+', ' ', regex=True)
    return text.mask(text.isin(MISSING))


def clean_column(name, column, dotted=False):
    """The column as numbers, dates or tidy text, whichever most of its values are."""
    if pd.api.types.is_bool_dtype(column):
        return column.astype(object).map({True: 'True', False: 'False'})
    if pd.api.types.is_timedelta64_dtype(column):
        note(f'"{name}" is in minutes.')
        return column.dt.total_seconds() / 60
    if pd.api.types.is_numeric_dtype(column):
        infinite = column.isin([float('inf'), -float('inf')])
        if infinite.any():
            note(f'Infinite values of "{name}" count as missing.')
            column = column.mask(infinite)
        if re.search(r'(?i)date|time|日期|时间|\bts\b|_at$', str(name)) and len(column.dropna()):
            low, high = column.min(), column.max()
            if 19000101 <= low and high <= 21001231:
                return pd.to_datetime(column, format='%Y%m%d', errors='coerce')
            for unit, size in (('s', 1e9), ('ms', 1e12), ('us', 1e15), ('ns', 1e18)):
                if size * 0.5 <= low and high < size * 5:
                    return pd.to_datetime(column, unit=unit)
        if column.dtype.kind in 'iu' and max(column.max(), -column.min()) > 2**53:
            if is_code(column.astype('str')):
                return column.astype('str')
            note(f'Whole numbers of more than 15 digits, as in "{name}", are shown rounded.')
        return column
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.dt.tz_convert(None) if column.dt.tz is not None else column
    text = column
    if column.dtype == object:  # numbers, dates and lists among the text
        def as_text(v):
            return v if isinstance(v, str) else json.dumps(v, default=str).strip('"')
        text = column.map(as_text, na_action='ignore')
    grouped = isinstance(column.dtype, pd.CategoricalDtype)  # each distinct value is cleaned once
    codes, known = (column.cat.codes, column.cat.categories) if grouped else pd.factorize(text)
    known = tidy(pd.Series(known, dtype='str'))

    def for_all_rows(values):
        if grouped and values.dtype == 'str':
            again, distinct = pd.factorize(values)
            again = pd.Series(again).reindex(codes, fill_value=-1)
            return pd.Series(pd.Categorical.from_codes(again, distinct), column.index)
        return values.reindex(codes).set_axis(column.index)

    sample = tidy(text.dropna().head(3000).astype('str')).dropna()
    if sample.empty:
        return for_all_rows(known)
    if sample.str.contains(r'\d').mean() > 0.8 and not is_code(sample):
        if sample.str.contains(DATE_LIKE).mean() > 0.8:
            if to_dates(sample).notna().mean() > 0.8:
                values = to_dates(known)
                say_doubts(name, known, values)
                return for_all_rows(values)
            minutes = to_minutes(sample)
            if minutes.notna().mean() > 0.8 and (
                    re.search(DURATION_NAME, str(name)) or minutes.max() >= 1440):
                note(f'"{name}" was read as minutes: {sample.iloc[0]} is {minutes.iloc[0]:g}.')
                return for_all_rows(to_minutes(known))
            if re.search(DURATION_NAME, str(name)) and sample.str.fullmatch(r'\d+:\d\d').all():
                note(f'"{name}" was left as text: {sample.iloc[0]} may be hours and minutes, or '
                     'minutes and seconds.')
        if to_numbers(sample, dotted).notna().mean() > 0.8:
            values = to_numbers(known, dotted)
            say_doubts(name, known, values)
            if dotted:
                note(f'In "{name}", dots stand between thousands: {sample.iloc[0]} was read as '
                     f'{to_numbers(sample, dotted).iloc[0]:,.10g}.')
            return for_all_rows(values)
    counts = pd.Series(codes)[codes >= 0].value_counts().reindex(range(len(known)), fill_value=0)
    spellings = counts.groupby(known).sum().sort_values(ascending=False)
    keys = spellings.index.str.casefold()
    if keys.duplicated().any():  # 'north' and 'North' are one: the usual spelling wins
        usual = spellings.index[~keys.duplicated()]
        known = known.str.casefold().map(dict(zip(usual.str.casefold(), usual)))
    return for_all_rows(known)


def unique(names):
    """The names, no two of them the same: amount, amount 2."""
    seen = {}
    for name in names:
        name = first = re.sub(r'\s+', ' ', str(name)).strip()
        while name in seen:
            seen[first] += 1
            name = f'{first} {seen[first]}'
        seen[name] = 1
    return list(seen)


def total_rows(table, cleaned):
    """Which rows add up others, and are to be left out."""
    texts = [c for c in table if table[c].dtype in (object, 'str', 'category')]
    words = {spelled + end for w in TOTALS for end in ('', ':', '：')
             for spelled in (w, w.title(), w.upper(), w.capitalize())}
    named = pd.Series(False, table.index)
    for c in texts[:4]:
        named |= table[c].astype('str' if table[c].dtype == object else table[c].dtype).isin(words)
    numbers = cleaned.select_dtypes('number')
    rest, drop, start = numbers[~named], [], 0
    for row in table.index[named][:1000]:
        adds_up = False
        for block in (rest.loc[start:row], rest.loc[:row], rest):
            sums, found = block.sum(), numbers.loc[row]
            near = (found - sums).abs() <= 1e-9 + sums.abs().clip(upper=10) / 900 + sums.abs() / 1e6
            adds_up |= len(block) > 1 and bool((near & (found != 0)).any())
        others = [c for c in table if c not in numbers and str(table.at[row, c]) not in words]
        last = row == table.index[-1]
        if adds_up or (others and table.loc[row, others].isna().all() and last and len(rest)):
            drop.append(row)
        elif last:
            note('The last row is called a total, but is no sum of the others; it was counted.')
        start = row
    return drop


def clean(table, dotted=()):
    table = table.dropna(how='all')
    table.columns = unique(table.columns)
    for place, c in enumerate(table.columns):
        if re.fullmatch(r'Unnamed: \d+', c):  # a saved index, or a column to be named
            column = table[c]
            counts = column.dtype.kind in 'iu' and (column.diff().dropna() == 1).all()
            named = {} if counts or column.isna().all() else {c: f'column {place + 1}'}
            table = table.rename(columns=named) if named else table.drop(columns=c)
    table = table.reset_index(drop=True)

    def cleaned():
        return table.apply(lambda column: clean_column(column.name, column, column.name in dotted))
    before = list(said)
    done = cleaned()
    if drop := total_rows(table, done):
        said[:] = before
        label = table.loc[drop[-1]].dropna().iloc[0]
        table = table.drop(index=drop).reset_index(drop=True)
        done = cleaned()
        rows, were = ('A row that adds', 'was') if len(drop) == 1 else (
            f'{len(drop):,} rows that add', 'were')
        note(f'{rows} up the others ("{label}") {were} left out.')
    return done


def separator_of(text):
    lines = [line for line in text.splitlines() if line.strip()][:50]
    if re.fullmatch(r'sep=.', lines[0].strip('\ufeff" ')):
        return lines[0].strip('\ufeff" ')[-1]
    if len(lines) > 1 and all(re.fullmatch(r'-?\d+,\d+', line) for line in lines[1:]) and (
            ',' not in lines[0]):
        return ';'  # one column of numbers with commas
    def columns(separator):
        widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
        usual = max(set(widths), key=widths.count)
        return (usual > 1) * widths.count(usual) / len(widths), usual
    return max([',', '\t', ';', '|'], key=columns)


def is_number(cell):
    return bool(re.fullmatch(r'[-+]?\d[\d.,]*(?:e[-+]?\d+)?', cell))


def header_of(rows):
    """The names of the columns, and how many rows to skip for them: titles, comments, gaps."""
    rows = [[str(cell).strip() for cell in row] for row in rows]
    widths = [len(row) for row in rows if any(row)]
    usual = max(set(widths), key=widths.count)
    at = 0

    def names_follow(at, least):
        below = [row for row in rows[at + 1:] if sum(map(bool, row)) >= least][:1]
        return any(not any(is_number(c) and not re.fullmatch(YEAR, c) for c in r) for r in below)
    for at, row in enumerate(rows):
        filled = [cell for cell in row if cell]
        if not filled or re.fullmatch(r'sep=.?', row[0]):
            continue
        comment = row[0].startswith('#') and len(row[0]) > 1 and len(filled) != usual
        title = (len(filled) == 1 and usual > 1 and (row[0] or usual > 2) and names_follow(at, 2)
                 or len(filled) == 2 and usual > 4 and row[0] and names_follow(at, 4))
        if not title and not comment or not any(sum(map(bool, r)) > 1 for r in rows[at + 1:]):
            break
    names, below = rows[at], [row for row in rows[at + 1:] if any(row)]
    filled = [cell for cell in names if cell]
    if all(map(is_number, filled)) and below and all(
            is_number(cell) or cell in MISSING for row in below for cell in row):
        years = [all(re.fullmatch(YEAR, c) for c in row) for row in (filled, *below)]
        if not years[0] or all(years):
            note('The table has no names of columns; they are called column 1, column 2 and so on.')
            return [f'column {i + 1}' for i in range(max(usual, len(names)))], at
    if any(is_number(c) and not re.fullmatch(YEAR, c) for c in filled):
        note(f'The row "{", ".join(filled)[:60]}" was taken for the names of the columns.')
    if len(below) > 1 and all(len(row) == len(names) + 1 and row[-1] for row in below):
        names = ['', *names]  # the names of rows have no name themselves
    return unique(name or f'Unnamed: {i}' for i, name in enumerate(names)), at + 1


def column_kinds(rows, names, separator):
    """Which columns hold codes, and which hold numbers with dots between thousands."""
    cells = [pd.Series([r[i] for r in rows if i < len(r) and r[i] not in MISSING], dtype='str')
             for i in range(len(names))]
    kinds = {name: 'str' for name, column in zip(names, cells) if len(column) and is_code(column)}
    groups = [c.str.fullmatch(r'[-+]?[1-9]\d{0,2}(?:\.\d{3})+') for c in cells]
    decimals = r'[-+]?(?:\d+\.(?:\d{1,2}|\d{4,})|0\.\d+)'
    plain_dots = any(c.str.fullmatch(decimals).any() for c in cells)
    dotted = {name for name, c, g in zip(names, cells, groups) if g.any() and separator == ';'
              and not plain_dots and (g | c.str.fullmatch(r'[-+]?\d{1,3}')).all()}
    return kinds | dict.fromkeys(dotted, 'str'), dotted


def without_rest(table, names):
    """Without what stands right of the last named column."""
    rest = table[table.columns[len(names):]]
    longer = rest.notna().any(axis=1)
    if len(table) and longer.mean() > 0.5:
        return table, 0
    return table.drop(columns=rest.columns), int(longer.sum())


def say_longer(count, what):
    if count:
        rows = 'row has' if count == 1 else 'rows have'
        note(f'{count:,} {rows} more columns than the header; {what}.')


def read_text_table(path, head):
    encoding = encoding_of(path, head)
    text = head.decode(encoding, errors='replace')
    if not text.strip('\ufeff \r\n\t'):
        raise ValueError('the file is empty')
    separator = separator_of(text)
    csv.field_size_limit(10**7)
    lines = io.StringIO(text, newline=None)
    rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    if len(head) >= 200_000 and len(rows) > 2:
        rows.pop()  # not whole
    names, skip = header_of(rows[:200])
    width = max([len(row) for row in rows[skip:]], default=0)
    kinds, dotted = column_kinds(rows[skip:], names, separator)
    options = dict(sep=separator, encoding=encoding, encoding_errors='replace', na_values=MISSING,
                   skipinitialspace=True, on_bad_lines='warn', header=None, skiprows=skip,
                   index_col=False, dtype=kinds, low_memory=False)

    def all_names(width):
        more = range(len(names), min(width, len(names) + 100))
        return unique([*names, *(f'column {i + 1}' for i in more)])
    if os.path.getsize(path) > TEXT_MAX_BYTES:
        return read_in_pieces(path, options | dict(names=all_names(width)), names, dotted)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        table = pd.read_csv(path, names=all_names(width), **options)
        saw = [int(n) for w in told for n in re.findall(r'fields, saw (\d+)', str(w.message))]
        if saw:  # rows wider than any at the beginning of the file
            told.clear()
            table = pd.read_csv(path, names=all_names(max(saw)), **options)
    table, longer = without_rest(table, names)
    say_longer(longer, 'what stands beyond was left out')
    say_longer(sum(str(w.message).count('Skipping line') for w in told), 'they were left out')
    return clean(table, dotted)


def lean(column):
    """The same values in less memory."""
    if column.dtype in (object, 'str'):
        return column.astype('category')
    return pd.to_numeric(column, downcast='integer') if column.dtype == 'int64' else column


def joined(pieces):
    """One column of its pieces, which may disagree about what it is."""
    kinds = {str(piece.dtype) for piece in pieces}
    if kinds == {'category'}:
        return pd.Series(pd.api.types.union_categoricals(pieces))
    if 'category' in kinds:
        pieces = [piece.astype('str') for piece in pieces]
    whole = pd.concat(pieces, ignore_index=True)
    return lean(clean_column(pieces[0].name, whole)) if 'category' in kinds else whole


def read_in_pieces(path, options, names, dotted):
    parts, size, longer = [], 0, 0
    with warnings.catch_warnings(record=True):
        first = pd.read_csv(path, nrows=20_000, **options)
    texts = dict.fromkeys(first.select_dtypes(['object', 'str']), 'category')
    options['dtype'] = texts | options['dtype']  # 01234 would be 1234 among categories
    with open(path, 'rb') as file, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        for part in pd.read_csv(file, chunksize=500_000, **options):
            part, more = without_rest(part, names)
            longer += more
            parts.append(clean(part, dotted).apply(lean))
            size += parts[-1].memory_usage().sum()
            if size > TABLE_MAX_BYTES and file.tell() < os.path.getsize(path):
                rows = sum(map(len, parts))
                about = round(rows * os.path.getsize(path) / file.tell(), -5)
                note(f'Only the first {rows:,} rows of about {about:,.0f} were read, the file is '
                     'too large.')
                break
    say_longer(longer, 'what stands beyond was left out')
    say_longer(sum(str(w.message).count('Skipping line') for w in told), 'they were left out')
    names = list(dict.fromkeys(name for part in parts for name in part))
    lengths = [len(part) for part in parts]
    table = {}
    for name in names:  # one after the other: two copies of one column, not of all
        table[name] = joined([part.pop(name) if name in part else pd.Series([None] * length)
                              for part, length in zip(parts, lengths)])
    return pd.DataFrame(table)


def read_json_table(path, head):
    with open(path, encoding=encoding_of(path, head)) as file:
        try:
            data = json.load(file)
        except ValueError:
            file.seek(0)
            data = [json.loads(line) for line in file if line.strip()]
    if isinstance(data, dict):
        lists = [v for v in data.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
        columns = all(isinstance(v, (list, dict)) for v in data.values()) and not lists
        data = lists[0] if lists else data if columns else [data]
    return clean(pd.DataFrame(data) if isinstance(data, dict) else pd.json_normalize(data))


def sheets_of(book):
    """The names of a workbook's sheets, but for those that are charts."""
    charts = {sheet.title for sheet in getattr(book.book, 'chartsheets', ())}
    return [name for name in book.sheet_names if name not in charts]


def holds_table(table):
    """Whether a sheet is more than a title page or a text."""
    return len(table) > 0 and (len(table.columns) > 1 or len(table.select_dtypes('number').columns))


def sheet_table(book, sheet):
    options = dict(sheet_name=sheet, header=None, dtype=object)
    top = book.parse(nrows=40, **options).astype(object)
    if top.isna().all(axis=None):
        return pd.DataFrame()
    names, skip = header_of(top.where(top.notna(), '').to_numpy().tolist())
    table = book.parse(skiprows=skip, na_values=MISSING, **options).infer_objects()
    extra = [f'column {i + 1}' for i in range(len(names), table.shape[1])]
    return clean(table.set_axis(unique(names + extra)[:table.shape[1]], axis=1))


def read_sheet(path, sheet):
    """The sheet of that name; without one, the first with a table."""
    book, first = books.get(path) or pd.ExcelFile(path), None
    for name in [sheet] if sheet else sheets_of(book):
        said.clear()
        table = sheet_table(book, name)
        if sheet or holds_table(table):
            return table
        first = table if first is None or first.empty else first
    return pd.DataFrame() if first is None else first


def read_table(path, sheet=None):
    with open(path, 'rb') as file:
        head = file.read(200_000)
    if not head:
        raise ValueError('the file is empty')
    if head.startswith(b'PAR1'):
        return clean(pd.read_parquet(path))
    if head.startswith((b'PK\x03\x04', b'\xd0\xcf\x11\xe0')):
        try:
            return read_sheet(path, sheet)
        except Exception as e:
            old = 'old .xls files cannot be read here; save it as .xlsx or CSV'
            raise ValueError(old if head[0] == 0xd0 else f'it is no Excel file: {e}') from None
    if re.match(rb'\s*<(?:!doctype|html|table|\?xml)', head, re.I):
        raise ValueError('it is a web page or XML; save it as .xlsx or CSV')
    if b'\0' in head and not encoding_of(path, head):
        raise ValueError('it is no table: it holds binary data that its name does not promise')
    if head.lstrip(b'\xef\xbb\xbf \r\n\t')[:1] in (b'{', b'[') and re.search(r'json|ndjson', path):
        return read_json_table(path, head)
    try:
        return read_text_table(path, head)
    except pd.errors.ParserError as e:
        if 'EOF inside string' in str(e):
            e = ValueError('a quotation mark is opened in it and never closed')
        raise e from None


def load(path, sheet=None):
    """The cleaned table of a file; read again only when the file changed."""
    key = (path, sheet, os.path.getmtime(path))
    if key not in load.tables:
        said.clear()
        load.tables[key] = read_table(path, sheet)
        notes[path, sheet] = list(said)
    return load.tables[key].copy(deep=False)


load.tables = {}


def plain(value):
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, (int, float)) or hasattr(value, 'item'):
        value = value.item() if hasattr(value, 'item') else value
        if value in (float('inf'), -float('inf')):
            return None
        return float(f'{value:.12g}') if isinstance(value, float) else value
    if isinstance(value, pd.Timestamp):
        return str(value)[:10] if value == value.normalize() else str(value)[:19]
    return str(value)[:80]


def report(table=None, **figures):
    """One line of JSON: what the answer is written from."""
    rows, size = [], 0
    for row in (() if table is None else table.head(60).itertuples(index=False)):
        rows.append([plain(v) for v in row])
        size += len(json.dumps(rows[-1], ensure_ascii=False).encode())
        if size > 4500:
            break
    columns = [] if table is None else [str(c)[:80] for c in table.columns]
    found = {'atoll_result': 1, 'columns': columns, 'rows': rows,
             'length': 0 if table is None else len(table),
             'figures': {name: plain(value) for name, value in figures.items()}}
    print(json.dumps(found, ensure_ascii=False, default=str))


def start_chart(title, size=(9, 5)):
    """An empty chart with fonts that can write Chinese, where there are any."""
    import matplotlib.pyplot as plt
    from matplotlib import font_manager
    have = {font.name for font in font_manager.fontManager.ttflist}
    wanted = ['Noto Sans CJK SC', 'Source Han Sans SC', 'Microsoft YaHei', 'PingFang SC', 'SimHei',
              'WenQuanYi Zen Hei', 'DejaVu Sans']
    plt.rcParams['font.family'] = [font for font in wanted if font in have] or ['sans-serif']
    plt.rcParams['axes.unicode_minus'] = False
    plt.rcParams['text.parse_math'] = False  # a $ in a label is a dollar
    figure, axes = plt.subplots(figsize=size)
    axes.set_title(title)
    return figure, axes


def save_chart(figure, name):
    import matplotlib.pyplot as plt
    os.makedirs('/data/outputs', exist_ok=True)
    figure.tight_layout()
    figure.savefig('/data/outputs/' + name, dpi=120)
    plt.close(figure)


def describe(name, column):
    """[name, kind, distinct values, missing, lowest, highest] or, for text, [..., values]."""
    facts = [name, 't', int(column.nunique()), int(column.isna().sum())]
    if pd.api.types.is_datetime64_any_dtype(column):
        has_time = bool((column.dropna() != column.dropna().dt.normalize()).any())
        return [name, 's' if has_time else 'd', *facts[2:], str(column.min())[:19],
                str(column.max())[:19]]
    if pd.api.types.is_numeric_dtype(column):
        whole = bool((column.dropna() % 1 == 0).all())
        return [name, 'i' if whole else 'f', *facts[2:], plain(column.min()), plain(column.max())]
    return facts + [[v for v in column.value_counts().index.astype(str) if len(v) <= 60]]


def describe_table(path, sheet=None):
    about = {'path': path, **({'sheet': sheet} if sheet else {})}
    try:
        table = load(path, sheet)
        if sheet and not holds_table(table):
            return None
        about['note'] = list(notes[path, sheet])
        about |= {'encoding': guesses[path]} if path in guesses else {}
        about |= {'rows': len(table), 'width': len(table.columns), 'columns': [
            describe(c[:80], table[c]) for c in table.columns[:80]]}
        return about if len(table.columns) else {'path': path, 'error': 'the file is empty'}
    except Exception as e:
        return about | {'error': f'{e}'.split('\n')[0][:160] or type(e).__name__}


def describe_file(path):
    """One table; of a workbook each sheet that has one."""
    try:
        if path.lower().endswith(('.xlsx', '.xls')):
            books[path] = pd.ExcelFile(path)  # once for all of its sheets
        sheets = sheets_of(books[path]) if path in books else []
    except Exception:
        sheets = []
    tables = []
    if len(sheets) > 1:
        tables = [about for s in sheets[:SHEETS_MAX] if (about := describe_table(path, s))]
    if not any('columns' in t for t in tables):
        tables = [describe_table(path)]
    books.pop(path, None)
    if len(sheets) > SHEETS_MAX:
        tables[0].setdefault('note', []).append(
            f'Sheets too many to be read, and left out: {", ".join(sheets[SHEETS_MAX:])[:200]}.')
    return tables


def title_of(about):
    name = os.path.basename(about['path'])
    return f'{name} / {about["sheet"]}' if 'sheet' in about else name


def describe_files(paths, budget=7300):
    """Prints one line of JSON about all files, as many text values in it as fit."""
    tables = [t for path in paths[:12] for t in describe_file(path)]
    left = [*map(title_of, tables[TABLES_MAX:]), *map(os.path.basename, paths[12:])]
    tables = tables[:TABLES_MAX]
    for t in tables if left else ():
        t.setdefault('note', []).append(f'Too many to be read, and left out: {", ".join(left)}.')
    titles = [title_of(t) for t in tables]
    forms = [[c[0] for c in t.get('columns', [])] for t in tables]
    for t, form in zip(tables, forms):
        twins = [title for title, other, o in zip(titles, forms, tables)
                 if o is not t and other == form]
        if twins and form:
            t['note'].append(f'Not in these figures, though of the same form: {", ".join(twins)}.')
        kept = []  # a sentence a line, each whole
        for sentence in t.get('note', []):
            if sum(map(len, kept)) + len(sentence) <= 500:
                kept.append(' '.join(sentence.split()))
        t['note'] = '\n'.join(kept)
    texts = [c for t in tables for c in t.get('columns', []) if c[1] == 't']
    values = {id(c): c.pop() for c in texts}
    def size():
        return len(json.dumps(tables, ensure_ascii=False).encode())
    while size() > budget - 500 and any(t.get('columns') for t in tables):
        max(tables, key=lambda t: len(t.get('columns', [])))['columns'].pop()
    left = budget - size()
    for column in sorted(texts, key=lambda c: c[2]):
        fits = []
        if column[2] > 300:  # names and ids: too many to know them all
            values[id(column)] = values[id(column)][:20]
        for value in values[id(column)]:
            left -= len(json.dumps(value, ensure_ascii=False).encode()) + 2
            if left < 0 or len(fits) >= 80:
                break
            fits.append(value)
        column.append(fits)
    print(json.dumps({'atoll_schema': 1, 'tables': tables}, ensure_ascii=False, default=str))

GUESSED = {'gb18030': 'Chinese (GB18030)', 'cp950': 'Chinese (Big5)',
           'cp932': 'Japanese (Shift-JIS)', 'euc_jp': 'Japanese (EUC-JP)',
           'cp949': 'Korean (EUC-KR)', 'cp1251': 'Cyrillic (cp1251)',
           'koi8_r': 'Cyrillic (KOI8-R)', 'cp866': 'Cyrillic (cp866)', 'cp1252': 'Latin (cp1252)',
           'cp1250': 'Latin (cp1250)'}
COMMON = {  # the first bytes of common characters, the last of those of marks; the commonest
    'cp949': (0xb0, 0xc8, 0xa3,
              '이다는의에가을를은지기고사시자도인수일대서정부제전리나주성동구장원상한명월년산울해'
              '로보중조면국유과화비신소공개용경모어연오여분무남북강천포역라호관물입출매금액품량총'
              '합계율번날짜름객판단격등급스트노우하그들것만아할했있없되된위레마바파타카차크프드김'
              '박최임황안송홍영철희미치키티피디간감건결교군급학생생활거래처'),
    'gb18030': (0xb0, 0xd7, 0xa3,
                '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得'
                '年月日号名称编数量金额价格单总合计城市区省县部门员工姓性别男女客户产品类型状态'
                '订销售间期址电话备注公司店商北京海广州深圳东西南学院班成绩分平均入支收款费税率'
                '级度目项次事务所开始结束否付方式渠道仓库运用途第比例张李王刘陈资研发课程英语药'),
    'cp950': (0xa4, 0xc6, 0xa3,
              '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得'
              '年月日號名稱編數量金額價格單總合計城市區省縣部門員工姓性別男女客戶產品類型狀態'
              '訂銷售間期址電話備註公司店商北京海臺台灣高雄新竹東西南學院班成績分平均入支收款費'
              '稅率級度目項次事務所開始結束否付方式通路倉庫運用途第比例張李王劉陳林黃資課程'),
    'cp932': (0x88, 0x97, 0x81, '東京都市県区名古屋大阪日月年売上数量金額価格商品店顧客田山'),
    'euc_jp': (0xb0, 0xcf, 0xa3, '東京都市県区名古屋大阪日月年売上数量金額価格商品店顧客田山')}


def worth_of_pairs(text, encoding):
    low, high, marks, common = COMMON[encoding]
    worth = 0.0
    for c in text:
        pair = c.encode(encoding, 'replace')
        kana = '\u3041' <= c <= '\u30fe'
        if c == '\ufffd' or '\x80' <= c < '\xa0' or kana and encoding not in ('cp932', 'euc_jp'):
            worth -= 4
        elif c in common or kana:
            worth += 3
        elif low <= pair[0] <= high and len(pair) == 2:
            usual = 2 if encoding == 'cp949' else 1.5  # for Chinese is not all in that block
            rare = 0.5 if encoding in ('cp932', 'cp950') else -2
            worth += usual if pair[1] > 0xa0 else rare  # "\xb0C" is a temperature, too
        elif '\uff61' <= c <= '\uff9f':
            worth += 0.3
        elif pair[0] > 0x80:
            worth += 0.5 if pair[0] <= marks else -2
    return worth


def worth_of_cyrillic(text, usual_one):
    worth = 0.0
    for run in re.finditer(r'[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?', text):
        for word in re.findall(r'[^\W\d_]+|.', run[0]):
            letters = len(re.findall('[А-яЁёІіЇїЄєҐґ]', word))
            if letters < len(word):  # other letters among them, or a mark
                worth -= 2 * len(word) if word.isalpha() else -0.2 if usual_one else 1
            elif letters > 1 and (word[1:].islower() or word.isupper()):
                worth += letters + len(re.findall('(?i)[оеаинтср]', word)) / 2
                worth -= len(re.findall('(?i)[щъэюфцжшч]', word)) / 2
            else:
                worth -= letters if letters > 1 else 0
        worth -= 4 * len(re.findall('[\x80-\x9f\ufffd]', run[0]))
    return worth


def worth_of_latin(text, usual_one):
    worth = 0.0
    for run in re.finditer(r'[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?', text):
        inside = re.sub(r'[\x00-\x7f]', '', run[0])
        beside = len(run[0]) - len(inside)  # ASCII letters before and behind
        letters = sum(map(str.isalpha, inside))
        marks = len(re.findall('[’‘“”–—…\xa0«»]', inside))
        odd = len(inside) - letters - marks
        each = 1 if letters < 3 and beside else 0.4 if letters == 1 else -1
        worth += letters * each + marks / 2
        worth += odd * (-2 if beside == 2 or odd > 1 else 0.5)
        worth -= 4 * len(re.findall('[\x80-\x9f\ufffd]', inside))
        worth -= 0 if usual_one else 0.25 * letters  # where both would do
    return worth


def worth_of(lines, encoding):
    """How much what an encoding makes of the bytes looks like a language; about 1 if it is one."""
    text = lines.decode(encoding, 'replace')
    if encoding in COMMON:
        return worth_of_pairs(text, encoding) / 2 / max(1, sum(c > '\x7f' for c in text))
    count = worth_of_latin if encoding in ('cp1252', 'cp1250') else worth_of_cyrillic
    return count(text, encoding in ('cp1252', 'cp1251')) / sum(b > 0x7f for b in lines)


def sample_of(path, head):
    """Lines with other letters than ASCII, from several places: the beginning may have none."""
    size, found = os.path.getsize(path), [head[:head.rfind(b'\n') + 1] or head]
    with open(path, 'rb') as file:
        for place in range(1, 8) if size > 2 * len(head) else ():
            file.seek(size * place // 8)
            found.append(file.read(32_000).partition(b'\n')[2].rpartition(b'\n')[0])
        file.seek(0)
        while all(map(bytes.isascii, found)) and file.tell() < min(size, TEXT_MAX_BYTES):
            found = [file.read(1_000_000) + file.readline(100_000)]
    return b'\n'.join(found)


def wide_encoding(head):
    """UTF-16 without a mark: line ends and separators have a zero beside them."""
    def worth(encoding):
        text = head[:len(head) // 2 * 2].decode(encoding, 'replace')
        plain = len(re.findall(r'[\x20-\x7e\r\n\t]', text))
        strange = len(re.findall('[\0-\x08\ue000-\uf8ff\ufffd]', text[:-1]))
        return plain * ('\n' in text) - 50 * strange
    best = max(('utf-16-le', 'utf-16-be'), key=worth)
    return best if worth(best) > 0 else None


def encoding_of(path, head):
    if head.startswith((b'\xff\xfe', b'\xfe\xff')):
        return 'utf-16'
    if b'\0' in head:
        return wide_encoding(head)
    sample = sample_of(path, head)
    text = sample.decode('utf-8', 'replace')
    bad = text.count('\ufffd') - sample.count(b'\xef\xbf\xbd')
    if bad <= (len(text) - len(text.encode('ascii', 'ignore'))) / 20:
        if bad:
            note('Some characters of the file are damaged; the rest of it is UTF-8.')
        return 'utf-8-sig'
    lines = [line for line in sample.split(b'\n') if not line.isascii()]
    lines = b'\n'.join(lines[::len(lines) // 200 + 1])[:12_000]
    worths = {encoding: worth_of(lines, encoding) for encoding in GUESSED}
    best = max(GUESSED, key=worths.get)
    others = [worths[e] for e in GUESSED
              if lines.decode(e, 'replace') != lines.decode(best, 'replace')]
    first, second = worths[best], max(others)
    best = best if first > 0 else 'cp1252'
    doubt = ', but that is in doubt' if first < 0.3 or first - second < 0.2 else ''
    guesses[path] = GUESSED[best] + doubt
    if doubt:
        note(f'How the letters of the file are written is a guess: {GUESSED[best]}.')
    return best


guesses = {}  # path: the encoding, where nothing in the file says it
