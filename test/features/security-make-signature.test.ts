import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { Authority, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { WSU } from '../kit/signed-message.js';
import { useFolder, useGateway, useService } from '../kit/use.js';

const REPLY = '<PayResponse xmlns="urn:desk"><id>7</id></PayResponse>';

const KEYS = {
  rsa: RSA_KEY,
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-nodes'],
  ed: ['-newkey', 'ed25519', '-nodes'],
} as const;

/** A gateway that signs in front of one that verifies, in front of a backend. */
async function useChain(t: Test, kind: keyof typeof KEYS, made: string, verified = '') {
  const { folder, authority } = makeKeys(t, '/O=Bank/OU=Gateways/CN=gateway', KEYS[kind]);
  const types = `
    namespace: urn:desk
    types: |
      type Query { pay(sum: String!): Paid }
      type Paid { id: Int }
    operations:
      Pay: { field: Query.pay, read: {}, idempotent: true }`;
  const { backend, gateway: verifier } = await useService(
    t,
    answerBy(() => REPLY),
    (url) => `services:
  desk:
    url: ${url}/desk${types}
    security:
      verify:
        timestamp: { required: true }
        signature:
          authorities: { file: ${join(folder, 'ca.pem')} }
          known: { file: ${join(folder, 'c.pem')} }
          subjects: ["OU=Gateways"]
          required: [Body, Timestamp]
${verified}`,
  );
  const signer = await useGateway(
    t,
    `services:
  desk:
    url: ${verifier.url}/soap/desk${types}
    security:
      make:
        timestamp: true
        replace: true
        signature: { cert: { file: ${join(folder, 'c.pem')} }, key: { file: \
${join(folder, 'k.pem')} }${made} }
clients: { classes: { own: {} }, networks: { here: { addresses: [127.0.0.1/32], class: own } } }`,
  );
  return {
    backend,
    folder,
    authority,
    soap: (message: string): Promise<Response> => postSoap(`${signer.url}/soap/desk`, message),
    async ask(sum: string): Promise<string> {
      const query = 'query($sum: String!) { pay(sum: $sum) { id } }';
      return (await postGraphql(signer.url, { query, variables: { sum } })).text();
    },
  };
}

const ODD = 'é <&> "x" 😀 \t\r\n end';

for (const [kind, made] of [
  ['rsa', ''],
  ['rsa', ', keyReference: issuerSerial, algorithm: rsa-pss-sha512, digest: sha512'],
  ['rsa', ', keyReference: thumbprint'],
  ['ec', ', keyReference: embedded'],
  ['ed', ''],
] as const) {
  t.test(`a call is signed and verified: ${kind}${made}`, WITH_OPENSSL, async (t) => {
    const chain = await useChain(t, kind, made);
    for (const sum of ['10', ODD]) {
      t.match(await chain.ask(sum), '{"data":{"pay":{"id":7}}');
    }
    t.equal(chain.backend.complete.length, 2);
  });
}

t.test(
  'a SOAP caller gets the signature of the gateway, whatever the length of the message',
  WITH_OPENSSL,
  async (t) => {
    const chain = await useChain(t, 'rsa', '');
    const message = (body: string, header = ''): string =>
      '<?xml version="1.0"?>\n<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">' +
      `${header}\n <e:Body a="1">${body}</e:Body></e:Envelope>`;
    const own =
      '<e:Header><w:Security xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"/><x:y xmlns:x="urn:x"/></e:Header>';
    for (const [name, sent] of [
      ['short', message('<Pay xmlns="urn:desk"><sum>1</sum></Pay>')],
      ['with a block of its own', message('<Pay xmlns="urn:desk"><sum>1</sum></Pay>', own)],
      ['long', message(`<Pay xmlns="urn:desk"><sum>${'1'.repeat(500_000)}</sum></Pay>`)],
    ] as const) {
      const answer = await chain.soap(sent);
      t.equal(answer.status, 200, name);
      t.equal(await answer.text(), envelope(REPLY));
      t.match(
        String(chain.backend.complete.at(-1)?.body),
        /<e:Body xmlns:wsu="[^"]*" wsu:Id="id-[0-9a-f]{32}" a="1">/,
      );
    }
    t.equal(
      (
        await chain.soap(
          message(`<Pay xmlns="urn:desk"><sum>${'1'.repeat(11 * 1024 * 1024)}</sum></Pay>`),
        )
      ).status,
      413,
      'longer than is held',
    );
  },
);

t.test('an Id changes no other name of the message that gets it', WITH_OPENSSL, async (t) => {
  const chain = await useChain(t, 'rsa', '');
  const message = (declared: string, attributes: string, prefix = ''): string =>
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" ' +
    `xmlns="urn:desk"${declared}><e:Body${attributes}><${prefix}Pay>` +
    `<${prefix}sum>1</${prefix}sum></${prefix}Pay></e:Body></e:Envelope>`;
  for (const [name, sent, body] of [
    [
      'declared and not used',
      message('', ` xmlns:wsu="${WSU}"`),
      /<e:Body wsu:Id="id-\w+" xmlns:wsu=/,
    ],
    ['declared around it', message(` xmlns:wsu="${WSU}"`, ''), /<e:Body wsu:Id="id-\w+">/],
    [
      'the prefix of something else',
      message(' xmlns:wsu="urn:desk"', '', 'wsu:'),
      /<e:Body xmlns:wsu1="[^"]+" wsu1:Id=/,
    ],
    [
      'declared as something else',
      message(' xmlns:wsu1="urn:desk"', ' xmlns:wsu="urn:other"', 'wsu1:'),
      /<e:Body xmlns:wsu2="[^"]+" wsu2:Id=/,
    ],
    [
      'an Id that is no name',
      message(` xmlns:u="${WSU}"`, ' u:Id="a&quot;b=&apos;c>&amp;"'),
      /<ds:Reference URI="#a&quot;b='c>&amp;">/,
    ],
  ] as const) {
    const answer = await chain.soap(sent);
    t.equal(await answer.text(), envelope(REPLY), name);
    t.match(String(chain.backend.complete.at(-1)?.body), body, name);
  }
  t.equal(chain.backend.complete.length, 5);
});

t.test('a key that is replaced is used for the next call', WITH_OPENSSL, async (t) => {
  const chain = await useChain(t, 'rsa', '');
  t.match(await chain.ask('1'), '{"data":{"pay":{"id":7}}');
  const next = chain.authority.sign('next', 30, '/O=Bank/OU=Strangers/CN=next', 'DNS:a', RSA_KEY);
  writeFileSync(join(chain.folder, 'c.pem'), next.cert);
  writeFileSync(join(chain.folder, 'k.pem'), next.key);
  let answer = '';
  for (let tries = 0; !answer.includes('errors') && tries < 100; tries++) {
    answer = await chain.ask(`${tries + 2}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.match(answer, 'FailedAuthentication', 'the subject of the new one may not sign');
});

t.test('messages of callers whom nothing proves are not signed', WITH_OPENSSL, async (t) => {
  const { cert, key } = new Authority(t.testdir()).sign('gateway', 30, '/CN=g', 'DNS:a', RSA_KEY);
  const folder = await useFolder(t, { 'c.pem': cert, 'k.pem': key });
  const start = (verify: string, clients = '', make = 'replace: true'): Promise<unknown> =>
    useGateway(
      t,
      `services: { desk: { url: "http://127.0.0.1:9/desk", security: { ${verify}make: ` +
        `{ timestamp: true, ${make}, signature: { cert: { file: c.pem }, key: { file: ` +
        `k.pem } } } } } }\n${clients}`,
      folder,
    );
  const unproved = /security.make.replace. signs the messages of SOAP callers, and nothing proves/;
  await t.rejects(start(''), unproved);
  await t.rejects(start('verify: { timestamp: { required: true } }, '), unproved, 'a time alone');
  await t.rejects(
    start('verifyReplies: { signature: { authorities: { file: c.pem } } }, '),
    unproved,
  );
  const byAddress = 'clients: { classes: { own: {} }, address: { class: own } }';
  await t.rejects(start('', byAddress), unproved, 'callers that any address may be');
  const byNetwork =
    'clients: { classes: { own: {} }, networks: { here: { addresses: ' +
    '[10.0.0.0/8], class: own } } }';
  await t.resolves(start('', byNetwork), 'all other callers are refused');
  await t.resolves(start('verify: { usernameToken: { users: { erp: { password: x } } } }, '));
  await t.resolves(start('verify: { signature: { authorities: { file: c.pem } } }, '));
  await t.resolves(start('', '', 'replace: false'), 'SOAP callers keep their own block');
});
