import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { kerberosOf, loadKerberos, Negotiate } from '../../src/upstream/credentials/negotiate.js';

/** A package `kerberos` that remembers how it was used. */
function fakeKerberos(step: () => Promise<unknown> = async () => 'dG9rZW4=') {
  const seen = { principals: [] as string[], options: [] as unknown[], open: 0, most: 0 };
  const module = {
    default: {
      GSS_MECH_OID_SPNEGO: 6,
      async initializeClient(principal: string, options: unknown) {
        seen.principals.push(principal);
        seen.options.push(options);
        return {
          async step() {
            seen.most = Math.max(seen.most, ++seen.open);
            await setImmediate();
            seen.open--;
            return step();
          },
        };
      },
    },
  };
  return { seen, kerberos: kerberosOf(module) };
}

t.test('every call has a ticket of its own, taken one at a time', async (t) => {
  const { seen, kerberos } = fakeKerberos();
  if (kerberos === null) throw new Error('not taken for kerberos');
  const negotiate = new Negotiate('HTTP/shop.corp.example', kerberos);
  const fields = await Promise.all([negotiate.fields(), negotiate.fields(), negotiate.fields()]);
  for (const each of fields) t.same(each, ['authorization', 'Negotiate dG9rZW4=']);
  t.same(
    seen.principals,
    Array.from({ length: 3 }, () => 'HTTP@shop.corp.example'),
  );
  t.same(seen.options[0], { mechOID: 6 });
  t.equal(seen.most, 1);
});

t.test(
  'a ticket that is not to be had is a refusal without details, and the next call may have one',
  async (t) => {
    let works = false;
    const { kerberos } = fakeKerberos(async () => {
      if (works) return 'dG9rZW4=';
      throw new Error('canary: cannot contact any KDC');
    });
    if (kerberos === null) throw new Error('not taken for kerberos');
    const negotiate = new Negotiate('HTTP/shop', kerberos);
    await t.rejects(negotiate.fields(), { code: 'UPSTREAM_AUTH' });
    works = true;
    t.same(await negotiate.fields(), ['authorization', 'Negotiate dG9rZW4=']);
    const { kerberos: silent } = fakeKerberos(async () => 'a b\r\n');
    if (silent === null) throw new Error('not taken for kerberos');
    await t.rejects(new Negotiate('HTTP/shop', silent).fields(), { code: 'UPSTREAM_AUTH' });
  },
);

t.test('calls beyond 256 that wait for a ticket are refused', async (t) => {
  const { kerberos } = fakeKerberos();
  if (kerberos === null) throw new Error('not taken for kerberos');
  const negotiate = new Negotiate('HTTP/shop', kerberos);
  const results = await Promise.allSettled(Array.from({ length: 257 }, () => negotiate.fields()));
  t.same(
    results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [256],
  );
});

t.test('a package without the functions is none', async (t) => {
  for (const module of [null, {}, { default: {} }, { initializeClient: 1 }])
    t.equal(kerberosOf(module), null);
  t.equal(await loadKerberos(), 'is not installed', 'it is no dependency');
});
