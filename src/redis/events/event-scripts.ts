import { makeScript } from '../script.js';

/**
 * Numbers an event, appends it to the history and publishes it, atomically: events are received in
 * the order of their numbers. The number is also the id in the stream. The ids of events are kept
 * with their numbers for as long as the counter: a topic without events for a long time has lost
 * none.
 *
 * KEYS: sequence (counter), history (stream), ids (sorted set). ARGV: channel, message, events
 * kept, milliseconds they are kept, id of the event
 * Reply: the number
 */
export const PUBLISH = makeScript(`
local number = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], 2592000000)
local id = string.format('%.0f-0', number)
local added = redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], id, 'm', ARGV[2])
if type(added) == 'table' and added.err then
  redis.call('DEL', KEYS[2])
  redis.call('XADD', KEYS[2], id, 'm', ARGV[2])
end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local known = redis.pcall('ZREMRANGEBYSCORE', KEYS[3], string.format('%.0f', number), '+inf')
if type(known) == 'table' and known.err then redis.call('DEL', KEYS[3]) end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('(%.0f', number - tonumber(ARGV[3])))
redis.call('ZADD', KEYS[3], string.format('%.0f', number), ARGV[5])
redis.call('PEXPIRE', KEYS[3], 2592000000)
redis.call('PUBLISH', ARGV[1], string.format('%.0f ', number) .. ARGV[2])
return number
`);

/**
 * Appends pairs of number and message to a reply, of the events between two numbers, until they
 * have so many bytes. It reads no more at once than it expects to need: Redis does nothing else
 * meanwhile.
 */
const READ_PAGE = `
local function readPage(key, from, newest, bytesMax, reply)
  local bytes, events, last = 0, 0, string.format('%.0f-0', newest)
  while from <= newest and bytes < bytesMax do
    local count = 1
    if events > 0 then
      local fitting = math.floor((bytesMax - bytes) * events / bytes)
      count = math.max(1, math.min(100, fitting))
    end
    local found = redis.call('XRANGE', key, string.format('%.0f-0', from), last, 'COUNT', count)
    if #found == 0 then return end
    for _, entry in ipairs(found) do
      bytes, events = bytes + #entry[2][2], events + 1
      reply[#reply + 1] = string.match(entry[1], '^%d+')
      reply[#reply + 1] = entry[2][2]
    end
    from = tonumber(reply[#reply - 1]) + 1
  end
end
`;

/**
 * Reads the first page of events after the one with an id, and gives the newest number an id where
 * it has none.
 *
 * KEYS: sequence, history, ids. ARGV: id or nothing, events at most, bytes of a page, an unused id
 * Reply: the newest number, its id, the number of the id that was asked for (empty: unknown, or too
 * much follows), then pairs of number and message
 */
export const REPLAY = makeScript(`${READ_PAGE}
local newest = redis.call('GET', KEYS[1]) or '0'
local removed = redis.pcall('ZREMRANGEBYSCORE', KEYS[3], '(' .. newest, '+inf')
if type(removed) == 'table' and removed.err then redis.call('DEL', KEYS[3]) end
local position = redis.call('ZRANGEBYSCORE', KEYS[3], newest, newest, 'LIMIT', 0, 1)[1]
if not position then
  position = ARGV[4]
  redis.call('ZADD', KEYS[3], newest, position)
  redis.call('PEXPIRE', KEYS[3], 2592000000)
end
local unknown = {newest, position, ''}
newest = tonumber(newest)
local number = ARGV[1] ~= '' and tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]))
if not number or newest - number > tonumber(ARGV[2]) then return unknown end
local reply = {unknown[1], position, string.format('%.0f', number)}
readPage(KEYS[2], number + 1, newest, tonumber(ARGV[3]), reply)
return reply
`);

/**
 * Reads a further page of events.
 *
 * KEYS: history. ARGV: number of the first event, number of the last one, bytes of a page
 * Reply: pairs of number and message
 */
export const REPLAY_PAGE = makeScript(`${READ_PAGE}
local reply = {}
readPage(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), reply)
return reply
`);
