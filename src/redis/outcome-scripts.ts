import { makeScript } from './script.js';

/**
 * Claims a key. An owner that claims again takes over its own claim: an earlier attempt that timed
 * out was executed.
 *
 * KEYS: outcome, release of this owner
 * ARGV: begin of the claims of this owner, begin of the text up to the end of the lease,
 * milliseconds of the lease, and of the key at least
 * Reply: state ('new', 'released', 'known'), the text that is known, the time of Redis in
 * milliseconds
 */
export const CLAIM_OUTCOME = makeScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.pcall('GET', KEYS[1])
if redis.call('GET', KEYS[2]) then return {'released', '', string.format('%.0f', now)} end
if found and (type(found) ~= 'string' or string.sub(found, 1, #ARGV[1]) ~= ARGV[1]) then
  return {'known', type(found) == 'string' and found or '', string.format('%.0f', now)}
end
local kept = math.max(tonumber(ARGV[3]), tonumber(ARGV[4]))
local text = ARGV[2] .. string.format('%.0f', now + tonumber(ARGV[3])) .. '}'
redis.call('SET', KEYS[1], text, 'PX', string.format('%.0f', kept))
return {'new', '', string.format('%.0f', now)}
`);

/**
 * Renews the lease of a claim. That of another owner is left alone.
 *
 * KEYS: outcome. ARGV: as above
 * Reply: 1 where it was renewed
 */
export const RENEW_OUTCOME = makeScript(`
local found = redis.pcall('GET', KEYS[1])
if type(found) ~= 'string' or string.sub(found, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = math.max(tonumber(ARGV[3]), tonumber(ARGV[4]))
local text = ARGV[2] .. string.format('%.0f', now + tonumber(ARGV[3])) .. '}'
redis.call('SET', KEYS[1], text, 'PX', string.format('%.0f', kept))
return 1
`);

/**
 * Replaces the claim of an owner by the outcome of its call; also where Redis has lost the claim.
 * Repeated it does nothing.
 *
 * KEYS: outcome. ARGV: begin of the claims of this owner, outcome, milliseconds that it is kept
 * Reply: 1 where it was written
 */
export const SETTLE_OUTCOME = makeScript(`
local found = redis.pcall('GET', KEYS[1])
local isOwn = type(found) == 'string' and string.sub(found, 1, #ARGV[1]) == ARGV[1]
if found and not isOwn then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`);

/**
 * Deletes the claim of an owner, which claims no more: an attempt of it that is still on its way
 * does nothing.
 *
 * KEYS: outcome, release of this owner. ARGV: begin of the claims of this owner, milliseconds that
 * attempts may be on their way
 * Reply: 1 where it was deleted
 */
export const RELEASE_OUTCOME = makeScript(`
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
local found = redis.pcall('GET', KEYS[1])
if type(found) ~= 'string' or string.sub(found, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`);
