import { makeScript } from './script.js';

/**
 * Numbers an event, keeps it for those who missed it and sends it to those who listen, in one step: so the order of the
 * numbers is the order of what is heard. Its number is also its place in the stream.
 *
 * KEYS: counter, stream. ARGV: channel, message, events kept, how long they are kept
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
 * The event with a number and all after it. KEYS: counter, stream. ARGV: number, events at most
 * Answer: the newest number, then pairs of number and message
 */
export const REPLAY = makeScript(`
local answer = {redis.call('GET', KEYS[1]) or '0'}
local found = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])
for _, entry in ipairs(found) do
  answer[#answer + 1] = string.match(entry[1], '^%d+')
  answer[#answer + 1] = entry[2][2]
end
return answer
`);
