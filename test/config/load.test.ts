import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { HTTP_LIMITS } from '../../src/config/listen/http-limits.js';
import { loadConfig } from '../../src/config/load.js';
import { defaultsOf } from '../../src/core/limit.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { useConfigFolder } from '../kit/configuration.js';

const { folder: directory, load, problems } = await useConfigFolder(t);

const SERVICES = `
services:
  orders: { wsdl: orders.wsdl, url: "http://127.0.0.1:8081/orders" }
`;

t.test('a small file gets every default', async (t) => {
  const { config } = await load(SERVICES);
  t.equal(config.listen, '127.0.0.1:4000');
  t.equal(config.admin, '127.0.0.1:4001');
  t.equal(config.workers, 1);
  t.match(config.graphql, {
    path: '/graphql',
    introspection: true,
    graphiql: true,
    batch: 0,
    trusted: undefined,
  });
  t.same(config.graphql.persisted, { automatic: false });
  t.match(config.log, { level: 'info', format: 'json' });
  t.same(config.routes, []);
  t.same(config.limits.xml, defaultsOf(XML_LIMITS));
  t.same(config.limits.http, defaultsOf(HTTP_LIMITS));
  const orders = config.services['orders'];
  t.match(orders, {
    path: '/soap/orders',
    versions: undefined,
    mode: 'enforce',
    naming: 'camel',
    operations: {},
  });
  t.same(orders?.limits.xml, config.limits.xml);
  t.same(orders?.limits.upstream, config.limits.upstream);
  t.equal(config.demo, undefined);
});

t.test(
  'a service without a description of its messages is a perimeter for SOAP callers',
  async (t) => {
    const { config } = await load('services: { a: { url: http://a } }');
    t.match(config.services['a'], { path: '/soap/a', operations: {} });
  },
);

t.test('limits of a service stand before those of the gateway', async (t) => {
  const { config } = await load(`
limits: { xml: { depth: 50, children: 7 } }
services:
  a: { wsdl: a.wsdl, url: http://a, limits: { xml: { depth: 60 }, upstream: { totalMillis: 2s } } }
`);
  t.equal(config.services['a']?.limits.xml.depth, 60);
  t.equal(config.services['a']?.limits.xml.children, 7);
  t.equal(config.services['a']?.limits.upstream.totalMillis, 2000);
  t.equal(config.limits.upstream.totalMillis, 60_000);
  t.equal(config.limits.xml.depth, 50);
});

t.test('the configuration is frozen to the bottom', async (t) => {
  const { config } = await load(SERVICES);
  const seen: unknown[] = [config];
  for (const value of seen) {
    if (typeof value !== 'object' || value === null) continue;
    t.ok(Object.isFrozen(value));
    seen.push(...Object.values(value));
  }
});

t.test('sizes and durations in the forms people write', async (t) => {
  const { config } = await load(`
limits:
  xml: { messageBytes: 1.5MiB, attributeValueBytes: 32 KiB, textBytes: 2048B }
  http: { headerMillis: 500ms, totalMillis: 2m, drainMillis: 0, headerBytes: "2048" }
  upstream: { totalMillis: 1h }
${SERVICES}`);
  t.equal(config.limits.xml.messageBytes, 1.5 * 1024 * 1024);
  t.equal(config.limits.xml.attributeValueBytes, 32 * 1024);
  t.equal(config.limits.xml.textBytes, 2048);
  t.equal(config.limits.http.headerMillis, 500);
  t.equal(config.limits.http.totalMillis, 120_000);
  t.equal(config.limits.http.drainMillis, 0);
  t.equal(config.limits.http.headerBytes, 2048);
  t.equal(config.limits.upstream.totalMillis, 3_600_000);
});

t.test('versions without quotes are numbers in YAML and still mean the dialects', async (t) => {
  const { config } = await load(
    'services: { a: { wsdl: a, url: http://a, versions: [1.2, 1.1, 2001-12] } }',
  );
  t.same(config.services['a']?.versions, ['1.2', '1.1', '2001-12']);
});

t.test(
  'the connection parameters of a WebSocket to a GraphQL service may come from the environment',
  async (t) => {
    const { config } = await load(
      `services:
  crm:
    kind: graphql
    url: http://crm
    subscriptions: { url: "ws://crm", connectionParams: { token: "\${CRM_TOKEN}", \
"x-api key": plain } }
`,
      { CRM_TOKEN: 'secret' },
    );
    t.match(config.graphqlServices['crm']?.subscriptions, {
      connectionParams: { token: 'secret', 'x-api key': 'plain' },
    });
  },
);

t.test('addresses of every permitted form', async (t) => {
  for (const listen of [
    '0.0.0.0:80',
    'localhost:4000',
    '"[::1]:4000"',
    'my-host.example:0',
    '"[fe80::1]:65535"',
  ]) {
    t.same(await problems(`listen: ${listen}${SERVICES}`), [], listen);
  }
  for (const listen of [
    '":4000"',
    'host',
    'host:65536',
    '"::1:4000"',
    'http://x:80',
    '"a b:1"',
    '"x:"',
    '"[x]:1"',
  ]) {
    const found = await problems(`listen: ${listen}${SERVICES}`);
    t.equal(found.length, 1, listen);
    t.match(found[0], /^1:9: `listen` is not valid\. Write host:port, /);
  }
});

t.test('all problems come at once, each with its place and what to do', async (t) => {
  const found = await problems(
    `lisen: 127.0.0.1:4000
admin: nowhere
services:
  orders:
    url: \${SOAPSTONE_NOT_SET}
    urls: [ftp://x]
    versions: [1.1, 1.3, 1.1]
    mode: enforced
    operations:
      A: { feild: Query.x }
      B: 3
    limits: { xml: { depth: 99999, messageBytes: 10Mib } }
  "9x": { wsdl: x, url: http://x }
limits:
  http: { headerBytes: 1 }
routes: [{ path: docs }]
log:
__proto__: { a: 1 }
`,
  );
  t.same(found, [
    '1:1: Unknown key `lisen`. Did you mean `listen`?',
    '2:8: `admin` is not valid. Write host:port, such as 127.0.0.1:4000 or [::1]:4000, ' +
      'unix:/run/soapstone.sock, or systemd:name; port 0 is any free one.',
    '5:10: The environment variable SOAPSTONE_NOT_SET is not set. Set it before the start.',
    '6:5: `services.orders` has both `url` and `urls`. Keep one of them.',
    '6:12: `services.orders.urls[0]` is not valid. Write an http or https URL without ' +
      'credentials and fragment, such as http://10.0.0.7:8080/orders.',
    '7:15: `services.orders.versions` holds the same value twice.',
    '7:21: `services.orders.versions[1]` must be one of `2001-12`, `1.1`, ' +
      '`1.2`. Did you mean `1.1`?',
    '8:11: `services.orders.mode` must be one of `enforce`, `monitor`. Did you mean `enforce`?',
    '9:5: `services.orders` maps operations but has neither `wsdl` nor `types`. ' +
      'Name the WSDL, or define the types in SDL in `types`.',
    '10:12: Unknown key `feild` in `services.orders.operations.A`. Did you mean `field`?',
    '11:10: `services.orders.operations.B` must be true, false or a map of keys. ' +
      'Write it as in `B: { field: Query.order }`.',
    '12:29: `services.orders.limits.xml.depth` must be between 4 and 1,000 levels.',
    '12:50: `services.orders.limits.xml.messageBytes` must be a whole number of bytes. ' +
      'Write a number of bytes, or one with B, KiB, MiB or GiB.',
    '13:3: `9x` cannot be a name in `services`. Begin it with a letter; then letters, digits, ' +
      '`-` and `_`, 64 characters at most.',
    '15:24: `limits.http.headerBytes` must be between 1KiB and 256KiB.',
    '16:10: `routes[0].url` is missing. Where to, http or https.',
    '16:18: `routes[0].path` is not valid. Begin it with `/`; no query, fragment or blank.',
    '17:5: `log` has no value. Give one, or remove the key.',
    '18:1: Unknown key `__proto__`. Known here: `include`, `listen`, `admin`, `adminHosts`, ' +
      '`hosts`, `publicUrl`, `workers`, `drainDelayMillis`, `roles`, `understands`, ' +
      '`services`, `clients`, `redis`, `links`, `subscriptions`, `headerCase`, `routes`, ' +
      '`graphql`, `mcp`, `limits`, `reload`, `compiled`, `faults`, `traces`, `console`, ' +
      '`audit`, `log`, ' +
      '`metrics`, `home`, `demo`.',
  ]);
  t.equal(Object.getOwnPropertyNames(Object.prototype).includes('a'), false);
});

/**
 * One mistake each: what stands after the services of a good file, and the whole of what is said
 * about it.
 */
const SINGLE_MISTAKES: readonly (readonly [yaml: string, expected: string])[] = [
  [
    '{}',
    '1:1: `services` must not be empty. Name a backend by its address, or a file with ' +
      'backends in `include`.',
  ],
  [
    'services: {}',
    '1:11: `services` must not be empty. Name a backend by its address, or a file with ' +
      'backends in `include`.',
  ],
  ['- a', '1:1: The configuration must be a map of keys.'],
  ['just text', '1:1: The configuration must be a map of keys.'],
  [
    `${SERVICES}workers: some`,
    '4:10: `workers` is not valid. Write a number from 1 to 256, or auto.',
  ],
  [`${SERVICES}workers: 0`, '4:10: `workers` must be between 1 and 256.'],
  [
    `${SERVICES}publicUrl: https://user:pass@x/`,
    '4:12: `publicUrl` is not valid. Write an http or https URL without credentials and ' +
      'fragment, such as http://10.0.0.7:8080/orders.',
  ],
  [
    `${SERVICES}admin: 127.0.0.1:4000`,
    '4:8: `admin` is the same address as `listen`. Give each its own address.',
  ],
  [
    `${SERVICES}demo: { listen: 127.0.0.1:4001 }`,
    '4:17: `demo.listen` is the same address as `admin`. Give each its own address.',
  ],
  [
    `${SERVICES}graphql: { path: /soap/orders }`,
    '3:3: `services.orders.path` is the same path as `graphql.path`. Give each its own path.',
  ],
  [
    `${SERVICES}routes: [{ path: /docs/, url: http://x }, { path: /docs/, url: http://y }]`,
    '4:51: `routes[1].path` is the same path as `routes[0].path`. Give each its own path.',
  ],
  [
    `${SERVICES}subscriptions: { note: { callback: { operation: orders.Note, fields: { id: \
request.id } } } }
routes: [{ path: /callback/orders, url: http://x }]`,
    '4:49: `subscriptions.note.callback.operation` is the same path as `routes[0].path`. ' +
      'Give each its own path.',
  ],
  [
    `${SERVICES}graphql: { introspection: maybe }`,
    '4:27: `graphql.introspection` must be true or false. Write it without quotes; ' +
      '`yes` and `no` are texts.',
  ],
  [
    `${SERVICES}graphql: [1]`,
    '4:10: `graphql` must be a map of keys. Write it as in `graphql: { path: /graphql }`.',
  ],
  [
    `${SERVICES}listen: 4000`,
    '4:9: `listen` must be text, a map of keys or a list. Write host:port, such as ' +
      '127.0.0.1:4000 or [::1]:4000, unix:/run/soapstone.sock, or systemd:name; ' +
      'port 0 is any free one.',
  ],
  [
    `${SERVICES}tenants: {}`,
    '4:1: Unknown key `tenants`. Known here: `include`, `listen`, `admin`, `adminHosts`, ' +
      '`hosts`, `publicUrl`, `workers`, `drainDelayMillis`, `roles`, `understands`, ' +
      '`services`, `clients`, `redis`, `links`, `subscriptions`, `headerCase`, `routes`, ' +
      '`graphql`, `mcp`, `limits`, `reload`, `compiled`, `faults`, `traces`, `console`, ' +
      '`audit`, `log`, ' +
      '`metrics`, `home`, `demo`.',
  ],
  [
    'services: { a: { wsdl: w } }',
    '1:13: `services.a` has no backend. Give its address as `url`, or several as `urls`.',
  ],
  [
    'services: { a: { wsdl: w, types: x, url: http://a } }',
    '1:27: `services.a` has both `wsdl` and `types`. Keep one of them.',
  ],
  [
    'services: { a: { types: x, url: http://a, port: P } }',
    '1:43: `services.a` has `port` but no `wsdl`. Remove it.',
  ],
  [
    'services: { a: { types: x, url: http://a, operations: { Do: true } } }',
    '1:57: The operation `Do` of `services.a` needs its field, as there is no WSDL. ' +
      'Write { field: Query.name } or { field: Mutation.name }.',
  ],
  [
    'services: { a: { wsdl: w, url: http://a, operations: { Do: { field: order } } } }',
    '1:69: `services.a.operations.Do.field` is not valid. Write Query or Mutation, a dot and ' +
      'a GraphQL name: Query.order.',
  ],
  [
    'services: { a: { wsdl: w, url: http://a, versions: [] } }',
    '1:52: `services.a.versions` must not be empty.',
  ],
  ['services: { a: { wsdl: "", url: http://a } }', '1:24: `services.a.wsdl` must not be empty.'],
  [
    'services: { a: { url: http://a } }\nclients: { maskKey: short, classes: { a: ' +
      '{} }, address: { class: a } }',
    '2:21: `clients.maskKey` must have at least 16 characters.',
  ],
  [
    'services: { a: { url: http://a } }\n---\nlisten: 127.0.0.1:1\n',
    '2:1: The file has several YAML documents. Divide it with `include`, and remove `---`.',
  ],
  [
    'services: { a: { wsdl: w, url: http://a, understands: [Security] } }',
    '1:56: `services.a.understands[0]` is not valid. Write {namespace}name.',
  ],
  [
    'services: { a: { wsdl: w, url: http://a, limits: { upstream: { totalMilis: 1 } } } }',
    '1:64: Unknown key `totalMilis` in `services.a.limits.upstream`. Did you mean `totalMillis`?',
  ],
  [
    'services: { a: { wsdl: w, wsdl: v, url: http://a } }',
    '1:27: The key `services.a.wsdl` stands twice, first in line 1. Keep one, or rename one.',
  ],
  [
    'services: [',
    '1:11: A brace or bracket that opens here is not closed. Close it with `}` or `]`.',
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
    'services: { a: { url: ${X}, wsdl: w } }',
    '1:23: A variable within braces or brackets ends the text there. Put the value in quotes.',
  ],
  ['services: !secret x', '1:11: Unresolved tag: !secret.'],
];

for (const [yaml, expected] of SINGLE_MISTAKES) {
  t.test(`refuses ${JSON.stringify(yaml.replace(SERVICES, ''))}`, async (t) => {
    const found = await problems(yaml);
    t.equal(found[0], expected);
    t.equal(found.length, 1, found.join('\n'));
  });
}

t.test('a file that cannot be read is named', async (t) => {
  const file = join(directory, 'absent.yaml');
  await t.rejects(loadConfig(file, {}), {
    name: 'ConfigurationError',
    message:
      `${file}: The configuration does not exist. Name a file with -c FILE; ` +
      '`soapstone init FILE` writes one.',
  });
});

t.test('values from the environment take the type of their key', async (t) => {
  const { config } = await load(
    `
listen: \${HOST}:\${PORT}
graphql: { introspection: "\${INTROSPECTION}" }
limits:
  xml:
    depth: \${DEPTH}
    messageBytes: \${SIZE}
services:
  a: { wsdl: w, url: "http://x/$\${literal}", versions: ["\${VERSION}"], \
operations: { Do: "\${DO}" } }
`,
    {
      HOST: '10.0.0.1',
      PORT: '81',
      INTROSPECTION: 'false',
      DEPTH: '64',
      SIZE: '1MiB',
      VERSION: '1.2',
      DO: 'false',
    },
  );
  t.equal(config.listen, '10.0.0.1:81');
  t.equal(config.graphql.introspection, false);
  t.equal(config.limits.xml.depth, 64);
  t.equal(config.limits.xml.messageBytes, 1024 * 1024);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the escaped form
  t.equal(config.services['a']?.urls[0], 'http://x/${literal}');
  t.same(config.services['a']?.versions, ['1.2']);
  t.equal(config.services['a']?.operations['Do'], false);
});

t.test('values from files, without their last line break', async (t) => {
  await writeFile(join(directory, 'schema.graphql'), 'type Query { a: Int }\n');
  await writeFile(join(directory, 'depth'), '33\n');
  const { config } = await load(
    `
limits: { xml: { depth: { file: depth } } }
services:
  a: { url: http://x, types: { file: schema.graphql } }
  b: { url: http://x, types: { file: "\${CREDENTIALS}/schema.graphql" } }
`,
    { CREDENTIALS: directory },
  );
  t.equal(config.services['a']?.types, 'type Query { a: Int }');
  t.equal(
    config.services['b']?.types,
    'type Query { a: Int }',
    'the name of a file may have variables',
  );
  t.equal(config.limits.xml.depth, 33);
  await writeFile(join(directory, 'latin1'), Buffer.from('tränk', 'latin1'));
  t.match(await problems('services: { a: { url: http://x, types: { file: latin1 } } }'), [
    /^1:40: The file latin1 is not UTF-8 text\. Save it as UTF-8/,
  ]);
  t.same(await problems(`services: { a: { url: http://x, types: { file: "\${NONE}/a" } } }`), [
    '1:40: The environment variable NONE is not set. Set it before the start.',
  ]);
});

t.test('what is missing outside is named, and only that', async (t) => {
  t.same(
    await problems(`
listen: \${A_HOST}:\${A_PORT}
services:
  a: { wsdl: { file: nowhere/wsdl }, url: "\${}", operations: { Do: { field: "\${FIELD}" } } }
  b: { wsdl: w, urls: ["\${URL}"] }
`),
    [
      '2:9: The environment variable A_HOST is not set. Set it before the start.',
      '2:9: The environment variable A_PORT is not set. Set it before the start.',
      '4:14: The file nowhere/wsdl cannot be read (ENOENT). Paths are relative to ' +
        'the configuration file.',
      '4:43: `${` must be followed by the name of an environment variable and a closing ' +
        'brace. Write `$${` for the text `${`.',
      '4:77: The environment variable FIELD is not set. Set it before the start.',
      '5:24: The environment variable URL is not set. Set it before the start.',
    ],
  );
});

t.test('a value from outside is never shown, whatever is wrong with it', async (t) => {
  const canary = 'enforce-canary-7d1f';
  await writeFile(join(directory, 'canary'), canary);
  const environment = { CANARY: canary };
  const places = [
    'listen: X',
    'publicUrl: X',
    'workers: X',
    'log: { level: X }',
    'graphql: { path: X, introspection: X }',
    'limits: { xml: { depth: X } }',
    'routes: [{ path: X, url: X }]',
    'services: { a: { wsdl: w, url: X, mode: X, versions: [X], understands: [X] } }',
    'services: { a: { wsdl: w, url: http://x, operations: { Do: { field: X } } } }',
  ];
  for (const place of places) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
    for (const value of ['"${CANARY}"', '{ file: canary }']) {
      const yaml =
        `${place.replaceAll('X', value)}\n` + `${place.startsWith('services') ? '' : SERVICES}`;
      const found = await problems(yaml, environment);
      t.ok(found.length > 0, `${place} is refused`);
      t.notMatch(found.join('\n'), /canary-|7d1f|Did you mean/, place);
    }
  }
});

t.test('an alias bomb is refused before it unfolds', async (t) => {
  const levels = Array.from({ length: 30 }, (_, index) =>
    index === 0 ? 'a0: &a0 [x, x]' : `a${index}: &a${index} [*a${index - 1}, *a${index - 1}]`,
  );
  const found = await problems(levels.join('\n'));
  t.match(found, [/^2:\d+: The aliases of this file expand to too much\. Write the values out\.$/]);
});

t.test('a few aliases are fine, and places are found through them', async (t) => {
  const loaded = await load(`services:
  a: &a { wsdl: w, url: http://x, path: /a }
  b: { wsdl: w, url: http://x, operations: &ops { Do: { field: Query.x } } }
  c: { wsdl: w, url: http://x, operations: *ops }
`);
  t.match(loaded.placeOf(['services', 'c', 'operations', 'Do', 'field']), { line: 3, column: 64 });
  t.match(loaded.placeOf(['services', 'a']), { line: 2, column: 3 });
});

t.test('deep nesting is a problem and not a crash', async (t) => {
  const found = await problems('['.repeat(20_000));
  t.match(found[0], /nested too deeply/);
});

t.test('a file beyond 1 MiB is refused', async (t) => {
  t.match(await problems(`#${'x'.repeat(1024 * 1024)}`), [/longer than 1 MiB/]);
});

t.test('keys that mean something to JavaScript mean nothing here', async (t) => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  for (const name of names) {
    const found = await problems(`${SERVICES}graphql: { ${name}: { path: /x } }`);
    t.match(found, [new RegExp(`^4:12: Unknown key \`${name}\` in \`graphql\``)], name);
  }
  const { config } = await load(`
services:
  a: { wsdl: w, url: http://x, operations: { __proto__: false, constructor: { field: Query.x } } }
`);
  const operations = config.services['a']?.operations ?? {};
  t.same(Object.keys(operations), ['__proto__', 'constructor']);
  t.equal(Object.getPrototypeOf(operations), null);
  t.equal(config.services['toString'], undefined);
});

t.test('no more than a hundred problems are listed', async (t) => {
  const found = await problems(
    Array.from({ length: 250 }, (_, index) => `unknown${index}: 1`).join('\n'),
  );
  t.equal(found.length, 101);
  t.match(found[100], /There are 151 more errors\./);
});

t.test('control characters of a key do not reach the terminal', async (t) => {
  t.match(await problems(`${SERVICES}"\\e[31mred\\n": 1`), [/^4:1: Unknown key `\?\[31mred\?`/]);
});

t.test('places of keys, values and defaults', async (t) => {
  const loaded = await load(`services:
  orders:
    wsdl: orders.wsdl
    urls:
      - http://a
      - http://b
    operations:
      GetOrder: { field: Query.order }
      Dump: false
`);
  t.match(loaded.placeOf(['services', 'orders', 'wsdl']), { line: 3, column: 11 });
  t.match(loaded.placeOf(['services', 'orders', 'wsdl'], 'key'), { line: 3, column: 5 });
  t.match(loaded.placeOf(['services', 'orders', 'urls', 1]), { line: 6, column: 9 });
  t.match(loaded.placeOf(['services', 'orders', 'operations', 'GetOrder']), { line: 8, column: 7 });
  t.match(loaded.placeOf(['services', 'orders', 'operations', 'GetOrder'], 'value'), {
    line: 8,
    column: 17,
  });
  t.match(loaded.placeOf(['services', 'orders', 'operations', 'Dump'], 'key'), {
    line: 9,
    column: 7,
  });
  t.match(
    loaded.placeOf(['services', 'orders', 'mode']),
    { line: 2, column: 3 },
    'a default: the part around it',
  );
  t.equal(loaded.placeOf(['graphql', 'path']), null);
  t.equal(
    loaded.locate(['services', 'orders', 'wsdl'], 'orders.wsdl').location,
    join(directory, 'orders.wsdl'),
  );
});

t.test('whatever the file holds, the answer is a configuration or a list of problems', async () => {
  const word = fc.constantFrom(
    'listen',
    'services',
    'a',
    'wsdl',
    'url',
    'limits',
    'xml',
    'depth',
    '1.1',
    '&x',
    '*x',
    '',
  );
  const piece = fc.oneof(
    word,
    fc.constantFrom(': ', '\n', '\n  ', '- ', '{', '}', '[', ']', ', ', '"', "'", '|', '#', '!'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      await problems(pieces.join(''));
    }),
    { numRuns: 300 },
  );
});

t.test('an internal limit may stand in its group, or in `limits.internal`', async (t) => {
  for (const limits of [
    '{ xml: { commentBytes: 2KiB } }',
    '{ internal: { xml: { commentBytes: 2KiB } } }',
  ]) {
    const { config, isGiven } = await load(`${SERVICES}limits: ${limits}\n`);
    t.same(config.limits.xml, { ...defaultsOf(XML_LIMITS), commentBytes: 2048 }, limits);
    t.equal(config.services['orders']?.limits.xml.commentBytes, 2048, 'that of services');
    t.ok(isGiven(['limits', 'xml', 'commentBytes']));
    t.notOk(isGiven(['limits', 'xml', 'depth']));
    t.notOk(Object.hasOwn(config.limits, 'internal'));
  }
  t.same(
    await problems(
      `${SERVICES}limits: { xml: { commentBytes: 1 }, internal: { xml: { commentBytes: 2 } } }\n`,
    ),
    [
      '4:56: `limits.internal.xml.commentBytes` is also `limits.xml.commentBytes`. ' +
        'Keep one of them.',
    ],
  );
  t.match(await problems(`${SERVICES}limits: { internal: { xml: { depth: 5 } } }\n`), [
    /^4:30: Unknown key `depth` in `limits\.internal\.xml`\./,
  ]);
  t.match(await problems(`${SERVICES}limits: { internal: { xml: { commentBytes: 1GiB } } }\n`), [
    /`limits\.internal\.xml\.commentBytes` must be between 0 and 1MiB/,
  ]);
});
