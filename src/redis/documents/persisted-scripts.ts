import { makeScript } from '../script.js';

/**
 * Shared by both scripts: the index of documents by last use, and their sizes, with the sum under
 * the field `all`. An expired document counts until its eviction, which comes first. Keys of
 * another type are deleted and created anew.
 */
const COMMON = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local function isError(reply) return type(reply) == 'table' and reply.err end
if isError(redis.pcall('ZCARD', KEYS[2])) or isError(redis.pcall('HGET', KEYS[3], 'all')) then
  redis.call('DEL', KEYS[2], KEYS[3])
end
local function count(hash, bytes)
  local all = tonumber(redis.call('HGET', KEYS[3], 'all') or 0) or 0
  local known = tonumber(redis.call('HGET', KEYS[3], hash) or 0) or 0
  redis.call('HSET', KEYS[3], 'all', string.format('%.0f', math.max(0, all + bytes - known)))
  if bytes > 0 then
    redis.call('HSET', KEYS[3], hash, bytes)
  else
    redis.call('HDEL', KEYS[3], hash)
  end
end
local function keep(millis)
  redis.call('PEXPIRE', KEYS[2], millis)
  redis.call('PEXPIRE', KEYS[3], millis)
end
`;

/**
 * Reads the document with a hash, and renews its expiry.
 *
 * KEYS: document, documents (sorted set by last use), sizes (hash)
 * ARGV: hash, expiry in milliseconds
 */
export const GET_DOCUMENT = makeScript(`${COMMON}
local text = redis.call('GET', KEYS[1])
if not text then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
count(ARGV[1], #text)
keep(ARGV[2])
return text
`);

/**
 * Stores a document, and evicts the least recently used ones over the bounds, at most 100 at a
 * time.
 *
 * KEYS: as above
 * ARGV: hash, expiry in milliseconds, text, documents at most, bytes at most, prefix of the keys of
 * documents
 */
export const SET_DOCUMENT = makeScript(`${COMMON}
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
