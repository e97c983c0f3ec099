import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rootSection } from '../../../src/config/load.js';
import { PROTECTIONS } from '../../../src/config/protection/table.js';
import { openIn, weakeningsIn } from '../../../src/config/protection/weakenings.js';
import { printDiagnostic } from '../../../src/core/diagnostic.js';
import { AT_ONCE } from '../../../src/core/time-slices.js';
import { useConfigFolder } from '../../kit/configuration.js';
import { CASES } from './cases.js';

/**
 * Each protection: absent, misspelt, empty, withdrawn by a changed file, its source out of reach.
 */

const { load, problems } = await useConfigFolder(t);

const weaker = async (before: string, after: string): Promise<readonly string[]> =>
  AT_ONCE.finish(weakeningsIn((await load(before)).config, rootSection(await load(after)))).map(
    printDiagnostic,
  );

for (const [
  name,
  { there, withdrawn, taken, misspelt, empty, absent, unreachable },
] of Object.entries(CASES)) {
  t.test(`${name}: what a changed file takes away`, async (t) => {
    t.same(await weaker(there, there), [], 'the same configuration');
    for (const [yaml, what] of withdrawn) {
      const found = await weaker(there, yaml);
      t.ok(
        found.some((each) => what.test(each)),
        `${yaml} ${String(what)}: ${found.join('\n')}`,
      );
      // The other way round it is stronger, in this respect at least.
      t.notOk(
        (await weaker(yaml, there)).some((each) => what.test(each)),
        `back: ${String(what)}`,
      );
    }
    for (const yaml of taken) t.same(await weaker(there, yaml), [], yaml);
  });

  t.test(`${name}: misspelt, empty, absent`, async (t) => {
    t.same(await problems(there), [], 'the configuration of the case');
    for (const [yaml, what] of misspelt) t.match((await problems(yaml)).join('\n'), what, yaml);
    for (const [yaml, what] of empty)
      t.match((await problems(yaml)).join('\n'), what ?? /^$/, yaml);
    for (const [yaml, what] of absent ?? [])
      t.match(openIn((await load(yaml)).config).join('\n'), what, yaml);
    if (unreachable !== null) t.ok(existsSync(join('test', unreachable)), unreachable);
  });
}

t.test('every protection has a source, or says that it has none', async (t) => {
  for (const [name, { unreachable }] of Object.entries(PROTECTIONS))
    t.equal(unreachable === null, CASES[name as keyof typeof CASES].unreachable === null, name);
});

t.test('of many protections that are taken away the first are named', async (t) => {
  const fields = Array.from({ length: 30 }, (_, at) => `F${at}: { scopes: [a] }`).join(', ');
  const service = (more: string): string =>
    `services: { a: { url: "http://a/", schema: { types: { C: { ${more} } } } } }`;
  const found = await weaker(service(`fields: { ${fields} }`), service(''));
  t.equal(found.length, 21);
  t.equal(found.at(-1), 'There are 10 more.');
  t.match(
    found[0],
    /soapstone\.yaml:1:\d+: `services\.a\.schema\.types\.C\.fields\.F0\.scopes` is gone\.$/,
  );
});

t.test(
  'callers that lose the way in which they were known get no more rights than they had',
  async (t) => {
    const known = (ways: string, classes = 'narrow: { allow: [a.Get] }, wide: {}'): string =>
      `services: { a: { url: "https://a/", security: { verify: { usernameToken: { url: \
"https://u/" } } } } }
clients: { ${ways}, classes: { ${classes} } }\n`;
    const address = 'address: { class: wide }';
    const messages = `wsSecurity: { class: narrow }, ${address}`;
    t.match(
      (await weaker(known(messages), known(address))).join(),
      /address\.class` is class `wide` instead of `narrow`/,
    );
    const listed =
      'trustedProxies: [10.0.0.1], certificate: { clients: { bank: { class: wide, subject: ' +
      `"CN=a" } } }, ${address}`;
    t.match(
      (await weaker(known(listed), known(address))).join(),
      /address\.class` lets callers in that were refused/,
    );
    t.same(
      await weaker(
        known(
          `apiKeys: { clients: { erp: { class: narrow, keys: [0123456789abcdef] } } }, ${address}`,
        ),
        known(address),
      ),
      [],
    );

    const jwt = (more: string): string =>
      `jwt: { issuer: i, audience: a, jwksUrl: "https://i/", algorithms: [RS256], ${more} }`;
    const tier = jwt('classClaim: tier, class: wide');
    const widened =
      /clients\.jwt\.class` is that of tokens which named `narrow`: it may call everything/;
    t.match((await weaker(known(tier), known(jwt('class: wide')))).join(), widened);
    t.match(
      (await weaker(known(tier), known(jwt('classClaim: teir, class: wide')))).join(),
      widened,
    );
    t.match((await weaker(known(tier), known(tier, 'wide: {}'))).join(), widened);
    t.same(await weaker(known(tier), known(jwt('classClaim: tier'))), []);
    t.same(
      await weaker(known(jwt('class: narrow')), known(jwt('classClaim: tier, class: narrow'))),
      [],
    );
    const asked = (more: string): string =>
      `introspection: { url: "https://i/", clientId: c, clientSecret: s, class: wide${more} }`;
    t.match(
      (await weaker(known(asked(', classClaim: tier')), known(asked('')))).join(),
      /clients\.introspection\.class` is that of tokens which named `narrow`/,
    );
  },
);

t.test('callers with several credentials stay the clients that they were', async (t) => {
  const ordered = (order: string): string =>
    `services: { a: { url: "https://a/" } }
clients: { order: ${order}, apiKeys: { clients: { erp: { class: c, keys: [0123456789abcdef] } } }, \
jwt: { issuer: i, audience: a, jwksUrl: "https://i/", class: c }, classes: { c: {} } }\n`;
  const weakened = async (before: string, after: string): Promise<readonly string[]> =>
    (await weaker(ordered(before), ordered(after))).filter((line) => line.includes('order'));
  t.match(await weakened('[apiKey, basic, jwt]', '[jwt, apiKey, basic]'), [
    /clients\.order` now has `jwt` before `apiKey`/,
  ]);
  t.same(await weakened('[apiKey, jwt]', '[apiKey, basic, jwt]'), []);
  t.same(await weakened('[basic, apiKey, jwt]', '[apiKey, basic, jwt]'), []);
});

t.test('prices and validation do not go away with a changed file', async (t) => {
  const known = (more: string, rest = ''): string =>
    `${rest}services: { a: { url: "https://a/", wsdl: a.wsdl${more} } }`;
  const pay = (more: string): string => `, operations: { Pay: { field: Mutation.pay${more} } }`;
  for (const [before, after, what] of [
    [known(pay(', weight: 50')), known(pay('')), /Pay\.weight` is gone/],
    [known(pay(', cost: 50')), known(pay(', cost: 0')), /Pay\.cost` is switched off/],
    [known(', callCost: 50'), known(''), /callCost` is gone/],
    [known(''), known(', earlyEnd: true'), /earlyEnd` goes from `false` to `true`/],
    [known(''), known('', 'understands: ["{urn:x}S"]\n'), /`understands` now has `\{urn:x\}S`/],
  ] as const) {
    t.match((await weaker(before, after)).join(), what);
    t.same(await weaker(after, before), []);
  }
  t.same(await weaker(known(pay(', cost: 50')), known(pay(', cost: 5'))), [], 'another number');
});

t.test('callers do not get to choose header fields that the gateway sent', async (t) => {
  const known = (more: string): string => `services: { a: { url: "https://a/"${more} } }`;
  for (const [before, after, what] of [
    [', headers: { x-tenant: a }', '', /headers` lacks `x-tenant`/],
    ['', ', forwardHeaders: [x-user]', /forwardHeaders` now has `x-user`/],
    ['', ', cookies: forward', /cookies` goes from `none` to `forward`/],
    [
      ', security: { make: { timestamp: true, replace: true } }',
      ', security: { make: { timestamp: true } }',
      /make\.replace` goes from `true` to `false`/,
    ],
    [
      ', security: { make: { timestamp: true, replace: true } }',
      '',
      /make\.replace` goes from `true` to `false`/,
    ],
  ] as const) {
    t.match((await weaker(known(before), known(after))).join(), what);
    t.same(await weaker(known(after), known(before)), []);
  }
});

t.test('what the gateway writes in place of an argument is not left to callers', async (t) => {
  const known = (operations: string, more = ''): string =>
    `services: { a: { url: "https://a/", wsdl: a.wsdl, callerHeaders: [x-t], operations: \
{ ${operations} }${more} } }
clients: { introspection: { url: "https://i/", clientId: c, clientSecret: s, class: \
all }, classes: { all: {} } }\n`;
  const find = (more: string): string => `Find: { field: Query.find${more} }`;
  const get = (more: string): string => known(`Get: { field: Query.get${more} }, ${find('')}`);
  const whole = get(', arguments: { tenant: { claim: tenant } }');
  const left = /operations\.Get\.arguments\.tenant` is left to callers/;
  t.match((await weaker(whole, get(''))).join(), left);
  t.match((await weaker(whole, get(', arguments: { tenant: { name: t } }'))).join(), left);
  t.match((await weaker(whole, get(', arguments: { tenant: { header: x-t } }'))).join(), left);
  t.match((await weaker(whole, known(''))).join(), left);
  t.same(await weaker(whole, get(', arguments: { tenant: { value: one } }')), []);
  t.same(
    await weaker(whole, known(`Get: false, ${find('')}`)),
    [],
    'SOAP callers choose it all the same',
  );
  t.same(await weaker(whole, known(find(''))), []);
  t.same(await weaker(get(''), whole), []);
  const block = ', soapHeaders: { "{urn:x}Tenant": { claim: tenant } }';
  t.match(
    (await weaker(known(find(''), block), known(find('')))).join(),
    /Tenant` is left to callers/,
  );
  const own = ', headers: { "{urn:x}Tenant": { value: one } }';
  t.match(
    (await weaker(known(find(own)), known(find('')))).join(),
    /Find\.headers\..*Tenant` is left to callers/,
  );
  t.same(await weaker(known(find(own)), known(find(', headers: { "{urn:x}Tenant": false }'))), []);
});

t.test('a limit against attacks that is gone counts where its default is weaker', async (t) => {
  const known = (limits: string): string =>
    `services: { a: { url: "https://a/" } }\nlimits: { http: { ${limits} idleMillis: 5000 } }\n`;
  for (const [strict, loose] of [
    ['refusalsPerSecond: 5,', 'refusalsPerSecond: 500,'],
    ['handshakesPerSecond: 5,', 'handshakesPerSecond: 500,'],
    ['refusalHoldMillis: 20000,', 'refusalHoldMillis: 100,'],
  ] as const) {
    t.match(
      (await weaker(known(strict), known(''))).join(),
      /is gone, and its default is weaker/,
      strict,
    );
    t.same(await weaker(known(loose), known('')), [], loose);
    t.same(await weaker(known(strict), known(loose)), [], 'a number that is written is a decision');
  }
});

t.test('the first network that has an address counts, before a change and after it', async (t) => {
  const office = 'office: { class: narrow, addresses: [10.2.0.0/16] }';
  const all = 'all: { class: wide, addresses: [10.0.0.0/8] }';
  const known = (networks: string): string =>
    service(
      `clients: { networks: { ${networks} }, classes: { narrow: { allow: [a.Get] }, wide: {} } }`,
    );
  const service = (more: string): string => `services: { a: { url: "https://a/" } }\n${more}\n`;
  const widened = /networks\.all\.class` is class `wide` instead of `narrow`/;
  t.match((await weaker(known(`${office}, ${all}`), known(all))).join(), widened);
  t.match((await weaker(known(`${office}, ${all}`), known(`${all}, ${office}`))).join(), widened);
  t.same(await weaker(known(`${all}, ${office}`), known(`${office}, ${all}`)), []);
  t.same(await weaker(known(`${all}, ${office}`), known(`${all}, ${office}`)), []);
  t.same(await weaker(known(`${all}, ${office}`), known(all)), []);
});

t.test(
  'no beginning of a file, as of one that is being written, opens what the whole file closes',
  async (t) => {
    const whole = `services:
  a:
    url: https://a/
    understands: ["{u}a"]
    security: { nonces: true }
    schema:
      types:
        C:
          fields:
            iban:
              mask:
                one: hash
                default: last4
    operations:
      Get:
        scopes: [x]
    validate:
      requests: enforce
    wsdl: a.wsdl
graphql:
  introspection: false
limits:
  graphql:
    depth: 5
clients:
  authorize:
    url: http://127.0.0.1:9/
  classes:
    one:
      deny:
        - a.Drop
        - a.Get
    two: {}
  apiKeys:
    clients:
      erp:
        keys: [0123456789abcdef]
        class: one
`;
    const { config } = await load(whole);
    let [refused, taken] = [0, 0];
    for (let end = 0; end < whole.length - 1; end++) {
      const text = whole.slice(0, end);
      if ((await problems(text)).length > 0) continue;
      const beginning = await load(text);
      const weaker = AT_ONCE.finish(weakeningsIn(config, rootSection(beginning)));
      if (weaker.length > 0) refused++;
      else {
        taken++;
        t.same(beginning.config, config, `${end} characters: nothing of it is missing`);
      }
    }
    t.ok(refused >= 15, `${refused} are valid and refused`);
    t.ok(taken <= 1, `${taken} are the same`);
  },
);

t.test('prices, selectable blocks and trusted names are compared one by one', async (t) => {
  const operation = (more: string): string =>
    `services: { a: { url: "https://a/", wsdl: a.wsdl, operations: { Get: { field: \
Query.get${more} \
} } } }\n`;
  const costs = (more: string): string =>
    `services: { g: { kind: graphql, url: "https://g/", costs: { Query.a: {${more}} } } }\n`;
  const service = (more: string): string => `services: { a: { url: "https://a/"${more} } }\n`;
  const issuers = (names: string): string =>
    service(`, security: { verify: { saml: { audience: "urn:a", issuers: { ${names} } } } }`);
  const cert = '{ cert: "-----BEGIN " }';
  const made = (subject: string): string =>
    service(
      `, security: { make: { replace: true, saml: { issuer: i, ${subject}, cert: "-----BEGIN ", \
key: "-----BEGIN " } } }`,
    );
  t.match(
    openIn((await load(made('subject: ann'))).config).join('\n'),
    /SOAP callers of `a` prove nothing, and an assertion/,
  );
  const listSize = (more: string): string => operation(`, listSize: { ${more} }`);
  for (const [before, after, what] of [
    [
      operation(', argumentCosts: { a: 2, b: 1 }'),
      operation(', argumentCosts: { a: 3 }'),
      /Get\.argumentCosts` has no price of `b` any more/,
    ],
    [
      operation('').replace('Query', 'Mutation'),
      operation(', read: {}').replace('Query', 'Mutation'),
      /Get\.read` is there: its calls are shared/,
    ],
    [operation(', replySize: 5'), operation(''), /Get\.replySize` is gone/],
    [operation(', replyKib: 5'), operation(', replyKib: 0'), /Get\.replyKib` is switched off/],
    [listSize('assumedSize: 5'), operation(''), /Get\.listSize` is gone/],
    [listSize('assumedSize: 5'), listSize('assumedSize: 0'), /listSize` is a lower price/],
    [
      listSize('slicingArguments: [first]'),
      listSize('assumedSize: 5'),
      /listSize` has no `slicingArguments` any more/,
    ],
    [
      listSize('slicingArguments: [first]'),
      listSize('slicingArguments: [first], requireOneSlicingArgument: false'),
      /listSize` is a lower price/,
    ],
    [costs(' cost: 5 '), costs(' cost: 0 '), /cost` is switched off/],
    [
      costs(' argumentCosts: { a: 1 } '),
      costs(' cost: 5 '),
      /argumentCosts` has no price of `a` any more/,
    ],
    [costs(' listSize: { assumedSize: 5 } '), costs(' cost: 5 '), /listSize` is gone/],
    [
      service(', wsdl: a.wsdl, replyHeaders: ["{urn:a}B"]'),
      service(', wsdl: a.wsdl, replyHeaders: ["{urn:a}B", "{urn:a}C"]'),
      /replyHeaders` now has `{urn:a}C`/,
    ],
    [
      operation(', replyHeaders: ["{urn:a}B"]'),
      operation(', replyHeaders: true'),
      /replyHeaders` now is `true`/,
    ],
    [
      made('claim: sub'),
      made('subject: ann'),
      /make\.saml` is written into messages of SOAP callers that prove nothing/,
    ],
    [
      issuers(`"urn:i": ${cert}`),
      issuers(`"urn:i": ${cert}, "urn:j": ${cert}`),
      /issuers` now has `urn:j`/,
    ],
  ] as const) {
    const found = await weaker(before, after);
    t.ok(
      found.some((each) => what.test(each)),
      `${after} ${String(what)}: ${found.join('\n')}`,
    );
    t.notOk(
      (await weaker(after, before)).some((each) => what.test(each)),
      `back: ${String(what)}`,
    );
  }
});
