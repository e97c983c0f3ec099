/** Maps and groups, caches, totals by address, limits of concurrency, values made once. */

export { AddressTotals } from './address-totals.js';
export { BoundedCache } from './bounded-cache.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export { addToGroup, groupBy, makeOncePer, setAndEvictOldest } from './maps.js';
export { SharedMaking } from './shared-making.js';
