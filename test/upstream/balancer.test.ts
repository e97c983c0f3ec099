import t from 'tap';
import { type Balanced, type BalanceOptions, Balancer } from '../../src/upstream/balancer.js';

class Address implements Balanced {
  active = 0;
  isUp = true;
  readonly id: string;
  readonly rank: Balanced['rank'];

  constructor(id: string, rank = { weight: 1, group: 0 }) {
    this.id = id;
    this.rank = rank;
  }

  isReady(): boolean {
    return this.isUp;
  }
}

const balancer = (policy: BalanceOptions['policy'], addresses: readonly Address[]) =>
  new Balancer(addresses, { policy, ranks: new Map() });

/** The ids of so many choices, joined. */
const choices = (chosen: Balancer<Address>, count: number, key: string | null = null): string =>
  Array.from(
    { length: count },
    () => chosen.choose(0, key === null ? null : { key, addressId: null }, [])?.id ?? '-',
  ).join('');

t.test('addresses are called by their weights, spread evenly', async (t) => {
  for (const policy of ['roundRobin', 'leastRequests'] as const) {
    const [a, b, c] = [
      new Address('a', { weight: 3, group: 0 }),
      new Address('b'),
      new Address('c', { weight: 0, group: 0 }),
    ] as const;
    const chosen = balancer(policy, [a, b, c]);
    t.equal(choices(chosen, 8), 'aabaaaba', policy);
    a.isUp = false;
    t.equal(choices(chosen, 2), 'bb');
    b.isUp = false;
    t.equal(choices(chosen, 1), '-', 'an address of weight 0 is never called');
  }
});

t.test('the address with the fewest calls in flight for its weight is called', async (t) => {
  const [a, b] = [new Address('a', { weight: 2, group: 0 }), new Address('b')] as const;
  const chosen = balancer('leastRequests', [a, b]);
  a.active = 3;
  b.active = 1;
  t.equal(choices(chosen, 2), 'bb');
  a.active = 1;
  t.equal(choices(chosen, 2), 'aa');
  t.equal(choices(balancer('roundRobin', [a, b]), 3), 'aba', 'which makes no difference in turn');
});

t.test('a later group is called while none of the earlier ones is ready', async (t) => {
  const [a, b, c] = [
    new Address('a'),
    new Address('b', { weight: 1, group: 1 }),
    new Address('c', { weight: 1, group: 2 }),
  ];
  if (a === undefined || b === undefined || c === undefined) throw new Error('three');
  const chosen = balancer('leastRequests', [c, b, a]);
  t.equal(choices(chosen, 2), 'aa');
  a.isUp = false;
  t.equal(choices(chosen, 2), 'bb');
  t.equal(chosen.choose(0, null, [b])?.id, 'c', 'also for a call that failed there');
  a.isUp = true;
  t.equal(choices(chosen, 2), 'aa');
});

t.test(
  'by hash a key stays at its address, and only the keys of one that is gone move',
  async (t) => {
    const addresses = ['a', 'b', 'c', 'd'].map(
      (id) => new Address(id, { weight: id === 'd' ? 3 : 1, group: 0 }),
    );
    const chosen = balancer('hash', addresses);
    const keys = Array.from({ length: 6000 }, (_each, index) => `tenant-${index}`);
    const where = (): string[] => keys.map((key) => choices(chosen, 1, key));
    const before = where();
    t.same(where(), before);
    const share = (id: string): number => before.filter((each) => each === id).length / keys.length;
    for (const id of ['a', 'b', 'c'])
      t.ok(Math.abs(share(id) - 1 / 6) < 0.02, `${id}: ${share(id)}`);
    t.ok(Math.abs(share('d') - 1 / 2) < 0.02, `d, of weight 3: ${share('d')}`);
    const [first] = addresses;
    if (first === undefined) throw new Error('four');
    first.isUp = false;
    const after = where();
    t.ok(
      after.every((each, index) => (before[index] === 'a' ? each !== 'a' : each === before[index])),
    );
    first.isUp = true;
    t.same(where(), before);
    t.equal(choices(chosen, 4).length, 4, 'a call without a key goes anywhere');
  },
);

t.test('the address of the last answer is called again while it is ready', async (t) => {
  const [a, b] = [new Address('a'), new Address('b')] as const;
  const chosen = balancer('leastRequests', [a, b]);
  const ask = (addressId: string): string =>
    chosen.choose(0, { key: null, addressId }, [])?.id ?? '-';
  b.active = 5;
  t.equal(ask('b'), 'b');
  b.isUp = false;
  t.equal(ask('b'), 'a');
  t.equal(ask('other'), 'a');
});
