import { makeScript } from './script.js';

/**
 * The time in which budgets refill, and who is there.
 *
 * What comes back to a bucket belongs to the replicas in equal parts. A replica that says "from then on I have been in
 * touch" hands its part of that time to the common buckets; what nobody hands over is spent where it is owned. So the
 * common time stands still while Redis is away from everybody, runs at half its speed while half of the replicas are cut
 * off, and no moment is counted twice. Only the clock of Redis counts; when it jumps, the moment of the jump is lost.
 * Keys that hold something else, which is not ours, are made anew.
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
local function whole(number) return string.format('%.0f', number) end
local function isOther(answer) return type(answer) == 'table' and answer.err end
if isOther(redis.pcall('ZCARD', KEYS[1])) then redis.call('DEL', KEYS[1]) end
if isOther(redis.pcall('HGET', KEYS[2], 'e')) then redis.call('DEL', KEYS[2]) end
if isOther(redis.pcall('HGET', KEYS[3], replica)) then redis.call('DEL', KEYS[3]) end
local function leave(first, last)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], first, last, 'LIMIT', 0, 100)) do
    redis.call('ZREM', KEYS[1], gone)
    redis.call('HDEL', KEYS[3], gone)
  end
end
leave('-inf', whole(now - forget))
leave(whole(now + forget), '+inf')
redis.call('ZADD', KEYS[1], whole(now), replica)
local clock = redis.call('HMGET', KEYS[2], 'e', 'v', 'b')
local era, common, born = clock[1], tonumber(clock[2]), tonumber(clock[3])
if not era or not common or not born or not (math.abs(common) < 1e15) then
  era, common, born = time[1] .. '.' .. time[2] .. '.' .. replica, 0, now
  redis.call('HSET', KEYS[2], 'e', era, 'b', whole(born))
elseif born > now then
  born = now
  redis.call('HSET', KEYS[2], 'b', whole(born))
end
local count = redis.call('ZCARD', KEYS[1])
if least > 1 then
  count = math.max(least, redis.call('ZCOUNT', KEYS[1], whole(now - 4 * silence), '+inf'))
end
if from then
  local handed = tonumber(redis.call('HGET', KEYS[3], replica)) or 0
  if not (handed <= now) then handed = 0 end
  local start = math.max(from, handed)
  local stop = math.min(now, from + silence)
  if stop > start then
    common = common + (stop - start) / count
    redis.call('HSET', KEYS[3], replica, whole(stop))
  end
end
redis.call('HSET', KEYS[2], 'v', string.format('%.6f', common))
return {whole(now), era, string.format('%.6f', common), count, whole(born)}
`);

/**
 * Moves points between common buckets and one replica. Each request to a bucket has a number that only grows: one that
 * was heard before is answered as it was then, so that a replica may ask again when an answer got lost. A bucket that
 * holds noticeably more or less than those who have not asked must think is published; until a new one was asked as
 * often as there are replicas, their parts of it are not given, as they may owe them already. Nor are the parts of those
 * who are out of touch: what a bucket held when they fell silent, each may owe its part of. Nobody is told of them.
 *
 * KEYS: clock, replicas, then buckets (hash: a available, t common time of it, b birth, n changes, p what was published
 * last and q its common time, m replicas out of touch and h what is held for them, then the last request of each replica
 * with its answer)
 * ARGV: replica, era, whether points are given ('1'), replicas, channel, silence, then for each bucket: maximum, points per
 * second, number of the request, debt, points wanted, points given back, what the bucket should hold at most or '',
 * birth and changes as last seen, whether they are doubted ('1')
 * Answer: null in another era; else for each bucket granted, available, birth, changes; all '' where nothing was done
 */
export const EXCHANGE = makeScript(`
local clock = redis.call('HMGET', KEYS[1], 'e', 'v')
local common = tonumber(clock[2])
if clock[1] ~= ARGV[2] or not common then return false end
local field, gives, count = 'r:' .. ARGV[1], ARGV[3] == '1', tonumber(ARGV[4])
local function finite(text)
  local number = tonumber(text)
  if number and math.abs(number) < 1e15 then return number end
  return nil
end
local time = redis.call('TIME')
local since = time[1] * 1000 + math.floor(time[2] / 1000) - math.floor(tonumber(ARGV[6]) * 0.6)
local here = redis.pcall('ZCOUNT', KEYS[2], string.format('%.0f', since), '+inf')
local silent = type(here) == 'number' and math.max(0, count - math.max(1, here)) or 0
local answers = {}
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 10
  local max, rate, number = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local debt, wanted, back = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local view, seenBirth, seenChanges = tonumber(ARGV[at + 7]), ARGV[at + 8], tonumber(ARGV[at + 9])
  local found = redis.pcall('HMGET', KEYS[i], 'a', 't', 'b', 'n', 'p', 'q', 'm', 'h', field)
  if found.err then
    redis.call('DEL', KEYS[i])
    found = {}
  end
  local available, filled, birth, changes = finite(found[1]), finite(found[2]), found[3], finite(found[4])
  local published, publishedAt = finite(found[5]), finite(found[6])
  local missed, held = finite(found[7]), finite(found[8])
  local isKnown = available and filled and birth and changes
  local lastNumber, lastGrant
  if isKnown and found[9] then lastNumber, lastGrant = string.match(found[9], '^(%d+) (%d+)$') end
  if lastNumber and tonumber(lastNumber) >= number then
    local grant = tonumber(lastNumber) == number and lastGrant or '0'
    local shown = string.format('%.6f', available - math.max(0, math.min(held or 0, available)))
    answers[i - 2] = {grant, shown, birth, string.format('%.0f', changes)}
  elseif not isKnown and not view and not gives then
    answers[i - 2] = {'', '', '', ''}
  else
    if isKnown then
      available = math.min(max, available + math.max(0, common - filled) * rate / 1000)
      local isOther = ARGV[at + 10] == '1' or birth ~= seenBirth or changes < seenChanges
      if view and isOther then available = math.min(available, view) end
    else
      available = math.min(max, view or max)
      birth, changes = clock[2] .. '.' .. ARGV[1] .. '.' .. ARGV[at + 3], 0
      published, publishedAt, missed, held = nil, nil, nil, nil
    end
    if not missed or not held or missed < 0 or missed > count then missed, held = 0, 0 end
    if silent > missed then held = held + math.max(0, available - held) * (silent - missed) / (count - missed) end
    if silent < missed then held = held * silent / missed end
    missed = silent
    available = math.max(-max * count, math.min(max, available + back) - debt)
    local grant = 0
    held = math.max(0, math.min(held, available))
    local owed = math.max(0, count - 1 - silent - changes) * max / count
    if gives then grant = math.max(0, math.floor(math.min(wanted, available - held - owed))) end
    available = available - grant
    changes = changes + 1
    local shown, thought = string.format('%.6f', available - held), max
    if published and publishedAt then
      thought = math.min(max, published + math.max(0, common - publishedAt) * rate / 1000)
    end
    if math.abs(thought - available + held) > max / 20 then
      published, publishedAt = available - held, common
      local bucket = string.sub(KEYS[i], -64)
      redis.call('PUBLISH', ARGV[5], table.concat({ARGV[1], bucket, shown, string.format('%.0f', changes), birth}, ' '))
    end
    if changes % 1000 == 0 then redis.call('DEL', KEYS[i]) end
    redis.call('HSET', KEYS[i], 'a', string.format('%.6f', available), 't', clock[2], 'b', birth, 'n', string.format('%.0f', changes),
      'p', string.format('%.6f', published or max), 'q', string.format('%.6f', publishedAt or common),
      'm', string.format('%.0f', missed), 'h', string.format('%.6f', held), field, ARGV[at + 3] .. ' ' .. string.format('%.0f', grant))
    redis.call('PEXPIRE', KEYS[i], string.format('%.0f', math.ceil((max - available) / rate * 1000) * count + 60000))
    answers[i - 2] = {string.format('%.0f', grant), shown, birth, string.format('%.0f', changes)}
  end
end
return answers
`);
