#include "stores/redis/scripts.hpp"

#include <array>

namespace atl::redis {

namespace {

// Lua prints large numbers with an exponent unless told not to. A lease or a life that seems to
// last longer than any is given (core::kLeaseMax) was written before Redis' clock was put back.
#define ATOLL_LUA_TIME                                                       \
    "local function num(n) return string.format('%.0f', n) end\n"            \
    "local function now_ms()\n"                                              \
    "    local t = redis.call('TIME')\n"                                     \
    "    return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)\n" \
    "end\n"                                                                  \
    "local function lives(till, now)\n"                                      \
    "    local t = till and tonumber(till)\n"                                \
    "    return t and t > now and t <= now + 600000\n"                       \
    "end\n"

// Fields of a hash and how large each may be: a list, or why they cannot be read. All requests
// share a connection, so a field that is larger than any that we write must not come over it.
#define ATOLL_LUA_FIELD                                                       \
    "local function fields(key, wanted)\n"                                    \
    "    local names = {}\n"                                                  \
    "    for i = 1, #wanted, 2 do\n"                                          \
    "        local size = redis.pcall('HSTRLEN', key, wanted[i])\n"           \
    "        if type(size) ~= 'number' then return 'it is no hash' end\n"     \
    "        if size > wanted[i + 1] then\n"                                  \
    "            return 'its ' .. wanted[i] .. ' has ' .. size .. ' bytes'\n" \
    "        end\n"                                                           \
    "        names[#names + 1] = wanted[i]\n"                                 \
    "    end\n"                                                               \
    "    return redis.call('HMGET', key, unpack(names))\n"                    \
    "end\n"                                                                   \
    "local function field(key, name, most)\n"                                 \
    "    local found = fields(key, {name, most})\n"                           \
    "    return type(found) == 'table' and found[1]\n"                        \
    "end\n"

// A list, or a sentence that says why it cannot be read. The sizes are those of
// core/thread_sizes.hpp.
#define ATOLL_LUA_RECORD                                                                \
    ATOLL_LUA_FIELD                                                                     \
    "local function record(key, memory)\n"                                              \
    "    local r = fields(key, {'owner', 4096, 'title', 4096, 'session', 4096,\n"       \
    "        'home', 4096, 'created', 16, 'updated', 16, 'messages', 16,\n"             \
    "        'turns', 16, 'lease_instance', 4096, 'lease_until', 16,\n"                 \
    "        'files', 65536, memory and 'memory' or 'owner', 1048576, 'model', 4096,\n" \
    "        'family', 128, 'origins', 65536})\n"                                       \
    "    if type(r) == 'string' or not r[1] then return r end\n"                        \
    "    for i = 5, 8 do\n"                                                             \
    "        if not r[i] or not string.match(r[i], '^%-?%d+$') then\n"                  \
    "            return 'one of its numbers is none'\n"                                 \
    "        end\n"                                                                     \
    "    end\n"                                                                         \
    "    if r[9] then\n"                                                                \
    "        local till = r[10] and tonumber(r[10])\n"                                  \
    "        if not till then return 'its lease is none' end\n"                         \
    "        local now = now_ms()\n"                                                    \
    "        r[10] = num(lives(till, now) and till - now or math.min(0, till - now))\n" \
    "    end\n"                                                                         \
    "    return r\n"                                                                    \
    "end\n"

#define ATOLL_LUA_MESSAGE                                                               \
    "local function write(key, sequence, turn, role, content, details, client, at)\n"   \
    "    redis.call('XADD', key, num(sequence) .. '-0', 'turn', num(turn),\n"           \
    "        'role', role, 'content', content, 'details', details, 'client', client,\n" \
    "        'at', at)\n"                                                               \
    "end\n"

// KEYS upload, bytes of owners, index of the owner, index of all. ARGV owner, name, bytes, sha256,
// created, most bytes, id, most uploads.
constexpr std::string_view kAddUpload = R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 then return {'there'} end
local most = tonumber(ARGV[6])
local used = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if most > 0 and used + tonumber(ARGV[3]) > most then return {'full'} end
local count = tonumber(ARGV[8])
if count > 0 and redis.call('ZCARD', KEYS[3]) >= count then return {'many'} end
redis.call('HINCRBY', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'name', ARGV[2], 'bytes', ARGV[3],
    'sha256', ARGV[4], 'created', ARGV[5], 'uses', '0')
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[7])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[7])
return {'ok'}
)lua";

// KEYS upload, bytes of owners, index of the owner, index of all. ARGV owner, id.
// What cannot be read of it does not keep it.
constexpr std::string_view kRemoveUpload = ATOLL_LUA_FIELD R"lua(
local owner = field(KEYS[1], 'owner', 4096)
if owner ~= ARGV[1] and (owner or not redis.call('ZSCORE', KEYS[3], ARGV[2])) then
    return {'no_upload'}
end
local uses = field(KEYS[1], 'uses', 32)
if uses and (tonumber(uses) or 0) > 0 then return {'used'} end
local bytes = field(KEYS[1], 'bytes', 16)
if bytes and string.match(bytes, '^%d+$') and
    redis.call('HINCRBY', KEYS[2], ARGV[1], '-' .. bytes) <= 0 then
    redis.call('HDEL', KEYS[2], ARGV[1])
end
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
redis.call('DEL', KEYS[1])
return {'ok'}
)lua";

// KEYS uploads. Those that are not there have no owner; of those that cannot be read, why.
constexpr std::string_view kGetUploads = ATOLL_LUA_FIELD R"lua(
local all = {'ok'}
for i = 1, #KEYS do
    all[i + 1] = fields(KEYS[i], {'owner', 4096, 'name', 4096, 'bytes', 32, 'sha256', 128,
        'created', 32, 'uses', 32})
end
return all
)lua";

// A thread whose keys begin at KEYS[k + 1] (thread, index of the owner, index of all, its family,
// uploads) and whose values at ARGV[a + 1]: id, owner, title, session, home, created, updated,
// memory, files, most, model, family, origins.
#define ATOLL_LUA_CREATE                                                                      \
    "local function create(k, a)\n"                                                           \
    "    if redis.call('EXISTS', KEYS[k + 1]) == 1 then return {'there'} end\n"               \
    "    local most = tonumber(ARGV[a + 10])\n"                                               \
    "    if most > 0 and redis.call('ZCARD', KEYS[k + 2]) >= most then return {'full'} end\n" \
    "    for i = k + 5, #KEYS do\n"                                                           \
    "        if redis.call('HGET', KEYS[i], 'owner') ~= ARGV[a + 2] then\n"                   \
    "            return {'no_upload', i - k - 5}\n"                                           \
    "        end\n"                                                                           \
    "    end\n"                                                                               \
    "    for i = k + 5, #KEYS do redis.call('HINCRBY', KEYS[i], 'uses', 1) end\n"             \
    "    redis.call('HSET', KEYS[k + 1], 'owner', ARGV[a + 2], 'title', ARGV[a + 3],\n"       \
    "        'session', ARGV[a + 4], 'home', ARGV[a + 5], 'created', ARGV[a + 6],\n"          \
    "        'updated', ARGV[a + 7], 'memory', ARGV[a + 8], 'files', ARGV[a + 9],\n"          \
    "        'messages', '0', 'turns', '0', 'client', '', 'model', ARGV[a + 11],\n"           \
    "        'family', ARGV[a + 12], 'origins', ARGV[a + 13])\n"                              \
    "    if ARGV[a + 12] ~= '' then\n"                                                        \
    "        redis.call('ZADD', KEYS[k + 4], ARGV[a + 6], ARGV[a + 1])\n"                     \
    "    end\n"                                                                               \
    "    redis.call('ZADD', KEYS[k + 2], ARGV[a + 7], ARGV[a + 1])\n"                         \
    "    redis.call('ZADD', KEYS[k + 3], ARGV[a + 7], ARGV[a + 1])\n"                         \
    "    return {'ok'}\n"                                                                     \
    "end\n"

constexpr std::string_view kCreateThread = ATOLL_LUA_CREATE "return create(0, 0)\n";

// KEYS thread, its messages, messages of the new one, then the new one's. ARGV owner, the last turn
// that is copied or nothing, id, then the new one's. Redis does nothing else meanwhile.
constexpr std::string_view kForkThread = ATOLL_LUA_TIME ATOLL_LUA_RECORD ATOLL_LUA_CREATE R"lua(
local before = record(KEYS[1], false)
if type(before) == 'string' then return {'unreadable', before} end
if before[1] ~= ARGV[1] then return {'no_thread'} end
local turns = tonumber(before[8])
local last = ARGV[2] == '' and turns or tonumber(ARGV[2])
if last < 0 or last > turns then return {'no_turn'} end
if before[9] and tonumber(before[10]) > 0 and last == turns then return {'busy'} end
local made = create(3, 3)
if made[1] ~= 'ok' then return made end
local old = string.gsub(ARGV[3], '%W', '%%%0')
local new = string.gsub(ARGV[4], '%%', '%%%%')
local messages = 0
local more = true
while more do
    local part = redis.call('XRANGE', KEYS[2], num(messages + 1) .. '-0', '+', 'COUNT', 256)
    more = #part == 256
    for _, message in ipairs(part) do
        local fields = message[2]
        for i = 1, #fields, 2 do
            if fields[i] == 'turn' and (tonumber(fields[i + 1]) or 0) > last then
                more = false
                fields = nil
                break
            elseif fields[i] == 'client' then
                fields[i + 1] = ''
            elseif fields[i] == 'details' then
                fields[i + 1] = string.gsub(fields[i + 1], old, new)
            end
        end
        if not fields then break end
        redis.call('XADD', KEYS[3], message[1], unpack(fields))
        messages = tonumber(string.match(message[1], '^%d+'))
    end
end
redis.call('HSET', KEYS[4], 'messages', num(messages), 'turns', num(last))
return {'ok', record(KEYS[4], true)}
)lua";

// KEYS threads. ARGV whether with memory. Those that are not there have no owner; of those that
// cannot be read, why.
constexpr std::string_view kGetThreads = ATOLL_LUA_TIME ATOLL_LUA_RECORD R"lua(
local all = {'ok'}
for i = 1, #KEYS do all[i + 1] = record(KEYS[i], ARGV[1] == '1') end
return all
)lua";

// KEYS thread, uploads of the old files, uploads of the new. ARGV owner, files as they were, how
// many those are, which change ("tmfc"), title, memory, files, model.
constexpr std::string_view kPatchThread = ATOLL_LUA_TIME ATOLL_LUA_RECORD R"lua(
local before = record(KEYS[1], true)
if type(before) == 'string' then return {'unreadable', before} end
if before[1] ~= ARGV[1] then return {'no_thread'} end
local t = {before[1], before[11]}
local title = string.find(ARGV[4], 't', 1, true)
local memory = string.find(ARGV[4], 'm', 1, true)
local files = string.find(ARGV[4], 'f', 1, true)
if files then
    if t[2] ~= ARGV[2] then return {'changed'} end
    local old = tonumber(ARGV[3])
    for i = 2 + old, #KEYS do
        if redis.call('HGET', KEYS[i], 'owner') ~= t[1] then
            return {'no_upload', i - 2 - old}
        end
    end
    for i = 2, 1 + old do redis.call('HINCRBY', KEYS[i], 'uses', -1) end
    for i = 2 + old, #KEYS do redis.call('HINCRBY', KEYS[i], 'uses', 1) end
    redis.call('HSET', KEYS[1], 'files', ARGV[7])
end
if title then redis.call('HSET', KEYS[1], 'title', ARGV[5]) end
if memory then redis.call('HSET', KEYS[1], 'memory', ARGV[6]) end
if string.find(ARGV[4], 'c', 1, true) then redis.call('HSET', KEYS[1], 'model', ARGV[8]) end
return {'ok', record(KEYS[1], true)}
)lua";

// KEYS a hash. ARGV a field, and how large it may be. Nothing when it is not there or is no such
// text.
constexpr std::string_view kGetField = ATOLL_LUA_FIELD R"lua(
return {'ok', field(KEYS[1], ARGV[1], tonumber(ARGV[2]))}
)lua";

// KEYS index. ARGV from which score on, how many are left out, how many are wanted. How many were
// looked at, then names and scores. A name that can be nobody's is left out.
constexpr std::string_view kGetNames = R"lua(
local some = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], '-inf', 'WITHSCORES',
    'LIMIT', ARGV[2], ARGV[3])
local found = {'ok', #some / 2}
for i = 1, #some, 2 do
    if #some[i] <= 128 then
        found[#found + 1] = some[i]
        found[#found + 1] = some[i + 1]
    end
end
return found
)lua";

// KEYS set. ARGV how many at most.
constexpr std::string_view kGetAsked = R"lua(
local found = {'ok'}
for _, id in ipairs(redis.call('SRANDMEMBER', KEYS[1], ARGV[1])) do
    if #id <= 128 then found[#found + 1] = id end
end
return found
)lua";

// KEYS thread, messages, questions, index of the owner, index of all, its family, uploads of its
// files. ARGV id, owner, whether anyone may, whether its files are known, what they were. Needs
// nothing of the record that may be damaged: a record without an owner is the one's whose index has
// it, and an upload is let go of only if it is there.
constexpr std::string_view kRemoveThread = ATOLL_LUA_TIME ATOLL_LUA_FIELD R"lua(
local owner = field(KEYS[1], 'owner', 4096)
if owner then
    if owner ~= ARGV[2] then return {'no_thread'} end
elseif ARGV[3] == '1' then
    if redis.call('EXISTS', KEYS[1]) == 0 then return {'no_thread'} end
elseif not redis.call('ZSCORE', KEYS[4], ARGV[1]) then
    return {'no_thread'}
end
if lives(field(KEYS[1], 'lease_until', 32), now_ms()) then return {'busy'} end
if ARGV[4] == '1' and (field(KEYS[1], 'files', 65536) or '') ~= ARGV[5] then
    return {'changed'}
end
for i = 7, #KEYS do
    local uses = field(KEYS[i], 'uses', 16)
    if uses and string.match(uses, '^%d+$') and tonumber(uses) > 0 then
        redis.call('HINCRBY', KEYS[i], 'uses', -1)
    end
end
local session = field(KEYS[1], 'session', 128)
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {'ok', session or ''}
)lua";

// KEYS thread, messages, questions, index of the owner, index of all.
// ARGV id, owner, instance, lease, now, note, its details, role, content, details, client, at.
constexpr std::string_view kBeginTurn = ATOLL_LUA_TIME ATOLL_LUA_RECORD ATOLL_LUA_MESSAGE R"lua(
local before = record(KEYS[1], true)
if type(before) == 'string' then return {'unreadable', before} end
if before[1] ~= ARGV[2] then return {'no_thread'} end
local t = redis.call('HMGET', KEYS[1], 'owner', 'updated', 'messages', 'turns', 'client',
    'lease_instance', 'lease_until', 'mark', 'marked')
local client = ARGV[11]
local sequence, turn, state
if client ~= '' then
    local known = redis.call('HGET', KEYS[3], client)
    if known and #known <= 64 then
        sequence, turn, state = string.match(known, '^(%d+) (%d+) (%a+)$')
    end
end
if state == 'ended' then return {'repeated', sequence, turn, record(KEYS[1], true)} end
local now = now_ms()
if t[6] and lives(t[7], now) then return {'busy'} end

local messages = tonumber(t[3])
local turns = tonumber(t[4])
local took_over = 0
if t[6] then
    took_over = 1
    messages = messages + 1
    write(KEYS[2], messages, turns, 'note', ARGV[6], ARGV[7], '', ARGV[5])
    local cut = t[5] ~= '' and redis.call('HGET', KEYS[3], t[5])
    if cut then
        redis.call('HSET', KEYS[3], t[5], (string.gsub(cut, '%a+$', 'cut')))
    end
end
turns = turns + 1
if not sequence then
    messages = messages + 1
    sequence = num(messages)
    write(KEYS[2], messages, turns, ARGV[8], ARGV[9], ARGV[10], client, ARGV[12])
end
if client ~= '' then
    redis.call('HSET', KEYS[3], client, sequence .. ' ' .. num(turns) .. ' open')
end
local updated = num(math.max(tonumber(t[2]), tonumber(ARGV[5]), tonumber(ARGV[12])))
redis.call('HSET', KEYS[1], 'updated', updated, 'messages', num(messages), 'turns', num(turns),
    'client', client, 'lease_instance', ARGV[3], 'lease_until', num(now + tonumber(ARGV[4])),
    'mark', '', 'marked', '', 'mark_before', t[8] or '', 'marked_before', t[9] or '')
redis.call('ZADD', KEYS[4], updated, ARGV[1])
redis.call('ZADD', KEYS[5], updated, ARGV[1])
return {'ok', sequence, num(turns), took_over, record(KEYS[1], true)}
)lua";

// KEYS thread. ARGV instance, turn, lease.
constexpr std::string_view kRenewTurn = ATOLL_LUA_TIME R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'turns', 'lease_instance', 'lease_until',
    'cancel')
if not t[1] then return {'no_thread'} end
if t[3] ~= ARGV[1] or t[2] ~= ARGV[2] then return {'lost'} end
local now = now_ms()
local lease = math.max(lives(t[4], now) and tonumber(t[4]) or 0, now + tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'lease_until', num(lease))
return {t[5] == ARGV[2] and 'cancel' or 'ok'}
)lua";

// KEYS thread, messages, questions, index of the owner, index of all.
// ARGV id, owner, instance, turn, whether it ends, its mark, then of each message role, content,
// details, client, at. A write whose mark is there has happened: the last one of this turn and of
// the turn before are known.
constexpr std::string_view kAppend = ATOLL_LUA_TIME ATOLL_LUA_MESSAGE R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'updated', 'messages', 'turns', 'client',
    'lease_instance', 'mark', 'marked', 'mark_before', 'marked_before')
if not t[1] then return {'no_thread'} end
local mark = ARGV[6]
if mark ~= '' and t[7] == mark then return {'ok', t[8]} end
if mark ~= '' and t[9] == mark then return {'ok', t[10]} end
if #t[1] > 4096 then return {'unreadable', 'its owner is none'} end
if t[1] ~= ARGV[2] then return {'owner', t[1]} end
if t[6] ~= ARGV[3] or t[4] ~= ARGV[4] then return {'lost'} end
local messages = tonumber(t[3])
local updated = tonumber(t[2])
if not messages or not updated then return {'unreadable', 'one of its numbers is none'} end
for i = 7, #ARGV, 5 do
    messages = messages + 1
    write(KEYS[2], messages, tonumber(ARGV[4]), ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3],
        ARGV[i + 4])
    updated = math.max(updated, tonumber(ARGV[i + 4]))
end
updated = num(updated)
redis.call('HSET', KEYS[1], 'updated', updated, 'messages', num(messages), 'mark', mark,
    'marked', num(messages))
redis.call('ZADD', KEYS[4], updated, ARGV[1])
redis.call('ZADD', KEYS[5], updated, ARGV[1])
if ARGV[5] == '1' then
    redis.call('HDEL', KEYS[1], 'lease_instance', 'lease_until')
    local open = t[5] ~= '' and redis.call('HGET', KEYS[3], t[5])
    if open then
        redis.call('HSET', KEYS[3], t[5], (string.gsub(open, '%a+$', 'ended')))
    end
end
return {'ok', num(messages)}
)lua";

// KEYS thread, messages. ARGV anyone's, owner, sequence, bytes, how large a message may be. First
// one message, then as many as will be about enough: a part may be large, and Redis does nothing
// else meanwhile. Of a message that is too large, its name alone.
constexpr std::string_view kRead = ATOLL_LUA_TIME ATOLL_LUA_FIELD R"lua(
local owner = field(KEYS[1], 'owner', 4096)
if not owner or (ARGV[1] == '0' and owner ~= ARGV[2]) then return {'no_thread'} end
local most = tonumber(ARGV[4])
local each_most = tonumber(ARGV[5])
local found = {'ok'}
local bytes = 0
local from = ARGV[3]
local count = 1
while true do
    local part = redis.call('XRANGE', KEYS[2], from .. '-0', '+', 'COUNT', count)
    for _, message in ipairs(part) do
        local size = 0
        for i = 1, #message[2] do size = size + #message[2][i] end
        if size > each_most then
            message = {message[1], {}}
            size = 0
        end
        found[#found + 1] = message
        bytes = bytes + 64 + size
        if bytes >= most then return found end
    end
    if #part < count then return found end
    from = num(tonumber(string.match(part[#part][1], '^%d+')) + 1)
    local each = bytes / (#found - 1)
    count = math.max(1, math.min(256, math.floor((most - bytes) / each)))
end
)lua";

// KEYS thread, who lives until when. ARGV instance.
constexpr std::string_view kTakeHome = ATOLL_LUA_TIME ATOLL_LUA_FIELD R"lua(
local home = field(KEYS[1], 'home', 4096)
if not home then return {'no_thread'} end
local abandoned = home ~= '' and home ~= ARGV[1]
if abandoned then
    local till = redis.call('ZSCORE', KEYS[2], home)
    if lives(till, now_ms()) then return {'ok', home, '0'} end
end
redis.call('HSET', KEYS[1], 'home', ARGV[1])
return {'ok', ARGV[1], abandoned and '1' or '0'}
)lua";

// KEYS thread, what is asked of this instance. ARGV id, instance.
constexpr std::string_view kLeaveHome = R"lua(
if redis.call('HGET', KEYS[1], 'home') == ARGV[2] then
    redis.call('HSET', KEYS[1], 'home', '')
end
redis.call('SREM', KEYS[2], ARGV[1])
return {'ok'}
)lua";

// KEYS who lives until when. ARGV instance, for how long. Those gone for an hour are forgotten.
constexpr std::string_view kLive = ATOLL_LUA_TIME R"lua(
local now = now_ms()
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', num(now - 3600000))
if tonumber(ARGV[2]) > 0 then
    redis.call('ZADD', KEYS[1], num(now + tonumber(ARGV[2])), ARGV[1])
else
    redis.call('ZREM', KEYS[1], ARGV[1])
end
return {'ok'}
)lua";

// KEYS thread, what is asked of who has it. ARGV id, who had it just now. Kept for an hour: an
// instance that is gone never empties its set.
constexpr std::string_view kAskForHome = R"lua(
local home = redis.call('HGET', KEYS[1], 'home')
if not home then return {'no_thread'} end
if home ~= ARGV[2] then return {'changed'} end
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], 3600000)
return {'ok'}
)lua";

// KEYS thread. The request names the turn, so it can never cancel a later one.
constexpr std::string_view kCancelTurn = ATOLL_LUA_TIME R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'turns', 'lease_until')
if not t[1] then return {'no_thread'} end
if not lives(t[3], now_ms()) then return {'none'} end
redis.call('HSET', KEYS[1], 'cancel', t[2])
return {'ok'}
)lua";

// KEYS thread, lists of marks. ARGV owner, the mark, most of them, for how long they are kept.
constexpr std::string_view kAddMarks = ATOLL_LUA_FIELD R"lua(
if field(KEYS[1], 'owner', 4096) ~= ARGV[1] then return {'no_thread'} end
for i = 2, #KEYS do
    redis.call('LREM', KEYS[i], 0, ARGV[2])
    redis.call('LPUSH', KEYS[i], ARGV[2])
    redis.call('LTRIM', KEYS[i], 0, tonumber(ARGV[3]) - 1)
    redis.call('PEXPIRE', KEYS[i], ARGV[4])
end
return {'ok'}
)lua";

// KEYS a list of marks. ARGV most of them.
constexpr std::string_view kGetMarks = R"lua(
local found = {'ok'}
for _, mark in ipairs(redis.call('LRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)) do
    if #mark <= 160 then found[#found + 1] = mark end
end
return found
)lua";

constexpr std::array kScripts{
    kAddUpload,    kRemoveUpload, kGetUploads, kCreateThread, kGetThreads, kPatchThread,
    kRemoveThread, kBeginTurn,    kRenewTurn,  kAppend,       kRead,       kTakeHome,
    kLeaveHome,    kLive,         kAskForHome, kCancelTurn,   kGetField,   kGetNames,
    kGetAsked,     kForkThread,   kAddMarks,   kGetMarks,
};

}  // namespace

std::span<const std::string_view> scripts() { return kScripts; }

}  // namespace atl::redis
