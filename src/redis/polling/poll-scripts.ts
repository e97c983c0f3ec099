import { makeScript } from '../script.js';

/**
 * Takes or renews a lease.
 *
 * KEYS: lease. ARGV: token, milliseconds
 * Reply: 1 where this token has the lease, 0 where another has
 */
export const ACQUIRE_POLL = makeScript(`
local owner = redis.pcall('GET', KEYS[1])
if type(owner) == 'string' and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

/**
 * Publishes a reply if its token still has the lease: one that was overtaken must not report what
 * is old.
 *
 * KEYS: lease. ARGV: token, milliseconds, channel, message
 * Reply: 1 where it was published
 */
export const PUBLISH_POLL = makeScript(`
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
`);

/**
 * Renews leases; those of other tokens are left alone.
 *
 * KEYS: leases. ARGV: milliseconds, then the token of each
 * Reply: the number of those that were renewed
 */
export const RENEW_POLLS = makeScript(`
local count = 0
for i = 1, #KEYS do
  if redis.pcall('GET', KEYS[i]) == ARGV[i + 1] then
    count = count + redis.call('PEXPIRE', KEYS[i], ARGV[1])
  end
end
return count
`);

/**
 * Deletes a lease that this token has.
 *
 * KEYS: lease. ARGV: token
 */
export const RELEASE_POLL = makeScript(`
if redis.pcall('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);
