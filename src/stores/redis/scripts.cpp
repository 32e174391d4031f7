#include "stores/redis/scripts.hpp"

#include <array>

namespace atl::redis {

namespace {

// Lua prints large numbers with an exponent unless told not to.
#define ATOLL_LUA_TIME                                                       \
    "local function num(n) return string.format('%.0f', n) end\n"            \
    "local function now_ms()\n"                                              \
    "    local t = redis.call('TIME')\n"                                     \
    "    return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)\n" \
    "end\n"

#define ATOLL_LUA_RECORD                                                            \
    "local function record(key, memory)\n"                                          \
    "    local r = redis.call('HMGET', key, 'owner', 'title', 'session', 'home',\n" \
    "        'created', 'updated', 'messages', 'turns', 'lease_instance',\n"        \
    "        'lease_until', 'files', memory and 'memory' or 'owner')\n"             \
    "    if r[10] then r[10] = num(tonumber(r[10]) - now_ms()) end\n"               \
    "    return r\n"                                                                \
    "end\n"

#define ATOLL_LUA_MESSAGE                                                               \
    "local function write(key, sequence, turn, role, content, details, client, at)\n"   \
    "    redis.call('XADD', key, num(sequence) .. '-0', 'turn', num(turn),\n"           \
    "        'role', role, 'content', content, 'details', details, 'client', client,\n" \
    "        'at', at)\n"                                                               \
    "end\n"

// KEYS upload, bytes of owners, index of the owner, index of all. ARGV owner, name, bytes, sha256,
// created, most, id.
constexpr std::string_view kAddUpload = R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 then return {'there'} end
local most = tonumber(ARGV[6])
local used = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if most > 0 and used + tonumber(ARGV[3]) > most then return {'full'} end
redis.call('HINCRBY', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'name', ARGV[2], 'bytes', ARGV[3],
    'sha256', ARGV[4], 'created', ARGV[5], 'uses', '0')
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[7])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[7])
return {'ok'}
)lua";

// KEYS upload, bytes of owners, index of the owner, index of all. ARGV owner, id.
constexpr std::string_view kRemoveUpload = R"lua(
local u = redis.call('HMGET', KEYS[1], 'owner', 'bytes', 'uses')
if u[1] ~= ARGV[1] then return {'no_upload'} end
if tonumber(u[3]) > 0 then return {'used'} end
if redis.call('HINCRBY', KEYS[2], u[1], '-' .. u[2]) <= 0 then
    redis.call('HDEL', KEYS[2], u[1])
end
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
redis.call('DEL', KEYS[1])
return {'ok'}
)lua";

// KEYS uploads. Those that are not there have no owner.
constexpr std::string_view kGetUploads = R"lua(
local all = {'ok'}
for i = 1, #KEYS do
    all[i + 1] = redis.call('HMGET', KEYS[i], 'owner', 'name', 'bytes', 'sha256', 'created', 'uses')
end
return all
)lua";

// KEYS thread, index of the owner, index of all, uploads. ARGV id, owner, title, session, home,
// created, updated, memory, files, most.
constexpr std::string_view kCreateThread = R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 then return {'there'} end
local most = tonumber(ARGV[10])
if most > 0 and redis.call('ZCARD', KEYS[2]) >= most then return {'full'} end
for i = 4, #KEYS do
    if redis.call('HGET', KEYS[i], 'owner') ~= ARGV[2] then return {'no_upload', i - 4} end
end
for i = 4, #KEYS do redis.call('HINCRBY', KEYS[i], 'uses', 1) end
redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'title', ARGV[3], 'session', ARGV[4],
    'home', ARGV[5], 'created', ARGV[6], 'updated', ARGV[7], 'memory', ARGV[8],
    'files', ARGV[9], 'messages', '0', 'turns', '0', 'client', '')
redis.call('ZADD', KEYS[2], ARGV[7], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[7], ARGV[1])
return {'ok'}
)lua";

// KEYS threads. ARGV whether with memory. Those that are not there have no owner.
constexpr std::string_view kGetThreads = ATOLL_LUA_TIME ATOLL_LUA_RECORD R"lua(
local all = {'ok'}
for i = 1, #KEYS do all[i + 1] = record(KEYS[i], ARGV[1] == '1') end
return all
)lua";

// KEYS thread, uploads of the old files, uploads of the new. ARGV owner, files as they were, how
// many those are, which change ("tmf"), title, memory, files.
constexpr std::string_view kPatchThread = ATOLL_LUA_TIME ATOLL_LUA_RECORD R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'files')
if t[1] ~= ARGV[1] then return {'no_thread'} end
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
return {'ok', record(KEYS[1], true)}
)lua";

// KEYS thread, messages, questions, index of the owner, index of all, uploads of its files.
// ARGV id, owner, files as they were.
constexpr std::string_view kRemoveThread = ATOLL_LUA_TIME R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'files', 'lease_until')
if t[1] ~= ARGV[2] then return {'no_thread'} end
if t[3] and tonumber(t[3]) > now_ms() then return {'busy'} end
if t[2] ~= ARGV[3] then return {'changed'} end
for i = 6, #KEYS do redis.call('HINCRBY', KEYS[i], 'uses', -1) end
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {'ok'}
)lua";

// KEYS thread, messages, questions, index of the owner, index of all.
// ARGV id, owner, instance, lease, now, note, its details, role, content, details, client, at.
constexpr std::string_view kBeginTurn = ATOLL_LUA_TIME ATOLL_LUA_RECORD ATOLL_LUA_MESSAGE R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'updated', 'messages', 'turns', 'client',
    'lease_instance', 'lease_until')
if t[1] ~= ARGV[2] then return {'no_thread'} end
local client = ARGV[11]
local sequence, turn, state
if client ~= '' then
    local before = redis.call('HGET', KEYS[3], client)
    if before then sequence, turn, state = string.match(before, '^(%d+) (%d+) (%a+)$') end
end
if state == 'ended' then return {'repeated', sequence, turn, record(KEYS[1], true)} end
local now = now_ms()
if t[6] and tonumber(t[7]) > now then return {'busy'} end

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
    'client', client, 'lease_instance', ARGV[3], 'lease_until', num(now + tonumber(ARGV[4])))
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
local lease = math.max(tonumber(t[4]), now_ms() + tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'lease_until', num(lease))
return {t[5] == ARGV[2] and 'cancel' or 'ok'}
)lua";

// KEYS thread, messages, questions, index of the owner, index of all.
// ARGV id, owner, instance, turn, whether it ends, then of each message role, content, details,
// client, at.
constexpr std::string_view kAppend = ATOLL_LUA_TIME ATOLL_LUA_MESSAGE R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'updated', 'messages', 'turns', 'client',
    'lease_instance')
if not t[1] then return {'no_thread'} end
if t[1] ~= ARGV[2] then return {'owner', t[1]} end
if t[6] ~= ARGV[3] or t[4] ~= ARGV[4] then return {'lost'} end
local messages = tonumber(t[3])
local updated = tonumber(t[2])
for i = 6, #ARGV, 5 do
    messages = messages + 1
    write(KEYS[2], messages, tonumber(ARGV[4]), ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3],
        ARGV[i + 4])
    updated = math.max(updated, tonumber(ARGV[i + 4]))
end
updated = num(updated)
redis.call('HSET', KEYS[1], 'updated', updated, 'messages', num(messages))
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

// KEYS thread, messages. ARGV anyone's, owner, sequence, bytes. First one message, then as many as
// will be about enough: a part may be large, and Redis does nothing else meanwhile.
constexpr std::string_view kRead = ATOLL_LUA_TIME R"lua(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner or (ARGV[1] == '0' and owner ~= ARGV[2]) then return {'no_thread'} end
local most = tonumber(ARGV[4])
local found = {'ok'}
local bytes = 0
local from = ARGV[3]
local count = 1
while true do
    local part = redis.call('XRANGE', KEYS[2], from .. '-0', '+', 'COUNT', count)
    for _, message in ipairs(part) do
        found[#found + 1] = message
        bytes = bytes + 64
        for i = 2, #message[2], 2 do bytes = bytes + #message[2][i] end
        if bytes >= most then return found end
    end
    if #part < count then return found end
    from = num(tonumber(string.match(part[#part][1], '^%d+')) + 1)
    local each = bytes / (#found - 1)
    count = math.max(1, math.min(256, math.floor((most - bytes) / each)))
end
)lua";

// KEYS thread, who lives until when. ARGV instance.
constexpr std::string_view kTakeHome = ATOLL_LUA_TIME R"lua(
local home = redis.call('HGET', KEYS[1], 'home')
if not home then return {'no_thread'} end
local abandoned = home ~= '' and home ~= ARGV[1]
if abandoned then
    local lives = redis.call('ZSCORE', KEYS[2], home)
    if lives and tonumber(lives) > now_ms() then return {'ok', home, '0'} end
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

// KEYS thread. The wish names the turn, so it can never meet a later one.
constexpr std::string_view kCancelTurn = ATOLL_LUA_TIME R"lua(
local t = redis.call('HMGET', KEYS[1], 'owner', 'turns', 'lease_until')
if not t[1] then return {'no_thread'} end
if not t[3] or tonumber(t[3]) < now_ms() then return {'none'} end
redis.call('HSET', KEYS[1], 'cancel', t[2])
return {'ok'}
)lua";

constexpr std::array kScripts{
    kAddUpload,    kRemoveUpload, kGetUploads, kCreateThread, kGetThreads, kPatchThread,
    kRemoveThread, kBeginTurn,    kRenewTurn,  kAppend,       kRead,       kTakeHome,
    kLeaveHome,    kLive,         kAskForHome, kCancelTurn,
};

}  // namespace

std::span<const std::string_view> scripts() { return kScripts; }

}  // namespace atl::redis
