import { makeScript } from './script.js';

/**
 * Both keep a list of the texts by their last use, and their sizes: the sum is under the field `all`. What has expired
 * meanwhile counts until its turn comes, which is first. Keys that hold something else, which is not ours, are made anew.
 */
const COMMON = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local function isOther(answer) return type(answer) == 'table' and answer.err end
if isOther(redis.pcall('ZCARD', KEYS[2])) or isOther(redis.pcall('HGET', KEYS[3], 'all')) then
  redis.call('DEL', KEYS[2], KEYS[3])
end
local function count(hash, bytes)
  local all = tonumber(redis.call('HGET', KEYS[3], 'all') or 0) or 0
  local known = tonumber(redis.call('HGET', KEYS[3], hash) or 0) or 0
  redis.call('HSET', KEYS[3], 'all', string.format('%.0f', math.max(0, all + bytes - known)))
  if bytes > 0 then redis.call('HSET', KEYS[3], hash, bytes) else redis.call('HDEL', KEYS[3], hash) end
end
local function keep(millis)
  redis.call('PEXPIRE', KEYS[2], millis)
  redis.call('PEXPIRE', KEYS[3], millis)
end
`;

/**
 * The text under a hash, which is kept for longer from now on.
 *
 * KEYS: text, texts (sorted set by last use), sizes (hash)
 * ARGV: hash, milliseconds
 */
export const TEXT_GET = makeScript(`${COMMON}
local text = redis.call('GET', KEYS[1])
if not text then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
count(ARGV[1], #text)
keep(ARGV[2])
return text
`);

/**
 * Keeps a text; those that were not used for longest make room, a hundred at most.
 *
 * KEYS: as above
 * ARGV: hash, milliseconds, text, texts at most, bytes at most, what keys of texts begin with
 */
export const TEXT_SET = makeScript(`${COMMON}
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
count(ARGV[1], #ARGV[3])
keep(ARGV[2])
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '+inf', 'LIMIT', 0, 100)) do
  local all = tonumber(redis.call('HGET', KEYS[3], 'all') or 0) or 0
  if redis.call('ZCARD', KEYS[2]) <= tonumber(ARGV[4]) and all <= tonumber(ARGV[5]) then break end
  redis.call('DEL', ARGV[6] .. old)
  redis.call('ZREM', KEYS[2], old)
  count(old, 0)
end
return 1
`);
