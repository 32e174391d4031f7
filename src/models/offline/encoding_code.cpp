#include "models/offline/encoding_code.hpp"

namespace atl::offline {
namespace {

// Single bytes are told by the letters beside them, pairs of bytes by how common the characters
// are: each of these encodings keeps its common characters in one block, but the blocks overlap
// (all Korean is also Chinese), so the commonest of each language weigh more.
constexpr char kEncoding[] = R"python(
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
)python";

}  // namespace

std::string_view encoding_code() { return kEncoding; }

}  // namespace atl::offline
