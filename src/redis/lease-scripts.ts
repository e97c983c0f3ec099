import { makeScript } from './script.js';

/**
 * The time in which budgets refill, and who is there.
 *
 * What comes back to a bucket belongs to the replicas in equal parts. A replica that says "from then on I have been in
 * touch" hands its part of that time to the common buckets; what nobody hands over is spent where it is owned. So the
 * common time stands still while Redis is away from everybody, runs at half its speed while half of the replicas are cut
 * off, and no moment is counted twice. Only the clock of Redis counts.
 *
 * KEYS: replicas (sorted set by last sign of life), clock (hash: e era, v common milliseconds), handed (hash by replica)
 * ARGV: replica, since when in touch or '', replicas at least, silence that ends being in touch, silence until forgotten
 * Answer: now, era, common milliseconds, replicas, when the era began
 */
export const BEAT = makeScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replica, from, least = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local silence, forget = tonumber(ARGV[4]), tonumber(ARGV[5])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - forget), 'LIMIT', 0, 100)) do
  redis.call('ZREM', KEYS[1], gone)
  redis.call('HDEL', KEYS[3], gone)
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), replica)
local clock = redis.call('HMGET', KEYS[2], 'e', 'v', 'b')
local era, common, born = clock[1], tonumber(clock[2]), tonumber(clock[3])
if not era or not common or not born then
  era, common, born = time[1] .. '.' .. time[2] .. '.' .. replica, 0, now
  redis.call('HSET', KEYS[2], 'e', era, 'b', string.format('%.0f', born))
end
local count = redis.call('ZCARD', KEYS[1])
if least > 1 then
  count = math.max(least, redis.call('ZCOUNT', KEYS[1], string.format('%.0f', now - 4 * silence), '+inf'))
end
if from then
  local start = math.max(from, tonumber(redis.call('HGET', KEYS[3], replica)) or 0)
  local stop = math.min(now, from + silence)
  if stop > start then
    common = common + (stop - start) / count
    redis.call('HSET', KEYS[3], replica, string.format('%.0f', stop))
  end
end
redis.call('HSET', KEYS[2], 'v', string.format('%.6f', common))
return {string.format('%.0f', now), era, string.format('%.6f', common), count, string.format('%.0f', born)}
`);

/**
 * Moves points between common buckets and one replica. Each request to a bucket has a number that only grows: one that
 * was heard before is answered as it was then, so that a replica may ask again when an answer got lost.
 *
 * KEYS: clock, then buckets (hash: a available, t common time of it, b birth, n changes, then the last request of each
 * replica with its answer)
 * ARGV: replica, era, whether points are given ('1'), replicas, then for each bucket: maximum, points per second, number
 * of the request, debt, points wanted, points given back, what the bucket should hold at most or '', birth and changes
 * as last seen, whether they are doubted ('1')
 * Answer: null in another era; else for each bucket granted, available, birth, changes; all '' where nothing was done
 */
export const EXCHANGE = makeScript(`
local clock = redis.call('HMGET', KEYS[1], 'e', 'v')
if clock[1] ~= ARGV[2] or not clock[2] then return false end
local common = tonumber(clock[2])
local field, gives, count = 'r:' .. ARGV[1], ARGV[3] == '1', tonumber(ARGV[4])
local answers = {}
for i = 2, #KEYS do
  local at = 4 + (i - 2) * 10
  local max, rate, number = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local debt, wanted, back = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local view, seenBirth, seenChanges = tonumber(ARGV[at + 7]), ARGV[at + 8], tonumber(ARGV[at + 9])
  local found = redis.call('HMGET', KEYS[i], 'a', 't', 'b', 'n', field)
  local available, filled, birth, changes = tonumber(found[1]), tonumber(found[2]), found[3], tonumber(found[4])
  local isKnown = available and filled and birth and changes
  local lastNumber, lastGrant
  if isKnown and found[5] then lastNumber, lastGrant = string.match(found[5], '^(%d+) (%S+)$') end
  if lastNumber and tonumber(lastNumber) >= number then
    local grant = tonumber(lastNumber) == number and lastGrant or '0'
    answers[i - 1] = {grant, string.format('%.6f', available), birth, string.format('%.0f', changes)}
  elseif not isKnown and not view and not gives then
    answers[i - 1] = {'', '', '', ''}
  else
    if isKnown then
      available = math.min(max, available + math.max(0, common - filled) * rate / 1000)
      local isOther = ARGV[at + 10] == '1' or birth ~= seenBirth or changes < seenChanges
      if view and isOther then available = math.min(available, view) end
    else
      available = math.min(max, view or max)
      birth, changes = clock[2] .. '.' .. ARGV[1] .. '.' .. ARGV[at + 3], 0
    end
    available = math.max(-max, math.min(max, available + back) - debt)
    local grant = 0
    if gives then grant = math.max(0, math.floor(math.min(wanted, available))) end
    available = available - grant
    changes = changes + 1
    if changes % 1000 == 0 then redis.call('DEL', KEYS[i]) end
    local text = string.format('%.6f', available)
    redis.call('HSET', KEYS[i], 'a', text, 't', clock[2], 'b', birth, 'n', string.format('%.0f', changes),
      field, ARGV[at + 3] .. ' ' .. string.format('%.0f', grant))
    redis.call('PEXPIRE', KEYS[i], string.format('%.0f', math.ceil((max - available) / rate * 1000) * count + 60000))
    answers[i - 1] = {string.format('%.0f', grant), text, birth, string.format('%.0f', changes)}
  end
end
return answers
`);
