import { makeScript } from './script.js';

/**
 * Numbers an event, appends it to the history and publishes it, atomically: events are received in the order of their
 * numbers. The number is also the id in the stream.
 *
 * KEYS: sequence (counter), history (stream). ARGV: channel, message, events kept, milliseconds they are kept
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
redis.call('PUBLISH', ARGV[1], string.format('%.0f ', number) .. ARGV[2])
return number
`);

/**
 * Reads the event with a number and all later ones.
 *
 * KEYS: sequence, history. ARGV: number, events at most
 * Reply: the newest number, then pairs of number and message
 */
export const REPLAY = makeScript(`
local reply = {redis.call('GET', KEYS[1]) or '0'}
local found = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])
for _, entry in ipairs(found) do
  reply[#reply + 1] = string.match(entry[1], '^%d+')
  reply[#reply + 1] = entry[2][2]
end
return reply
`);
