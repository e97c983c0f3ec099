import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerBy, type RecordedMessage } from '../kit/backend.js';
import { type Identity, makeKeys, NEW_KEY, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { packageType, packed } from '../kit/encrypted-package.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { postGraphql, postJson } from '../kit/graphql-client.js';
import { useBackend, useGateway, useService } from '../kit/use.js';

/** Calls that the gateway encrypts, and replies that it decrypts (XML Encryption 1.1). */

const REPLY = '<PayResponse xmlns="urn:desk"><id>7</id></PayResponse>';
const TYPES = `
    namespace: urn:desk
    types: |
      type Query { pay(sum: String!): Paid }
      type Paid { id: Int }
    operations:
      Pay: { field: Query.pay, read: {}, idempotent: true }`;
const OWN = `clients:
  classes: { own: {} }
  networks: { here: { addresses: [127.0.0.1/32], class: own } }`;

interface Keys {
  readonly folder: string;
  /** The backend, and a client. */
  readonly desk: Identity;
  readonly client: Identity;
  /** `keys` of `decrypt`. */
  readonly decrypt: string;
}

function makeAll(t: Test, kind: readonly string[] = RSA_KEY): Keys {
  const { folder, authority, identity } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
  const desk = authority.sign('desk', 30, '/O=Bank/CN=desk', 'DNS:a', kind, {
    extensions: '\nsubjectKeyIdentifier=hash\n',
  });
  writeFileSync(join(folder, 'desk.crt'), desk.cert);
  writeFileSync(join(folder, 'desk.key'), desk.key);
  const files = ['key', 'crt'].map((end) => `{ file: ${join(folder, `desk.${end}`)} }`);
  return {
    folder,
    desk,
    client: identity,
    decrypt: `decrypt: { keys: [{ key: ${files[0]}, cert: ${files[1]} }], required: [Body]`,
  };
}

interface ChainOptions {
  readonly keys: Keys;
  /** Further keys of `make.encrypt`, and of `make`. */
  readonly encrypt?: string;
  readonly make?: string;
  /** Further keys of `decrypt` and of `verify` behind. */
  readonly decrypt?: string;
  readonly verify?: string;
  /** Further keys of the first gateway's `security`, and of its file. */
  readonly security?: string;
  readonly more?: string;
}

/** A gateway that encrypts in front of one that decrypts, in front of a backend. */
async function useChain(t: Test, options: ChainOptions) {
  const { keys, encrypt = '', make = '', decrypt = '', verify = '' } = options;
  const wire: string[] = [];
  const { backend, gateway: opening } = await useService(
    t,
    answerBy(() => REPLY),
    (url) => `services:
  desk:
    url: ${url}/desk${TYPES}
    security:
      verify:
        ${keys.decrypt}${decrypt} }
${verify}`,
  );
  const tap = await useBackend(t, async (message: RecordedMessage, response: ServerResponse) => {
    wire.push(String(message.body));
    const answer = await postSoap(`${opening.url}/soap/desk`, message.body, {
      'content-type': String(message.headers['content-type']),
    });
    response
      .writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) })
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: ${tap.url}/desk${TYPES}
    rest: true
    security:
      make:
        encrypt: { cert: { file: ${join(keys.folder, 'desk.crt')} }${encrypt} }
${make}
${options.security ?? ''}
${options.more ?? ''}`,
  );
  return {
    wire,
    received: backend.complete,
    gateway,
    soap: (message: string): Promise<Response> => postSoap(`${gateway.url}/soap/desk`, message),
    async ask(sum: string): Promise<string> {
      const query = 'query($sum: String!) { pay(sum: $sum) { id } }';
      return (await postGraphql(gateway.url, { query, variables: { sum } })).text();
    },
  };
}

const ODD = 'é <&> "x" 😀 \t\r\n end';

type Kind = readonly [name: string, encrypt: string, decrypt: string];

const KINDS: readonly Kind[] = [
  ['RSA-OAEP', '', ''],
  ['RSA-OAEP with SHA-256', ', keyTransport: rsa-oaep-sha256, keyReference: thumbprint', ''],
  ['AES-192', ', algorithm: aes192-gcm, keyReference: token', ', algorithms: [aes192-gcm]'],
];

async function assertEncrypted(t: Test, keys: Keys, kinds: readonly Kind[]): Promise<void> {
  for (const [name, encrypt, decrypt] of kinds) {
    const chain = await useChain(t, { keys, encrypt, decrypt });
    for (const sum of ['10', ODD, '']) {
      t.match(await chain.ask(sum), '{"data":{"pay":{"id":7}}', name);
    }
    const rest = await postJson(`${chain.gateway.url}/rest/desk/Pay`, { sum: '12' });
    t.equal(rest.status, 200, await rest.text());
    t.equal(chain.wire.length, 4);
    for (const message of chain.wire) {
      t.notMatch(message, /sum>/, 'no content is there in plain text');
      t.match(message, /<xenc:EncryptedKey .*<\/xenc:EncryptedKey>.*<xenc:EncryptedData /s);
    }
    t.match(String(chain.received.at(-1)?.body), /sum>12</);
    t.notMatch(String(chain.received.at(-1)?.body), 'Security', 'an empty block goes as well');
  }
}

t.test('calls of GraphQL and REST are encrypted', WITH_OPENSSL, (t) =>
  assertEncrypted(t, makeAll(t), KINDS),
);

t.test('calls are encrypted for a key on a curve', WITH_OPENSSL, (t) =>
  assertEncrypted(t, makeAll(t, NEW_KEY), [['ECDH-ES', ', keyReference: keyIdentifier', '']]),
);

t.test('a call is signed, then encrypted with its signature', WITH_OPENSSL, async (t) => {
  const keys = makeAll(t);
  const file = (name: string): string => `{ file: ${join(keys.folder, name)} }`;
  const chain = await useChain(t, {
    keys,
    encrypt: ', parts: [Body, Signature]',
    make: `        timestamp: true
        replace: true
        signature: { cert: ${file('c.pem')}, key: ${file('k.pem')} }`,
    verify: `        timestamp: { required: true }
        signature:
          authorities: ${file('ca.pem')}
          required: [Body, Timestamp]
          subjects: [OU=Clients]`,
    more: OWN,
  });
  t.match(await chain.ask(ODD), '{"data":{"pay":{"id":7}}');
  t.notMatch(chain.wire.at(-1), '<ds:Signature ');
  t.match(String(chain.received.at(-1)?.body), '<ds:Signature ', 'it goes on decrypted');
  const answer = await chain.soap(envelope('<Pay xmlns="urn:desk"><sum>1</sum></Pay>'));
  t.equal(answer.status, 200, await answer.text());
});

t.test(
  'SOAP calls are encrypted with `replace`, long ones while they stream',
  WITH_OPENSSL,
  async (t) => {
    const chain = await useChain(t, {
      keys: makeAll(t),
      make: '        replace: true',
      more: OWN,
    });
    const long = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;
    for (const content of ['', '<Pay xmlns="urn:desk"><sum>1</sum></Pay>', long]) {
      for (const header of ['', '<a:Block xmlns:a="urn:a">b</a:Block>']) {
        const message = envelope(content, header);
        const answer = await chain.soap(message);
        const text = await answer.text();
        if (content === '') {
          t.notOk(chain.received.at(-1)?.body.includes('Pay'), text);
          continue;
        }
        t.equal(answer.status, 200, text);
        t.notMatch(chain.wire.at(-1), /sum>/);
        t.ok(chain.received.at(-1)?.body.includes(content), 'it came as it was');
      }
    }
  },
);

t.test('SOAP calls that came encrypted are encrypted anew', WITH_OPENSSL, async (t) => {
  const keys = makeAll(t);
  const chain = await useChain(t, {
    keys,
    security: `      verify:\n        ${keys.decrypt} }`,
  });
  const content = '<Pay xmlns="urn:desk"><sum>1</sum></Pay>';
  const answer = await chain.soap(encryptBody(envelope(content), keys.desk));
  t.equal(answer.status, 200, await answer.text());
  t.notMatch(chain.wire.at(-1), /sum>/);
  t.ok(chain.received.at(-1)?.body.includes(content));
  const long = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;
  const streamed = await chain.soap(encryptBody(envelope(long), keys.desk));
  t.equal(streamed.status, 200, await streamed.text());
  t.ok(chain.received.at(-1)?.body.includes(long));
});

t.test('what cannot be encrypted is not sent', WITH_OPENSSL, async (t) => {
  const chain = await useChain(t, {
    keys: makeAll(t),
    make: '        replace: true',
    more: OWN,
  });
  const message = envelope('<Pay xmlns="urn:desk"><sum>1</sum></Pay>');
  const wide = await postSoap(
    `${chain.gateway.url}/soap/desk`,
    Buffer.from(`\ufeff${message}`, 'utf16le'),
    {
      'content-type': 'text/xml; charset=utf-16',
    },
  );
  t.match(await wide.text(), 'wsse:UnsupportedAlgorithm');
  const root = 'content-type: text/xml\r\ncontent-id: <r>';
  const part = 'content-id: <p>\r\n\r\nsecret';
  const body = `--b\r\n${root}\r\n\r\n${message}\r\n--b\r\n${part}\r\n--b--\r\n`;
  const packed = await postSoap(`${chain.gateway.url}/soap/desk`, body, {
    'content-type': 'multipart/related; boundary=b; type="text/xml"; start="<r>"',
  });
  t.match(await packed.text(), 'wsse:UnsupportedAlgorithm');
  t.equal(chain.wire.length, 0);
});

t.test('a configuration that would leave messages plain is warned of', WITH_OPENSSL, async (t) => {
  const keys = makeAll(t);
  const warnings = async (
    security: string,
    url = 'https://desk.example/',
    more = '',
  ): Promise<string> => {
    const gateway = await useGateway(
      t,
      `services:
  desk:
    url: "${url}"
    namespace: urn:desk
    types: "type Query { a: String }"
    operations: { A: { field: Query.a, read: {} } }
    security: { ${security} }${more}
${OWN}`,
    );
    return (await gateway.reload()).warnings.map(({ what }) => what).join('\n');
  };
  const encrypt = `encrypt: { cert: { file: ${join(keys.folder, 'desk.crt')} } }`;
  t.match(await warnings(`make: { ${encrypt} }`), 'others stay plain');
  t.notMatch(await warnings(`make: { ${encrypt}, replace: true }`), 'plain');
  t.notMatch(await warnings(`make: { ${encrypt} }, verify: { ${keys.decrypt} } }`), 'plain');
  const decrypts = `verify: { ${keys.decrypt} } }`;
  t.match(await warnings(decrypts, 'http://desk.example/'), 'what it decrypts to its backend');
  t.notMatch(await warnings(decrypts), /what it decrypts|decrypts messages/);
  const kept = async (more: string): Promise<string> => await warnings(decrypts, undefined, more);
  t.match(await kept('\n    record: { folder: /tmp }'), 'records what it decrypts');
  t.match(await kept('\n    shadow: { url: "http://new.example/" }'), 'second backend (`shadow`)');
  t.match(await kept('\n    canary: { url: "http://new.example/" }'), 'second backend (`canary`)');
  t.notMatch(await kept('\n    canary: { url: "https://new.example/" }'), 'second backend');
  const shadowed = (security: string): Promise<string> =>
    warnings(
      `make: { ${encrypt}, replace: true }`,
      undefined,
      `\n    shadow: { url: "http://new.example/", security: ${security} }`,
    );
  t.match(await shadowed('none'), 'second backend (`shadow`)');
  t.notMatch(await shadowed('same'), 'second backend');
  const inspect = '\nconsole: { inspect: { operations: [desk.A] } }';
  t.match(await kept(inspect), 'the console keeps in plain text');
  const replies = `make: { ${encrypt}, replace: true }, verifyReplies: { ${keys.decrypt} } }`;
  const keptReplies = await warnings(
    replies,
    undefined,
    `\n    record: { folder: /tmp }${inspect}`,
  );
  t.match(keptReplies, 'records what it decrypts');
  t.match(keptReplies, 'the console keeps in plain text');
});

t.test('replies are decrypted for callers of SOAP and GraphQL', WITH_OPENSSL, async (t) => {
  const keys = makeAll(t);
  const replies: Record<string, string> = {
    encrypted: encryptBody(envelope(REPLY), keys.desk),
    plain: envelope(REPLY),
    altered: encryptBody(envelope(REPLY), keys.desk, {
      alter: (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))),
    }),
    broken: encryptBody(envelope('<PayResponse'), keys.desk),
    other: encryptBody(envelope('<Other xmlns="urn:x"/>'), keys.desk),
  };
  let reply = 'encrypted';
  const { gateway } = await useService(
    t,
    (_message: RecordedMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(replies[reply]);
    },
    (url) => `services:
  desk:
    url: ${url}/desk${TYPES}
    security:
      verifyReplies:
        ${keys.decrypt} }
`,
  );
  const message = envelope('<Pay xmlns="urn:desk"><sum>1</sum></Pay>');
  const soap = async (): Promise<string> => {
    const answer = await postSoap(`${gateway.url}/soap/desk`, message);
    return `${answer.status} ${await answer.text()}`;
  };
  const graphql = async (): Promise<string> =>
    (await postGraphql(gateway.url, { query: '{ pay(sum: "1") { id } }' })).text();
  t.match(await soap(), `200 ${envelope(REPLY, ' ').replace('> </s:Header>', '></s:Header>')}`);
  t.match(await graphql(), '{"data":{"pay":{"id":7}}');
  for (reply of ['plain', 'altered', 'broken']) {
    t.match(await soap(), /^500 .*UPSTREAM_INVALID_RESPONSE/s, reply);
    t.match(await graphql(), 'UPSTREAM_INVALID_RESPONSE', reply);
  }
  reply = 'other';
  t.match(await soap(), /^500 .*UPSTREAM_/s, 'what is wrong with verified content is told');
});

t.test('packages are encrypted with their attachments', WITH_OPENSSL, (t) =>
  assertPackages(t, makeAll(t), 'none'),
);

t.test('packages are signed, then encrypted', WITH_OPENSSL, (t) =>
  assertPackages(t, makeAll(t), 'before'),
);

t.test('packages are encrypted, then signed', WITH_OPENSSL, (t) =>
  assertPackages(t, makeAll(t), 'behind'),
);

/** Packages over two gateways, with a signature before or behind the encryption. */
async function assertPackages(
  t: Test,
  keys: Keys,
  signature: 'none' | 'before' | 'behind',
): Promise<void> {
  const file = (name: string): string => `{ file: ${join(keys.folder, name)} }`;
  const parts = '[Body, Timestamp]';
  const isSigned = signature !== 'none';
  const chain = await useChain(t, {
    keys,
    encrypt: `, parts: [Body, attachments], beforeSigning: ${signature === 'behind'}`,
    make: isSigned
      ? `        timestamp: true
        replace: true
        signature: { cert: ${file('c.pem')}, key: ${file('k.pem')}, parts: ${parts} }`
      : '        replace: true',
    verify: isSigned
      ? `        timestamp: { required: true }
        signature: { authorities: ${file('ca.pem')}, required: ${parts} }`
      : '',
    more: OWN,
  });
  const content = '<Pay xmlns="urn:desk"><sum>1</sum></Pay>';
  const part = { id: 'a@desk', type: 'application/pdf', content: Buffer.from('%PDF secret') };
  const include =
    '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:a%40desk"/>';
  const included = content.replace('1', include);
  const send = async (message: Buffer, type: string): Promise<string> => {
    const headers = { 'content-type': type };
    const answer = await postSoap(`${chain.gateway.url}/soap/desk`, message, headers);
    t.equal(answer.status, 200, await answer.text());
    t.notMatch(chain.wire.at(-1), /sum>|secret/, 'nothing is plain on the wire');
    return String(chain.received.at(-1)?.body);
  };
  if (!isSigned) {
    const attached = await send(packed(envelope(content), [part]), packageType('text/xml'));
    t.ok(attached.includes(content));
    t.match(attached, /Content-Type: application\/pdf\r\n\r\n%PDF secret\r\n--b--/);
  }
  const XOP = 'application/xop+xml';
  const mtom = await send(packed(envelope(included), [part], XOP), packageType(XOP));
  const base64 = part.content.toString('base64');
  t.ok(mtom.includes(content.replace('1', base64)), 'what it includes is encrypted with it');
}
