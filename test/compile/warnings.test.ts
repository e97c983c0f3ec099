import t, { type Test } from 'tap';

import { compileText } from '../kit/configuration.js';

/** What is told of a configuration that can be used, as `line:column: what remedy`. */
async function notesOn(
  t: Test,
  yaml: string,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { warnings } = await compileText(t, yaml, files);
  return warnings.map(({ line, column, what, remedy }) => `${line}:${column}: ${what} ${remedy}`);
}

t.test(
  'a key in the configuration file itself, and an issuer without TLS, are warned about',
  async (t) => {
    const yaml = (
      key: string,
      jwksUrl: string,
    ): string => `services: { desk: { url: "http://10.0.0.7/" } }
clients:
  apiKeys: { clients: { erp: { class: all, keys: [${key}] } } }
  jwt: { issuer: i, audience: a, class: all, jwksUrl: "${jwksUrl}" }
  classes: { all: {} }
`;
    t.same(await notesOn(t, yaml('0123456789abcdef', 'http://login.example/keys')), [
      '3:51: A key of client `erp` stands in the configuration file itself. ' +
        'Take it from the environment or from a file.',
      '4:55: The keys of the issuer are fetched without TLS: another host could answer ' +
        'in its place. Use https.',
    ]);
    const kept = yaml('{ file: key.txt }', 'https://login.example/keys');
    t.same(await notesOn(t, kept, { 'key.txt': '0123456789abcdef' }), []);
    t.same(
      await notesOn(t, yaml('{ file: key.txt }', 'http://127.0.0.1:9/keys'), {
        'key.txt': '0123456789abcdef',
      }),
      [],
    );
  },
);

t.test('bindings of tokens that hold less than they may seem to, are warned about', async (t) => {
  const notes = async (proof: string, more = ''): Promise<readonly string[]> => {
    const jwt = `{ issuer: i, audience: a, class: all, jwksUrl: "https://i/", proof: ${proof} }`;
    const clients = `clients: { jwt: ${jwt}, classes: { all: {} } }\n`;
    return notesOn(t, `services: { desk: { url: "http://10.0.0.7/" } }\n${more}${clients}`);
  };
  t.match(await notes('dpop'), [/for a server of another name.*`publicUrl` or `hosts`/]);
  t.same(await notes('dpop', 'publicUrl: https://api.example\n'), []);
  t.same(await notes('either', 'hosts: [api.example]\n'), []);
  t.match(await notes('mtls'), [/no address of `listen` asks for one.*`tls.clientCertificate`/]);
  t.same(await notes('none'), []);
});

t.test('unverified servers and missing decisions are warned about', async (t) => {
  const yaml = (verify: string): string => `services: { desk: { url: "https://b.example/" } }
redis: { sentinel: { master: m, nodes: ["127.0.0.1:9"], tls: ${verify} }, tls: ${verify} }
clients:
  introspection: { url: "https://b.example/", clientId: c, clientSecret: { file: secret }, class: \
all, tls: ${verify} }
  authorize: { url: "https://b.example/", tls: ${verify}, onError: \
${verify === '{}' ? 'deny' : 'allow'} }
  classes: { all: {} }
`;
  const remedy = 'Name the authority in `ca`, and the name in `servername`.';
  const any = 'any server with a certificate of the same authority on the way';
  t.same(await notesOn(t, yaml('{ verify: chain }'), { secret: 's' }), [
    '4:119: `clients.introspection` does not verify the certificate of its endpoint: ' +
      `${any} can accept any token. ${remedy}`,
    '5:58: `clients.authorize` does not verify the certificate of the decision point: ' +
      `${any} can allow every request. ${remedy}`,
    `2:98: \`redis\` does not verify the certificate of its servers: ${any} can read and ` +
      `change what replicas share. ${remedy}`,
    '2:72: `redis.sentinel` does not verify the certificate of the sentinels: ' +
      `${any} can name another primary. ${remedy}`,
    '5:76: Requests pass while the decision point does not answer. ' +
      'Set `onError: deny` to refuse them.',
  ]);
  t.same(await notesOn(t, yaml('{}'), { secret: 's' }), []);
});

t.test('monitor mode: messages are only counted, clients stay restricted', async (t) => {
  const yaml = (mode: string): string =>
    `services:\n  desk:\n    url: http://10.0.0.7/\n    mode: ${mode}\n`;
  t.same(await notesOn(t, yaml('monitor')), [
    '4:11: Service `desk` is in monitor mode: messages that break rules are only counted and ' +
      'logged. Credentials, rights and budgets stay enforced. Set `mode: ' +
      'enforce` to refuse such messages.',
  ]);
  t.same(await notesOn(t, yaml('enforce')), []);
});

t.test(
  'each limit against attacks that is switched off is warned about, with its line',
  async (t) => {
    const yaml = (
      value: (usual: number) => number,
    ): string => `services: { desk: { url: "http://10.0.0.7/" } }
limits:
  http:
    handshakesPerSecond: ${value(100)}
    bodyRateBytes: ${value(500)}
    refusalsPerSecond: ${value(200)}
    refusalHoldMillis: ${value(5000)}
  overload: { eventLoopMillis: ${value(100)}, hangMillis: ${value(30_000)} }
  persisted: { registrationCost: ${value(10)} }
  graphql: { aliases: 0 }
`;
    const off = (place: string, key: string, harm: string): RegExp =>
      new RegExp(
        `^${place}: \`limits\\.${key}: 0\` switches a protection off: ` +
          `${harm}.* Set it above 0, or remove`,
      );
    const told = await notesOn(
      t,
      yaml(() => 0),
    );
    t.match(told, [
      off('4:26', 'http\\.handshakesPerSecond', 'one address may begin as many TLS handshakes'),
      off('5:20', 'http\\.bodyRateBytes', 'bodies may come byte by byte'),
      off('6:24', 'http\\.refusalsPerSecond', 'refusals are never delayed'),
      off('7:24', 'http\\.refusalHoldMillis', 'refusals are never delayed'),
      off('8:32', 'overload\\.eventLoopMillis', 'no request is refused under overload'),
      off('8:47', 'overload\\.hangMillis', 'a worker that hangs is not replaced'),
      off('9:34', 'persisted\\.registrationCost', 'new persisted documents cost nothing'),
    ]);
    t.equal(told.length, 7, 'a limit of no aliases protects');
    t.same(
      await notesOn(
        t,
        yaml((usual) => usual),
      ),
      [],
    );
    t.same(
      await notesOn(
        t,
        yaml(() => 1),
      ),
      [],
    );
  },
);

const DENY = 'clients: { address: { class: p }, classes: { p: { deny: [desk.Drop] } } }\n';

t.test('a plain route to the backend of a service that has rules is warned about', async (t) => {
  const service = (more = '', address = 'url: "http://10.0.0.7/ws/desk"'): string =>
    `services: { desk: { ${address}${more}, types: "type Query { drop: Int }", operations: ` +
    '{ Drop: { field: Query.drop } } } }\n';
  const validate = (route: string, rules = DENY, desk = service()): Promise<readonly string[]> =>
    notesOn(t, `${desk}routes: [${route}]\n${rules}`);
  const passes = (path: string, rules: string): RegExp =>
    new RegExp(
      `^2:18: Calls to \`${path}\` reach the backend of service \`desk\` by this route: ` +
        `they pass by its ${rules}\\. Let `,
    );
  t.match(await validate('{ path: /, url: http://10.0.0.7 }'), [passes('/ws/desk', '`deny`')]);
  t.match(await validate('{ path: /ws, url: http://10.0.0.7/ }'), [passes('/ws/desk', '`deny`')]);
  t.match(await validate('{ path: /desk, url: "http://10.0.0.7:80/ws" }'), [
    passes('/desk', '`deny`'),
  ]);
  const paid = DENY.replace('deny: [desk.Drop]', 'budget: { maximum: 50 }, allow: [desk, /]');
  t.match(await validate('{ path: /, url: http://10.0.0.7 }', paid), [
    passes('/ws/desk', '`allow`, `budget`'),
  ]);
  t.same(
    await validate('{ path: /, url: http://10.0.0.7 }', paid.replace(', /', '')),
    [],
    'no class may take it',
  );
  t.same(
    await validate('{ path: /, url: http://10.0.0.7 }', DENY.replace('desk.Drop', 'desk.Drop, /')),
    [],
  );
  const several = service('', 'urls: ["http://10.0.0.8/ws/desk", "http://10.0.0.7/ws/desk"]');
  t.match(await validate('{ path: /, url: http://10.0.0.7 }', DENY, several), [
    passes('/ws/desk', '`deny`'),
  ]);
  const validated = service(', validate: { requests: report }');
  t.match(await validate('{ path: /, url: http://10.0.0.7 }', '', validated), [
    passes('/ws/desk', '`validate`'),
  ]);
  const crm = '{ desk: { kind: graphql, url: "http://10.0.0.7/ws/desk", schema: s.graphql } }';
  t.match(
    await notesOn(
      t,
      `services: ${crm}\nroutes: [{ path: /, url: http://10.0.0.7 }]\n` +
        `${DENY.replace('Drop', 'drop')}`,
      {
        's.graphql': 'type Query { drop: Int }',
      },
    ),
    [passes('/ws/desk', '`deny`')],
  );

  t.same(await validate('{ path: /, url: http://10.0.0.7 }', ''), [], 'no rules');
  t.same(
    await validate(
      '{ path: /, url: http://10.0.0.7 }',
      'clients: { address: { class: p }, classes: { p: {} } }\n',
    ),
    [],
  );
  t.same(await validate('{ path: /files, url: http://10.0.0.7 }'), [], 'another path');
  t.same(await validate('{ path: /, url: http://10.0.0.7/files }'), []);
  t.same(await validate('{ path: /w, url: http://10.0.0.7 }'), []);
  t.same(await validate('{ path: /, url: http://10.0.0.8 }'), [], 'another host');
  t.same(await validate('{ path: /, url: https://10.0.0.7 }'), []);
  t.same(
    await validate('{ path: /, url: http://10.0.0.7 }', DENY, service(', path: /ws/desk')),
    [],
    'the service is there',
  );
  t.same(
    await validate('{ path: /, url: http://10.0.0.7 }, { path: /ws, url: http://10.0.0.9 }'),
    [],
    'another route is nearer',
  );
});

t.test('keys of a subgraph that are masked are warned about', async (t) => {
  const shop = (mask: string, keys: string): string =>
    'clients: { address: { class: partner }, classes: { partner: {} } }\n' +
    'services: { shop: { url: http://a, types: "type Query { order(id: ID!): Order } type ' +
    'Order { id: ID!, no: ID, buyer: Buyer } type Buyer { id: ID }", ' +
    'operations: { Get: { field: Query.order } }, schema: { ' +
    `restrictedReplies: refuse, types: { ${mask} } } } }\n` +
    `graphql: { federation: { keys: { Order: ${keys} } } }\n`;
  const masked = 'Order: { fields: { id: { mask: { partner: hash } } } }';
  const byId = '{ fields: id, operation: shop.Get }';
  const found = /^3:\d+: `Order.id` of the key is masked for some clients: /;
  t.match(await notesOn(t, shop(masked, byId)), [found]);
  t.match(await notesOn(t, shop(masked, `[${byId}, { fields: id no, resolvable: false }]`)), [
    found,
    found,
  ]);
  t.same(await notesOn(t, shop(masked, '{ fields: no, resolvable: false }')), []);
  const nested = '{ fields: "buyer { id }", resolvable: false }';
  t.match(await notesOn(t, shop('Buyer: { fields: { id: { mask: last4 } } }', nested)), [
    /^3:\d+: `Buyer.id` of the key is masked for some clients: /,
  ]);
  t.same(await notesOn(t, shop(masked, nested)), []);
});

t.test('settings without effect, which may be meant, are warned about', async (t) => {
  const soap = (get: string, set = ''): string =>
    'services: { desk: { url: http://a, types: "type Query { item: Item } type Mutation { ' +
    `set: Int } type Item { id: Int }", operations: { Get: { field: Query.item${get} }, Set: ` +
    `{ field: Mutation.set${set} } } } }\n`;
  t.match(await notesOn(t, soap(', replyKib: 4')), [
    /^1:\d+: The `replyKib` of operation `Get` counts nothing: /,
  ]);
  t.same(await notesOn(t, `${soap(', replyKib: 4')}limits: { graphql: { kibCost: 1 } }\n`), []);
  t.same(await notesOn(t, soap(', replyKib: 0')), []);
  t.match(await notesOn(t, soap('', ', read: {}')), [
    /^1:\d+: Operation `Set` is declared to read, but is a field of Mutation: /,
  ]);
  t.same(await notesOn(t, soap(', read: {}', ', write: { invalidates: [Get] }')), []);

  t.match(await notesOn(t, soap(', cost: 1001')), [
    /^1:\d+: `Query.item` costs 1001 points, but `limits.graphql.cost` is 1000: no query could select it\. /,
  ]);
  t.same(await notesOn(t, soap(', cost: 1000, weight: 5000')), []);
  t.same(await notesOn(t, `${soap(', cost: 1001')}graphql: { measure: [cost] }\n`), []);

  const crm = (more: string): Promise<readonly string[]> =>
    notesOn(t, `services: { crm: { kind: graphql, url: http://a, schema: s.graphql${more} } }\n`, {
      's.graphql': 'type Query { a: A, b: B } type A { id: Int, name: String } type B { id: Int }',
    });
  const unseen = /^1:\d+: This costs nothing: callers do not see it\. /;
  t.match(await crm(', hide: [A.name], costs: { A.name: { cost: 3 } }'), [unseen]);
  t.match(await crm(', hide: [B], costs: { B: { cost: 3 } }'), [unseen]);
  t.same(await crm(', hide: [A.name], costs: { A.id: { cost: 3 }, A: { cost: 2 } }'), []);

  const trusted = (manifest: string, only: boolean): Promise<readonly string[]> =>
    notesOn(t, `${soap('')}graphql: { trusted: { manifest: m.json, only: ${only} } }\n`, {
      'm.json': manifest,
    });
  t.match(await trusted('{}', true), [/^1:1: The manifest has no documents, and `trusted.only` /]);
  t.same(await trusted('{}', false), []);
  t.same(await trusted('{"a":"{ __typename }"}', true), []);
});

t.test(
  'an address in clear text behind which a proxy would be one client is warned about',
  async (t) => {
    const told = (listen: string, more = ''): Promise<readonly string[]> =>
      notesOn(t, `listen: ${listen}\nservices: { desk: { url: "http://10.0.0.7/" } }\n${more}`);
    t.match(await told('0.0.0.0:4000'), [
      '1:9: A proxy in front of 0.0.0.0:4000 would be one client: `limits.http` allows an ' +
        'address 1000 connections and 200 refusals a second. ' +
        'Name it in `clients.trustedProxies`, or let it send PROXY headers (`proxyProtocol`).',
    ]);
    t.equal((await told('["127.0.0.1:4000", "[::]:4001"]')).length, 1);
    for (const listen of [
      '127.0.0.1:4000',
      '"[::1]:4000"',
      'localhost:4000',
      'unix:/tmp/soapstone-none.sock',
    ])
      t.same(await told(listen), [], listen);
    t.same(await told('{ address: 0.0.0.0:4000, proxyProtocol: [10.0.0.0/8] }'), []);
    t.same(await told('0.0.0.0:4000', 'clients: { trustedProxies: [10.0.0.0/8] }\n'), []);
  },
);

t.test(
  'settings of a backend that do not go together are warned about, others are not',
  async (t) => {
    const desk = (keys: string, url = 'https://b.example/'): string =>
      `services: { desk: { ${keys.includes('urls') ? '' : `url: "${url}", `}types: ` +
      `"type Query { drop: Int }", operations: { Drop: { field: Query.drop } }, ${keys} } }\n`;
    const open = 'http://b.example/';
    const login = 'auth: { login: { operation: Drop, token: reply.a, place: "http:x-a" } }';
    const two = 'urls: ["https://b.example/", "https://c.example/"]';
    const basic = 'auth: { basic: { username: u, password: { file: p } } }';
    const oauth2 = (tokenUrl: string): string =>
      `auth: { oauth2: { tokenUrl: "${tokenUrl}", clientId: c, clientSecret: { file: p } } }`;
    const token = (type: string): string =>
      'security: { make: { usernameToken: { username: u, password: { file: ' +
      `p }, type: ${type} } } }`;
    for (const [yaml, expected] of [
      [desk(basic, open), /sends credentials \(`basic`\) to its backend without TLS/],
      [desk(basic), null],
      [desk(login, open), /sends credentials \(`login`\)/],
      [desk(oauth2('http://login.example/t')), /client secret to a token endpoint without TLS/],
      [desk(oauth2('https://login.example/t'), open), /sends credentials \(`oauth2`\)/],
      [desk(token('text'), open), /the password of its UsernameToken without TLS/],
      [desk(token('digest'), open), null],
      [desk('tls: { verify: unsafe:none }'), /does not verify the certificate/],
      [desk('auth: { passthrough: true }, health: { path: /x }'), /without credentials/],
      [desk('auth: { passthrough: true }, health: { tcp: true }'), null],
      [
        desk(`auth: { passthrough: true }, ${two}, balance: { hash: client }`),
        /stays at one address/,
      ],
      [
        desk(`auth: { passthrough: true }, ${two}, sticky: { cookie: r }`),
        /`sticky`, but not those of callers/,
      ],
      [desk(`auth: { passthrough: true }, ${two}`), null],
      [
        desk(
          'auth: { ntlm: { username: u, password: { file: p } } }, limits: { upstream: ' +
            '{ requestsPerConnection: 1 } }',
        ),
        /logs in for every call/,
      ],
      [desk('timeoutMillis: 1000, retry: { perTryMillis: 1000 }'), /none is given up for another/],
      [desk('retry: { on: [reset] }'), /none of its operations is `idempotent`/],
      [desk('retry: { on: [refused] }'), null],
      [
        desk('requestsAtOnce: 4').replace('Query.drop }', 'Query.drop, requestsAtOnce: 4 }'),
        /as many calls at once as all/,
      ],
      [desk('requestsAtOnce: 4').replace('Query.drop }', 'Query.drop, requestsAtOnce: 3 }'), null],
    ] as const) {
      const notes = await notesOn(t, yaml, { p: 'secret' });
      if (expected === null) t.same(notes, [], yaml);
      else
        t.ok(
          notes.some((note) => expected.test(note)),
          `${yaml} ${notes}`,
        );
    }
  },
);

t.test('scopes that no client can have close their fields, and are warned about', async (t) => {
  const yaml = (clients: string): string => `services:
  crm: { kind: graphql, url: "http://127.0.0.1:9/", schema: crm.graphql, fields: { Query.a: \
{ scopes: [x] }, Query.b: { scopes: [[x, y], [z]] } } }
${clients}`;
  const files = { 'crm.graphql': 'type Query { a: String b: String }' };
  const classes = (scopes: string): string =>
    `clients: { address: { class: all }, classes: { all: {}, some: { scopes: [${scopes}] } } }`;
  const told = async (clients: string): Promise<readonly string[]> =>
    (await notesOn(t, yaml(clients), files)).filter((note) =>
      note.includes('No client can have these scopes'),
    );
  t.match(await told(''), [/^2:95: .* there are no classes\./, /^2:121: /]);
  t.match(await told(classes('x')), [/^2:121: .* no class has them\. Give them to a class/]);
  t.same(await told(classes('x, y')), []);
  t.same(await told(classes('x, z')), []);
  const jwt = 'jwt: { issuer: i, audience: a, class: all, jwksUrl: "https://login.example/keys" }';
  t.same(await told(`clients: { ${jwt}, classes: { all: {} } }`), [], 'tokens may have any scope');
});

t.test('secrets in the file itself are warned about, and variables without braces', async (t) => {
  const yaml = (secret: string): string => `services:
  a: { url: "http://127.0.0.1:9/", auth: { basic: { username: u, password: ${secret} } }, headers: \
{ x-env: "$REGION" } }
  b: { url: "http://127.0.0.1:9/", auth: { oauth2: { tokenUrl: "http://127.0.0.1:9/", clientId: \
c, clientSecret: ${secret} } } }
  c: { kind: graphql, url: "http://127.0.0.1:9/", schema: c.graphql, headers: { Authorization: \
${secret} } }
clients: { introspection: { url: "http://127.0.0.1:9/", clientId: c, clientSecret: \
${secret}, class: x }, maskKey: ${secret}, classes: { x: {} } }
`;
  const files = { 'c.graphql': 'type Query { a: String }', 'secret.txt': 'secret-of-sixteen' };
  const of = (key: string): RegExp =>
    new RegExp(
      `\\d+:\\d+: \`${key}\` stands in the configuration file itself\\. ` +
        'Take it from the environment',
    );
  const region =
    /^2:\d+: `services\.a\.headers\.x-env` looks like a variable without braces: it is taken as it is\. Write braces/;
  const literal = await notesOn(t, yaml('secret-of-sixteen'), files);
  t.match(literal, [
    of('services.a.auth.basic.password'),
    of('services.b.auth.oauth2.clientSecret'),
    of('services.c.headers.Authorization'),
    of('clients.introspection.clientSecret'),
    of('clients.maskKey'),
    region,
  ]);
  t.notMatch(literal.join(), 'secret-of-sixteen', 'without their values');
  t.match(await notesOn(t, yaml('{ file: secret.txt }'), files), [region], 'from a file');
  t.equal(
    (await notesOn(t, yaml('"$SECRET_OF_SIXTEEN"'), files)).filter((note) =>
      note.includes('without braces'),
    ).length,
    6,
  );
});

t.test('budgets that each of several workers counts by itself are warned about', async (t) => {
  const yaml = (workers: string, rights: string, more = ''): string =>
    `services: { a: { url: "http://127.0.0.1:9/" } }\nworkers: ${workers}\n` +
    `clients: { address: { class: x }, classes: { x: ${rights} } }\n${more}`;
  const told = async (...args: Parameters<typeof yaml>): Promise<readonly string[]> =>
    notesOn(t, yaml(...args));
  t.same(await told('2', '{ budget: {} }'), [
    '2:10: Each of several `workers` counts by itself without `redis`: a client of class `x` ' +
      'can have its `budget` once for each. Configure `redis`, or divide the ' +
      'numbers by the workers.',
  ]);
  t.match(await told('auto', '{ requestsAtOnce: 5 }'), [/its `requestsAtOnce` once for each/]);
  t.same(await told('1', '{ budget: {} }'), []);
  t.same(await told('4', '{}'), []);
  t.same(await told('4', '{ budget: {} }', 'redis: "redis://127.0.0.1:9"\n'), []);
});
