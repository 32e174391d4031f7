#include "models/offline/profile_code.hpp"

#include "models/offline/python_text.hpp"

namespace atl::offline {
namespace {

constexpr char kTools[] =
    R"python(# Reads the data files, cleans what people type into tables, and describes the columns.
import csv, glob, io, json, os, re
import pandas as pd

MISSING = ['', '-', '--', '—', '–', '.', '?', 'n/a', 'N/A', 'n.a.', 'N.A.', 'na', 'NA', 'nan',
           'NaN', 'None', 'null', 'Null', 'NULL', 'nil', '#N/A', '#VALUE!', '#REF!', 'missing',
           'Missing', '空', '缺失', '暂无']
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
TABLE_MAX_BYTES = 700_000_000  # in memory; the rest is left out, and told so
notes = {}


def to_numbers(text):
    """'$1,234.50', '1.234,50 €', '12 %', '(5.00)', '30 kg' as numbers; other text: missing."""
    t = text.str.replace(r'^\((.*)\)$', r'-\1', regex=True)
    t = t.str.replace(r'(?i)[$€£¥￥₹%％\s\u00a0\']|usd|eur|gbp|cny|rmb|元', '', regex=True)
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
    commas = t.str.contains(r'^[-+]?[\d.]*,\d{1,2}$').sum()
    if commas > t.str.contains(r'^[-+]?[\d,]*\.\d+$').sum():
        t = t.str.replace('.', '', regex=False).str.replace(',', '.', regex=False)
    return pd.to_numeric(t.str.replace(',', '', regex=False), errors='coerce') * times


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


def tidy(text):
    """Without spaces too many; what stands for nothing as missing."""
    text = text.str.strip().str.replace(r'\s+', ' ', regex=True)
    return text.mask(text.isin(MISSING))


def clean_column(name, column):
    """The column as numbers, dates or tidy text, whichever most of its values are."""
    if pd.api.types.is_bool_dtype(column):
        return column.astype(object).map({True: 'True', False: 'False'})
    if pd.api.types.is_numeric_dtype(column):
        if re.search(r'(?i)date|time|日期|时间|\bts\b|_at$', str(name)) and len(column.dropna()):
            low, high = column.min(), column.max()
            if 19000101 <= low and high <= 21001231:
                return pd.to_datetime(column, format='%Y%m%d', errors='coerce')
            for unit, size in (('s', 1e9), ('ms', 1e12)):
                if size * 0.5 <= low and high < size * 5:
                    return pd.to_datetime(column, unit=unit)
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
    if sample.str.contains(r'\d').mean() > 0.8:
        if sample.str.contains(DATE_LIKE).mean() > 0.8:
            if to_dates(sample).notna().mean() > 0.8:
                return for_all_rows(to_dates(known))
        if to_numbers(sample).notna().mean() > 0.8:
            return for_all_rows(to_numbers(known))
    counts = pd.Series(codes)[codes >= 0].value_counts().reindex(range(len(known)), fill_value=0)
    spellings = counts.groupby(known).sum().sort_values(ascending=False)
    keys = spellings.index.str.casefold()
    if keys.duplicated().any():  # 'north' and 'North' are one: the usual spelling wins
        usual = spellings.index[~keys.duplicated()]
        known = known.str.casefold().map(dict(zip(usual.str.casefold(), usual)))
    return for_all_rows(known)


def clean(table):
    table = table.dropna(how='all')
    unnamed = [c for c in table if re.fullmatch(r'Unnamed: \d+', str(c))]  # a saved index
    table = table.drop(columns=unnamed)
    table.columns = [re.sub(r'\s+', ' ', str(c)).strip() for c in table.columns]
    table = table.loc[:, ~table.columns.duplicated()].reset_index(drop=True)
    return table.apply(lambda column: clean_column(column.name, column))


def encoding_of(head):
    if head.startswith((b'\xff\xfe', b'\xfe\xff')):
        return 'utf-16'
    try:
        io.TextIOWrapper(io.BytesIO(head[:-4] if len(head) > 100_000 else head), 'utf-8').read()
        return 'utf-8-sig'
    except UnicodeDecodeError as e:
        if e.start > len(head) - 8:
            return 'utf-8-sig'
    runs = re.findall(rb'[\x80-\xff]+', head)  # Chinese comes in pairs of high bytes
    return 'gb18030' if sum(len(r) % 2 == 0 for r in runs) > 0.7 * len(runs) else 'cp1252'


def separator_of(text):
    lines = [line for line in text.splitlines() if line.strip()][:50]
    def columns(separator):
        widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
        usual = max(set(widths), key=widths.count)
        return (usual > 1) * widths.count(usual) / len(widths), usual
    return max([',', '\t', ';', '|'], key=columns)


def read_text_table(path, head):
    encoding = encoding_of(head)
    text = head.decode(encoding, errors='replace')
    if not text.strip('\ufeff \r\n\t'):
        raise ValueError('the file is empty')
    options = dict(sep=separator_of(text), encoding=encoding, encoding_errors='replace',
                   na_values=MISSING, skipinitialspace=True, on_bad_lines='skip')
    if os.path.getsize(path) <= TEXT_MAX_BYTES:
        return clean(pd.read_csv(path, low_memory=False, **options))
    return read_in_pieces(path, options)


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


def read_in_pieces(path, options):
    parts, size = [], 0
    first = pd.read_csv(path, nrows=20_000, low_memory=False, **options)
    options['dtype'] = {name: 'category' for name in first.select_dtypes(['object', 'str'])}
    with open(path, 'rb') as file:
        for part in pd.read_csv(file, chunksize=500_000, low_memory=False, **options):
            parts.append(clean(part).apply(lean))
            size += parts[-1].memory_usage().sum()
            if size > TABLE_MAX_BYTES and file.tell() < os.path.getsize(path):
                rows = sum(map(len, parts))
                about = round(rows * os.path.getsize(path) / file.tell(), -5)
                notes[path] = (f'only the first {rows:,} rows of about {about:,.0f} were read, the '
                               'file is too large')
                break
    names = list(dict.fromkeys(name for part in parts for name in part))
    lengths = [len(part) for part in parts]
    table = {}
    for name in names:  # one after the other: two copies of one column, not of all
        table[name] = joined([part.pop(name) if name in part else pd.Series([None] * length)
                              for part, length in zip(parts, lengths)])
    return pd.DataFrame(table)


def read_json_table(path, head):
    encoding = encoding_of(head)
    with open(path, encoding=encoding) as file:
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


def read_table(path, sheet=None):
    with open(path, 'rb') as file:
        head = file.read(200_000)
    if not head:
        raise ValueError('the file is empty')
    if head.startswith(b'PAR1'):
        return clean(pd.read_parquet(path))
    if head.startswith((b'PK\x03\x04', b'\xd0\xcf\x11\xe0')):
        return clean(pd.read_excel(path, sheet_name=sheet or 0, na_values=MISSING))
    if b'\0' in head and not head.startswith((b'\xff\xfe', b'\xfe\xff')):
        raise ValueError('it is no table: it holds binary data that its name does not promise')
    if head.lstrip(b'\xef\xbb\xbf \r\n\t')[:1] in (b'{', b'[') and re.search(r'json|ndjson', path):
        return read_json_table(path, head)
    return read_text_table(path, head)


def load(path, sheet=None):
    """The cleaned table of a file; read again only when the file changed."""
    key = (path, sheet, os.path.getmtime(path))
    if key not in load.tables:
        load.tables[key] = read_table(path, sheet)
    return load.tables[key].copy(deep=False)


load.tables = {}


def plain(value):
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, (int, float)) or hasattr(value, 'item'):
        value = value.item() if hasattr(value, 'item') else value
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


def describe_files(paths, budget=7300):
    """Prints one line of JSON about all files, as many text values in it as fit."""
    tables = []
    for path in paths[:12]:
        try:
            is_excel = path.lower().endswith(('.xlsx', '.xls'))
            sheets = pd.ExcelFile(path).sheet_names[:5] if is_excel else [None]
        except Exception:
            sheets = [None]
        for number, sheet in enumerate(sheets):
            about = {'path': path, **({'sheet': sheet} if number else {})}
            try:
                table = load(path, sheet if number else None)
                if number and not len(table):
                    continue
                if path in notes:
                    about['note'] = notes[path]
                about |= {'rows': len(table), 'width': len(table.columns), 'columns': [
                    describe(c[:80], table[c]) for c in table.columns[:80]]}
                if not len(table.columns):
                    about = {'path': path, 'error': 'the file is empty'}
            except Exception as e:
                about['error'] = f'{e}'.split('\n')[0][:160] or type(e).__name__
            tables.append(about)
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
)python";

constexpr char kFind[] = R"python(
EXTENSIONS = ('csv', 'tsv', 'txt', 'xlsx', 'xls', 'parquet', 'json', 'jsonl', 'ndjson')
files = sorted(f for e in EXTENSIONS for f in glob.glob('/data/*.' + e))
describe_files(files)
)python";

constexpr char kSearch[] = R"python(found = []
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
)python";

}  // namespace

std::string find_code(const Schema& schema, const std::vector<std::string>& words) {
    std::string places;
    for (const Table& table : schema.tables) {
        std::vector<std::string> names;
        for (const Column& column : table.columns) {
            if (column.is_text() && column.values.size() < column.distinct) {
                names.push_back(column.name);
            }
        }
        if (names.empty()) continue;
        places += "    (" + py(table.path) + ", " +
                  (table.sheet.empty() ? "None" : py(table.sheet)) + ", " + py(names) + "),\n";
    }
    if (places.empty()) return "";
    return "wanted = " + py(words) + "\nplaces = [\n" + places + "]\n" + kSearch;
}

std::string profile_code(const std::vector<std::string>& paths) {
    std::string code = kTools;
    code += "\n";
    if (paths.empty()) return code + kFind;
    return code + "\ndescribe_files(" + py(paths) + ")\n";
}

}  // namespace atl::offline
