import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { errorWith } from '../kit/answers.js';
import { startScriptedBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { chunked, post, RawClient, sendRaw } from '../kit/raw-client.js';
import { splitsOf } from '../kit/splits.js';
import { until } from '../kit/until.js';
import { FORM_TYPE, type FormField, printForm, uploadForm } from '../kit/upload-form.js';
import { useFolder, useGateway, useGraphqlServer } from '../kit/use.js';
import { fileWsdl, includedIn, lastOf, startFileDesk } from './file-desk.js';

const PREFLIGHT = { 'apollo-require-preflight': 'true' };
const SAVE = 'mutation ($content: Base64) { save(name: "a", content: $content) }';
const SAVED = { data: { save: 7 } };
const FILE = Buffer.from('a\r\n------f0r\r\n\0\xff', 'latin1');

const request = (form: Uint8Array, fields: Readonly<Record<string, string>> = PREFLIGHT): Buffer =>
  post('/graphql', FORM_TYPE, form, fields);

/** The head of a request in chunks. */
const openHead = (fields: Readonly<Record<string, string>>): Buffer =>
  post('/graphql', FORM_TYPE, '', {
    ...fields,
    'Transfer-Encoding': 'chunked',
    'Content-Length': null,
  });

async function upload(
  url: string,
  form: Uint8Array,
  fields: Readonly<Record<string, string>> = PREFLIGHT,
) {
  const { status, body } = await sendRaw(url, request(form, fields));
  const answer = body === '' ? {} : JSON.parse(body);
  delete answer.extensions;
  return { status, ...answer };
}

t.test('a file is a part of the package, byte for byte', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  for (const bytes of [Buffer.alloc(0), Buffer.from([0]), FILE, randomBytes(1_000_000)]) {
    t.match(await upload(gateway.url, uploadForm(SAVE, { content: bytes })), {
      status: 200,
      ...SAVED,
    });
    const message = lastOf(backend);
    t.ok(includedIn(message, 'content').content.equals(bytes), `${bytes.length} bytes`);
    t.equal(message.headers['transfer-encoding'], 'chunked');
    t.equal(message.headers['content-length'], undefined);
  }
});

t.test(
  'where a Content-Length is wanted, files are collected, within the limit of that',
  async (t) => {
    const { backend, gateway } = await startFileDesk(
      t,
      'mtom: true, bufferRequests: true',
      'limits: { soap: { bufferBytes: 100000 } }',
    );
    t.match(await upload(gateway.url, uploadForm(SAVE, { content: FILE })), SAVED);
    const message = lastOf(backend);
    t.equal(message.headers['content-length'], String(message.body.length));
    t.ok(includedIn(message, 'content').content.equals(FILE));
    t.match(
      await upload(gateway.url, uploadForm(SAVE, { content: randomBytes(100_000) })),
      errorWith('HTTP_TOO_LARGE'),
    );
    t.equal(backend.begun, 1);
  },
);

t.test('without mtom a file is base64 in the envelope', async (t) => {
  const { backend, gateway } = await startFileDesk(t, '');
  const query =
    'mutation ($content: Base64, $many: [Base64!]) { save(content: $content, many: $many) }';
  const files = [randomBytes(100_000), Buffer.alloc(0), Buffer.from('ab')];
  const form = uploadForm(
    query,
    { content: files[0] ?? '', 'many.0': files[1] ?? '', 'many.2': files[2] ?? '' },
    { many: [null, 'AAEC', null] },
  );
  t.match(await upload(gateway.url, form), SAVED);
  const { headers, body } = lastOf(backend);
  t.match(headers['content-type'], /^text\/xml/);
  t.same(
    [...body.toString().matchAll(/<n1:(?:content|many)>([^<]*)</g)].map(([, text]) => text),
    [files[0]?.toString('base64'), '', 'AAEC', 'YWI='],
  );
});

t.test('files of several calls and arguments, in the order of their use', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  const query = `mutation ($a: Base64, $b: Base64!, $c: Base64) {
    one: save(content: $a, included: { value: $b, contentType: \
"image/png" }) two: save(content: $c) }`;
  const files = { a: randomBytes(100_000), b: Buffer.from('b'), c: randomBytes(100_000) };
  t.match(await upload(gateway.url, uploadForm(query, files)), { data: { one: 7, two: 7 } });
  const [one, two] = backend.complete;
  if (one === undefined || two === undefined) throw new Error('nothing was sent');
  t.ok(includedIn(one, 'content').content.equals(files.a));
  t.same(includedIn(one, 'included'), { content: files.b, type: 'image/png' });
  t.ok(includedIn(two, 'content').content.equals(files.c));
});

t.test('files out of order are held up to the limit, and refused beyond it', async (t) => {
  const held = 64 * 1024;
  const { backend, gateway } = await startFileDesk(
    t,
    'mtom: true',
    `limits: { graphql: { uploadHeldBytes: ${held} } }`,
  );
  const query = 'mutation ($a: Base64, $b: Base64) { save(content: $a, second: $b) }';
  for (const bytes of [held, held + 1]) {
    const early = randomBytes(bytes);
    const late = randomBytes(300_000);
    const answer = await upload(gateway.url, uploadForm(query, { b: early, a: late }));
    if (bytes > held) {
      t.match(answer, { data: { save: null }, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
      continue;
    }
    t.match(answer, SAVED);
    t.ok(includedIn(lastOf(backend), 'content').content.equals(late));
    t.ok(includedIn(lastOf(backend), 'second').content.equals(early));
  }
  t.equal(backend.complete.length, 1);
});

t.test('the same byte by byte and cut anywhere, with a length and chunked', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  const form = uploadForm(SAVE, { content: FILE });
  const fields = { ...PREFLIGHT, Connection: 'close' };
  const head = request(form, fields).subarray(0, -form.length);
  const send = async (pieces: readonly Uint8Array[]): Promise<void> => {
    const client = await RawClient.connect(gateway.url);
    for (const piece of pieces) {
      await client.send(piece);
      await setImmediate();
    }
    const { body } = await client.reply();
    client.close();
    if (!includedIn(lastOf(backend), 'content').content.equals(FILE))
      throw new Error('other bytes');
    if (!body.includes('"save":7')) throw new Error(body);
  };
  let sent = 0;
  for (const [how, pieces] of splitsOf(form)) {
    if (how === 'with empty pieces') continue;
    await send([head, ...pieces]);
    sent++;
  }
  await send([openHead(fields), chunked(...Array.from(form, (byte) => Uint8Array.of(byte)))]);
  t.equal(backend.complete.length, sent + 1);
});

/** Fields of a request that is in order but for one of them. */
const fields = (
  change: Readonly<Record<string, unknown>>,
  files: readonly FormField[],
): readonly FormField[] => [
  [
    'operations',
    JSON.stringify(change['operations'] ?? { query: SAVE, variables: { content: null } }),
  ],
  [
    'map',
    typeof change['map'] === 'string'
      ? change['map']
      : JSON.stringify(change['map'] ?? { '0': ['variables.content'] }),
  ],
  ...files,
];

const ZERO: FormField = ['0', 'x', 'x.png'];

const MALFORMED: Readonly<Record<string, readonly FormField[]>> = {
  'the map is no JSON': fields({ map: '{' }, [ZERO]),
  'the map is a list': fields({ map: [] }, [ZERO]),
  'the map names a place that is not there': fields({ map: { '0': ['variables.other'] } }, [ZERO]),
  'the map names a place beyond a list': fields(
    {
      map: { '0': ['variables.content.1'] },
      operations: { query: SAVE, variables: { content: [null] } },
    },
    [ZERO],
  ),
  'the map names a member that objects inherit': fields({ map: { '0': ['variables.__proto__'] } }, [
    ZERO,
  ]),
  'the map names a place that is no variable': fields({ map: { '0': ['query'] } }, [ZERO]),
  'the map names a place with a value': fields(
    { operations: { query: SAVE, variables: { content: 'AAEC' } } },
    [ZERO],
  ),
  'the map names two places for one file': fields(
    {
      map: { '0': ['variables.content', 'variables.b'] },
      operations: { query: SAVE, variables: { content: null, b: null } },
    },
    [ZERO],
  ),
  'two files have one place': fields(
    { map: { '0': ['variables.content'], '1': ['variables.content'] } },
    [ZERO],
  ),
  'the operations are no object': fields({ operations: 'x' }, [ZERO]),
  'the map comes first': [...fields({}, [ZERO])].reverse(),
  'the map is missing': fields({}, [ZERO]).filter(([name]) => name !== 'map'),
  'there are no fields': [],
};

async function checkRefused(t: Test, form: Uint8Array, code = 'BAD_REQUEST') {
  const { backend, gateway } = await startFileDesk(t);
  t.match(await upload(gateway.url, form), { status: 400, errors: [{ extensions: { code } }] });
  t.equal(backend.begun, 0);
}

for (const [name, form] of Object.entries(MALFORMED)) {
  t.test(`refused, and nothing is sent: ${name}`, async (t) => checkRefused(t, printForm(form)));
}

t.test('batches with files are refused', async (t) => {
  const batch = [{ query: SAVE, variables: { content: null } }];
  await checkRefused(
    t,
    printForm(fields({ operations: batch, map: {} }, [])),
    'BATCHING_NOT_SUPPORTED',
  );
});

const altered = (from: string, to: string): Buffer =>
  Buffer.from(
    printForm(fields({}, [ZERO]))
      .toString()
      .replace(from, to),
  );

const INCOMPLETE: Readonly<Record<string, Buffer>> = {
  'the file is missing': printForm(fields({}, [])),
  'another file comes': printForm(fields({}, [['1', 'x', 'x.png']])),
  'the file ends without a boundary': printForm(fields({}, [ZERO])).subarray(
    0,
    -'\r\n------f0rm--\r\n'.length,
  ),
  'the last boundary is not closed': printForm(fields({}, [ZERO])).subarray(0, -'--\r\n'.length),
  'a boundary follows a bare line feed': altered('x\r\n------f0rm--', 'x\n------f0rm--'),
  'the field has no name': altered('name="0"', 'other="0"'),
  'the field has two names': altered('name="0"', 'name="0"; name="1"'),
  'the file has a transfer encoding': altered(
    'image/png',
    'image/png\r\nContent-Transfer-Encoding: base64',
  ),
};

for (const keys of ['mtom: true', 'mtom: false']) {
  t.test(`a form that breaks off at its file is never a complete message, ${keys}`, async (t) => {
    const { backend, gateway } = await startFileDesk(t, keys);
    for (const [name, form] of Object.entries(INCOMPLETE)) {
      const { data, errors } = await upload(gateway.url, form);
      t.same(data, { save: null }, name);
      t.match(errors, [{ path: ['save'], extensions: { code: 'BAD_REQUEST' } }], name);
    }
    t.equal(backend.complete.length, 0);
    await until(() => backend.aborted === backend.begun);
  });
}

t.test('a client that leaves within a file leaves no complete message', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  for (const how of ['a length', 'chunks'] as const) {
    const form = uploadForm(SAVE, { content: randomBytes(200_000) });
    const bytes =
      how === 'a length' ? request(form) : Buffer.concat([openHead(PREFLIGHT), chunked(form)]);
    const begun = backend.begun;
    const client = await RawClient.connect(gateway.url);
    await client.send(bytes.subarray(0, -1000));
    await until(() => backend.begun > begun);
    client.close();
    await until(() => backend.aborted === backend.begun);
  }
  t.equal(backend.complete.length, 0);
});

t.test('the number and the bytes of files are bounded', async (t) => {
  const { backend, gateway } = await startFileDesk(
    t,
    'mtom: true',
    'limits: { graphql: { uploads: 2, uploadBytes: 2048, bodyBytes: 1024 } }',
  );
  const query = 'mutation ($a: Base64, $b: Base64) { save(content: $a, second: $b) }';
  const files = (...sizes: readonly number[]) =>
    Object.fromEntries(sizes.map((size, at) => ['abc'[at] ?? '', randomBytes(size)]));
  t.match(await upload(gateway.url, uploadForm(query, files(1024, 1024))), SAVED);
  t.match(await upload(gateway.url, uploadForm(query, files(1, 1, 1))), {
    status: 400,
    errors: [{ extensions: { code: 'BAD_REQUEST' } }],
  });
  t.match(await upload(gateway.url, uploadForm(query, files(1024, 1025))), {
    data: { save: null },
    errors: [{ extensions: { code: 'HTTP_TOO_LARGE' } }],
  });
  t.equal(
    (await sendRaw(gateway.url, request(uploadForm(query, files(1_000_000))))).status,
    413,
    'by its length',
  );
  const long = uploadForm(`${SAVE} # ${'x'.repeat(1024)}`, { content: 'x' });
  t.equal((await sendRaw(gateway.url, request(long))).status, 413, 'operations');
  t.equal(backend.complete.length, 1);
});

t.test('no files are taken where no argument can be one', async (t) => {
  const types = 'type Query { get: Int }';
  const keys =
    `url: "http://127.0.0.1:9/", namespace: urn:d, types: "${types}", operations: { Get: ` +
    '{ field: Query.get } }';
  const gateway = await useGateway(t, `services: { a: { ${keys} } }`);
  t.equal((await sendRaw(gateway.url, request(uploadForm('{ get }', {})))).status, 415);
});

t.test('no files are taken where their number is 0', async (t) => {
  const { backend, gateway } = await startFileDesk(
    t,
    'mtom: true',
    'limits: { graphql: { uploads: 0 } }',
  );
  t.equal((await sendRaw(gateway.url, request(uploadForm(SAVE, { content: 'x' })))).status, 415);
  t.equal(backend.begun, 0);
});

t.test('a form needs a header field that pages of other sites cannot send unasked', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  const form = uploadForm(SAVE, { content: 'x' });
  t.match(await upload(gateway.url, form, {}), {
    status: 400,
    errors: [{ extensions: { code: 'CSRF_PREVENTED' } }],
  });
  t.match(await gateway.accessLine(), { detail: /graphql-require-preflight, .*x-requested-with/ });
  t.equal(backend.begun, 0);
  for (const name of [
    'graphql-require-preflight',
    'apollo-require-preflight',
    'x-requested-with',
  ]) {
    t.match(await upload(gateway.url, form, { [name]: '1' }), SAVED);
  }
});

t.test('a file is taken where binary content is, and nowhere else', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  for (const [query, file] of [
    ['mutation ($f: String) { save(name: $f) }', 'f'],
    ['mutation ($f: IncludedInput) { save(included: $f) }', 'f'],
    ['mutation ($f: Base64) { save(short: $f) }', 'f'],
  ] as const) {
    const answer = await upload(gateway.url, uploadForm(query, { [file]: 'x' }));
    t.match(answer.errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], query);
  }
  t.equal(backend.begun, 0);
  const twice = 'mutation ($f: Base64) { save(content: $f, second: $f) }';
  t.match(await upload(gateway.url, uploadForm(twice, { f: 'x' })), {
    data: { save: null },
    errors: [{ message: /A file is used twice/, extensions: { code: 'BAD_REQUEST' } }],
  });
  t.equal(backend.complete.length, 0);
});

t.test('a file that no call wants is passed over', async (t) => {
  const { backend, gateway } = await startFileDesk(t);
  const query =
    'mutation ($a: Base64, $b: Base64, $go: Boolean = false) { save(content: $b) other: ' +
    'save(content: $a) @include(if: $go) }';
  const b = randomBytes(1000);
  t.match(await upload(gateway.url, uploadForm(query, { a: 'x', b })), SAVED);
  t.ok(includedIn(lastOf(backend), 'content').content.equals(b));
  t.match(
    await upload(gateway.url, uploadForm('{ __typename }', {})),
    { data: { __typename: 'Query' } },
    'no files',
  );
});

t.test('a file flows behind header blocks of the gateway', async (t) => {
  const keys =
    'mtom: true, security: { make: { usernameToken: { username: u, password: p, type: text } } }';
  const { backend, gateway } = await startFileDesk(t, keys);
  t.match(await upload(gateway.url, uploadForm(SAVE, { content: FILE })), SAVED);
  t.match(lastOf(backend).body.toString(), /UsernameToken/);
  t.ok(includedIn(lastOf(backend), 'content').content.equals(FILE), 'beside blocks of the gateway');
});

t.test('a file is not sent under an idempotency key, nor in a signed message', async (t) => {
  const mapping = 'idempotency: { header: idempotency-key, keepMillis: 60000 }';
  const { backend, gateway } = await startFileDesk(t, 'mtom: true', '', '1.1', mapping);
  const form = uploadForm(SAVE, { content: FILE });
  t.match(await upload(gateway.url, form, { ...PREFLIGHT, 'idempotency-key': '"k"' }), {
    data: { save: null },
    errors: [
      {
        message: /A file cannot be sent under an idempotency key/,
        extensions: { code: 'BAD_REQUEST' },
      },
    ],
  });
  t.equal(backend.begun, 0);
  t.match(await upload(gateway.url, form), SAVED, 'without a key');
});

t.test(
  'two calls of a query take their files side by side, in any order within the limit',
  async (t) => {
    const { backend, gateway } = await startFileDesk(t, 'mtom: true, reads: [Save]', '', '1.1', '');
    const query =
      'query ($a: Base64, $b: Base64) { one: save(name: "1", content: $a) two: ' +
      'save(name: "2", content: $b) }';
    const files = { a: randomBytes(300_000), b: randomBytes(300_000) };
    t.match(await upload(gateway.url, uploadForm(query, files)), { data: { one: 7, two: 7 } });
    for (const message of backend.complete) {
      const name = /name>(\d)</.exec(message.body.toString('latin1'))?.[1];
      t.ok(includedIn(message, 'content').content.equals(name === '1' ? files.a : files.b));
    }
    t.equal(backend.complete.length, 2);
  },
);

t.test('a file is not sent to a service that speaks GraphQL', async (t) => {
  const sdl = 'scalar Any type Query { a: Int } type Mutation { put(file: Any): Int }';
  const server = await useGraphqlServer(t, { sdl, rootValue: { put: () => 1 } });
  const folder = await useFolder(t, { 'crm.graphql': sdl });
  const crm = `crm: { kind: graphql, url: "${server.url}", schema: ${folder}/crm.graphql`;
  const { gateway } = await startFileDesk(t, `mtom: true }, ${crm}`);
  const answer = await upload(
    gateway.url,
    uploadForm('mutation ($file: Any) { put(file: $file) }', { file: 'x' }),
  );
  t.match(answer, { data: { put: null }, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  t.equal(server.requests.length, 0);
});

t.test(
  'a backend that answers before it has the file is heard, and the rest of it is dropped',
  async (t) => {
    const fault = envelope(
      '<s:Fault><faultcode>s:Client</faultcode><faultstring>full</faultstring></s:Fault>',
    );
    const backend = await startScriptedBackend((socket) => {
      socket.write(
        `HTTP/1.1 500 No\r\nContent-Type: text/xml\r\nContent-Length: ${fault.length}\r\n` +
          `Connection: close\r\n\r\n${fault}`,
      );
    });
    t.teardown(() => backend.close());
    const folder = await useFolder(t, { 'files.wsdl': fileWsdl() });
    const gateway = await useGateway(
      t,
      `services: { files: { wsdl: ${folder}/files.wsdl, url: "${backend.url}", mtom: ` +
        'true, operations: { Save: { field: Mutation.save } } } }',
    );
    const client = await RawClient.connect(gateway.url);
    t.teardown(() => client.close());
    const form = request(uploadForm(SAVE, { content: randomBytes(5_000_000) }));
    await client.send(form.subarray(0, 300_000));
    const { status, body } = await client.reply();
    t.equal(status, 200);
    t.match(JSON.parse(body), {
      data: { save: null },
      errors: [{ message: 'full', extensions: { code: 'SOAP_FAULT' } }],
    });
    await client.ended();
  },
);

t.test('a file waits for its backend, and others are answered meanwhile', async (t) => {
  const { backend, gateway } = await startFileDesk(t, 'mtom: true');
  const file = randomBytes(3_000_000);
  const form = request(uploadForm(SAVE, { content: file }));
  const slow = await RawClient.connect(gateway.url);
  t.teardown(() => slow.close());
  await slow.send(form.subarray(0, 1_000_000));
  await until(() => backend.begun === 1);
  t.match(await upload(gateway.url, uploadForm(SAVE, { content: FILE })), SAVED);
  await slow.send(form.subarray(1_000_000));
  t.match(JSON.parse((await slow.reply()).body), SAVED);
  t.ok(includedIn(lastOf(backend), 'content').content.equals(file));
});
