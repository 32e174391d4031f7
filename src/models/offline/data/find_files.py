
EXTENSIONS = ('csv', 'tsv', 'txt', 'xlsx', 'xls', 'parquet', 'json', 'jsonl', 'ndjson')
files = sorted(f for e in EXTENSIONS for f in glob.glob('/data/*.' + e))
describe_files(files)
