import { makeScript } from '../script.js';

/**
 * Records a heartbeat, and advances the shared clock in which buckets refill.
 *
 * The refill of a bucket belongs to the replicas in equal parts. A heartbeat with the time of the
 * previous one credits the replica's part of the time between them to the shared clock; a part that
 * is not credited is spent by its replica alone. So the shared clock stands still while no replica
 * reaches Redis, runs at half speed while half of the replicas are cut off, and no moment counts
 * twice. All times are those of Redis; the moment of a clock jump is lost. Keys of another type or
 * with invalid content are deleted and created anew.
 *
 * KEYS: replicas (sorted set by last heartbeat), clock (hash: epoch, shared milliseconds,
 * startedAt), credited (hash by replica: time up to which its part is credited)
 * ARGV: replica, time of its previous heartbeat or '', configured replicas, heartbeat timeout,
 * membership expiry Reply: now, epoch, shared milliseconds, replicas, start of the epoch
 */
export const HEARTBEAT = makeScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replica, from, configured = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local timeout, expiry = tonumber(ARGV[4]), tonumber(ARGV[5])
local function whole(number) return string.format('%.0f', number) end
local function isError(reply) return type(reply) == 'table' and reply.err end
if isError(redis.pcall('ZCARD', KEYS[1])) then redis.call('DEL', KEYS[1]) end
if isError(redis.pcall('HGET', KEYS[2], 'epoch')) then redis.call('DEL', KEYS[2]) end
if isError(redis.pcall('HGET', KEYS[3], replica)) then redis.call('DEL', KEYS[3]) end
local function remove(first, last)
  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], first, last, 'LIMIT', 0, 100)) do
    redis.call('ZREM', KEYS[1], expired)
    redis.call('HDEL', KEYS[3], expired)
  end
end
remove('-inf', whole(now - expiry))
remove(whole(now + expiry), '+inf')
redis.call('ZADD', KEYS[1], whole(now), replica)
local clock = redis.call('HMGET', KEYS[2], 'epoch', 'shared', 'startedAt')
local epoch, shared, startedAt = clock[1], tonumber(clock[2]), tonumber(clock[3])
if not epoch or not shared or not startedAt or not (math.abs(shared) < 1e15) then
  epoch, shared, startedAt = time[1] .. '.' .. time[2] .. '.' .. replica, 0, now
  redis.call('HSET', KEYS[2], 'epoch', epoch, 'startedAt', whole(startedAt))
elseif startedAt > now then
  startedAt = now
  redis.call('HSET', KEYS[2], 'startedAt', whole(startedAt))
end
local count = redis.call('ZCARD', KEYS[1])
if configured > 1 then
  count = math.max(configured, redis.call('ZCOUNT', KEYS[1], whole(now - 4 * timeout), '+inf'))
end
if from then
  local credited = tonumber(redis.call('HGET', KEYS[3], replica)) or 0
  if not (credited <= now) then credited = 0 end
  local start = math.max(from, credited)
  local stop = math.min(now, from + timeout)
  if stop > start then
    shared = shared + (stop - start) / count
    redis.call('HSET', KEYS[3], replica, whole(stop))
  end
end
redis.call('HSET', KEYS[2], 'shared', string.format('%.6f', shared))
return {whole(now), epoch, string.format('%.6f', shared), count, whole(startedAt)}
`);

/**
 * Moves points between shared buckets and the leases of one replica.
 *
 * The requests of a replica are numbered in ascending order; a repeated number gets the reply of
 * the first time, so that a replica can repeat a request whose reply was lost. A view is published
 * when a bucket holds 5 % of its maximum more or less than its last published view predicts. Two
 * kinds of points are not granted: the parts of other replicas in a new bucket, until it has had as
 * many requests as there are replicas, because each may have overdrawn its part; and the parts of
 * absent replicas in what the bucket held when they fell silent. Views leave the latter out.
 *
 * KEYS: clock, replicas, then buckets (hash: available, filledAt in shared time, incarnation,
 * version, published and publishedAt of the last view, absent replicas and the points reserved for
 * them, last request and its grant by replica) ARGV: replica, epoch, whether points are granted
 * ('1'), replicas, channel, heartbeat timeout, then for each bucket: maximum, points per second,
 * request number, overdraft, points requested, points returned, what the bucket should hold at most
 * or '', incarnation and version as last seen, whether that is unconfirmed ('1')
 * Reply: null in another epoch; else for each bucket: granted, available, incarnation, version;
 * four times '' when the bucket was left alone
 */
export const EXCHANGE = makeScript(`
local clock = redis.call('HMGET', KEYS[1], 'epoch', 'shared')
local shared = tonumber(clock[2])
if clock[1] ~= ARGV[2] or not shared then return false end
local field, canGrant, count = 'reply:' .. ARGV[1], ARGV[3] == '1', tonumber(ARGV[4])
local function finite(text)
  local number = tonumber(text)
  if number and math.abs(number) < 1e15 then return number end
  return nil
end
local time = redis.call('TIME')
local since = time[1] * 1000 + math.floor(time[2] / 1000) - math.floor(tonumber(ARGV[6]) * 0.6)
local present = redis.pcall('ZCOUNT', KEYS[2], string.format('%.0f', since), '+inf')
local nowAbsent = type(present) == 'number' and math.max(0, count - math.max(1, present)) or 0
local replies = {}
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 10
  local max, rate, number = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local overdraft, requested = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5])
  local returned, view = tonumber(ARGV[at + 6]), tonumber(ARGV[at + 7])
  local seenIncarnation, seenVersion = ARGV[at + 8], tonumber(ARGV[at + 9])
  local found = redis.pcall('HMGET', KEYS[i], 'available', 'filledAt', 'incarnation', 'version',
    'published', 'publishedAt', 'absent', 'reserved', field)
  if found.err then
    redis.call('DEL', KEYS[i])
    found = {}
  end
  local available, filledAt = finite(found[1]), finite(found[2])
  local incarnation, version = found[3], finite(found[4])
  local published, publishedAt = finite(found[5]), finite(found[6])
  local absent, reserved = finite(found[7]), finite(found[8])
  local isKnown = available and filledAt and incarnation and version
  local lastNumber, lastGrant
  if isKnown and found[9] then lastNumber, lastGrant = string.match(found[9], '^(%d+) (%d+)$') end
  if lastNumber and tonumber(lastNumber) >= number then
    local grant = tonumber(lastNumber) == number and lastGrant or '0'
    local shown = string.format('%.6f', available - math.max(0, math.min(reserved or 0, available)))
    replies[i - 2] = {grant, shown, incarnation, string.format('%.0f', version)}
  elseif not isKnown and not view and not canGrant then
    replies[i - 2] = {'', '', '', ''}
  else
    if isKnown then
      available = math.min(max, available + math.max(0, shared - filledAt) * rate / 1000)
      local isOther = ARGV[at + 10] == '1' or incarnation ~= seenIncarnation
        or version < seenVersion
      if view and isOther then available = math.min(available, view) end
    else
      available = math.min(max, view or max)
      incarnation, version = clock[2] .. '.' .. ARGV[1] .. '.' .. ARGV[at + 3], 0
      published, publishedAt, absent, reserved = nil, nil, nil, nil
    end
    if not absent or not reserved or absent < 0 or absent > count then absent, reserved = 0, 0 end
    if nowAbsent > absent then
      local free = math.max(0, available - reserved)
      reserved = reserved + free * (nowAbsent - absent) / (count - absent)
    end
    if nowAbsent < absent then reserved = reserved * nowAbsent / absent end
    absent = nowAbsent
    available = math.max(-max * count, math.min(max, available + returned) - overdraft)
    local grant = 0
    reserved = math.max(0, math.min(reserved, available))
    local withheld = math.max(0, count - 1 - absent - version) * max / count
    if canGrant then
      grant = math.max(0, math.floor(math.min(requested, available - reserved - withheld)))
    end
    available = available - grant
    version = version + 1
    local shown, predicted = string.format('%.6f', available - reserved), max
    if published and publishedAt then
      predicted = math.min(max, published + math.max(0, shared - publishedAt) * rate / 1000)
    end
    if math.abs(predicted - available + reserved) > max / 20 then
      published, publishedAt = available - reserved, shared
      local bucket = string.sub(KEYS[i], -64)
      local news = {ARGV[1], bucket, shown, string.format('%.0f', version), incarnation}
      redis.call('PUBLISH', ARGV[5], table.concat(news, ' '))
    end
    if version % 1000 == 0 then redis.call('DEL', KEYS[i]) end
    redis.call('HSET', KEYS[i], 'available', string.format('%.6f', available), 'filledAt', clock[2],
      'incarnation', incarnation, 'version', string.format('%.0f', version),
      'published', string.format('%.6f', published or max),
      'publishedAt', string.format('%.6f', publishedAt or shared),
      'absent', string.format('%.0f', absent), 'reserved', string.format('%.6f', reserved),
      field, ARGV[at + 3] .. ' ' .. string.format('%.0f', grant))
    local untilFull = math.ceil((max - available) / rate * 1000)
    redis.call('PEXPIRE', KEYS[i], string.format('%.0f', untilFull * count + 60000))
    local granted = string.format('%.0f', grant)
    replies[i - 2] = {granted, shown, incarnation, string.format('%.0f', version)}
  end
end
return replies
`);
