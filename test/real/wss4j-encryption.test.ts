import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { RSA_KEY } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, missingLibraries, STORE_PASSWORD } from './java-stack.js';
import { LineProgram } from './line-program.js';
import { missing } from './programs.js';

/** WSS4J encrypts messages for the gateway, and decrypts those that the gateway encrypts. */

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';
const REFERENCES = ['ISSUER_SERIAL', 'SKI_KEY_IDENTIFIER', 'THUMBPRINT_IDENTIFIER'] as const;
const SUM = '12 & ä 😀 \rx';

async function start(t: Test) {
  const folder = t.testdir();
  const { classes } = buildJava(folder, 'wss4j', 'Messages.java', {
    of: { rsa: RSA_KEY, ec: EC_KEY },
    extensions: 'DNS:a\nsubjectKeyIdentifier=hash',
    alias: () => 'k',
  });
  const wss4j = new LineProgram(['java', '-cp', classes, 'Messages', folder, STORE_PASSWORD]);
  t.teardown(() => wss4j.close());
  const backend = await useBackend(
    t,
    answerBy(() => '<PayResponse xmlns="urn:desk"/>'),
  );
  const entries = ['rsa', 'ec'].map(
    (name) => `{ key: { file: ${name}.key }, cert: { file: ${name}.pem } }`,
  );
  const decrypt = `decrypt: { keys: [${entries.join(', ')}], required: [Body]`;
  const signature = 'signature: { authorities: { file: authority.pem }, known: { file: rsa.pem } }';
  const own = 'signature: { cert: { file: rsa.pem }, key: { file: rsa.key }, parts: [Body] }';
  const security = {
    opened: `verify: { ${decrypt} } }`,
    verified: `verify: { ${decrypt} }, ${signature} }`,
    unsafe:
      `verify: { ${decrypt}, algorithms: ["unsafe:aes256-cbc"], ` +
      `keyTransports: ["unsafe:rsa-1_5"] }, ${signature} }`,
    rsa: 'make: { replace: true, encrypt: { cert: { file: rsa.pem } } }',
    sha256:
      'make: { replace: true, encrypt: { cert: { file: rsa.pem }, algorithm: aes128-gcm, ' +
      'keyTransport: rsa-oaep-sha256, keyReference: thumbprint } }',
    ec: 'make: { replace: true, encrypt: { cert: { file: ec.pem } } }',
    signed:
      `make: { replace: true, ${own}, ` +
      'encrypt: { cert: { file: rsa.pem }, parts: [Body, Signature] } }',
    signing:
      `make: { replace: true, ${own}, ` +
      'encrypt: { cert: { file: rsa.pem }, beforeSigning: true } }',
  };
  const services = Object.entries(security).map(
    ([name, keys]) => `  ${name}: { url: "${backend.url}/${name}", security: { ${keys} } }`,
  );
  const configuration = `${CLIENTS}services:\n${services.join('\n')}\n`;
  writeFileSync(join(folder, 'desk.yaml'), configuration);
  const gateway = await useGateway(t, configuration, folder);
  return {
    wss4j,
    backend,
    /** The code of the refusal; null where the backend got the message. */
    async send(name: string, message: string): Promise<string | null> {
      const before = backend.complete.length;
      const answer = await postSoap(`${gateway.url}/soap/${name}`, message);
      const text = await answer.text();
      if (backend.complete.length > before) return null;
      return `${/code="([^"]*)"/.exec(text)?.[1]} ${gateway.logLines().at(-1)?.['detail']}`;
    },
  };
}

t.test(
  'WSS4J and the gateway decrypt the messages of each other',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    const reason = missingLibraries('wss4j');
    if (reason !== false) return void (await t.skip(reason, () => {}));
    const { wss4j, backend, send } = await start(t);
    const encrypt = async (...words: readonly string[]): Promise<string> => {
      const answer = await wss4j.ask(['encrypt', ...words].join(' '));
      if (answer.startsWith('error')) t.fail(`${words.join(' ')}: ${answer}`);
      return Buffer.from(answer, 'base64').toString();
    };
    const gcm = `${XENC11}aes256-gcm`;
    const oaep = `${XENC}rsa-oaep-mgf1p`;
    const cases: readonly (readonly [string, ...string[]])[] = [
      ...REFERENCES.map((name) => ['opened', name, 'rsa', gcm, oaep, 'plain'] as const),
      ['opened', 'BST_DIRECT_REFERENCE', 'rsa', `${XENC11}aes128-gcm`, oaep, 'plain'],
      ['opened', 'ISSUER_SERIAL', 'rsa', gcm, `${XENC11}rsa-oaep`, 'sha256'],
      ['opened', 'ISSUER_SERIAL', 'rsa', gcm, oaep, 'block'],
      ['opened', 'ISSUER_SERIAL', 'ec', gcm, `${XENC}kw-aes128`, 'concat'],
      ['opened', 'SKI_KEY_IDENTIFIER', 'ec', gcm, `${XENC}kw-aes256`, 'concat'],
      ['opened', 'ISSUER_SERIAL', 'ec', gcm, `${XENC}kw-aes256`, 'hkdf'],
      ['verified', 'ISSUER_SERIAL', 'rsa', gcm, oaep, 'signed'],
      ['verified', 'ISSUER_SERIAL', 'rsa', gcm, oaep, 'signing'],
      ['unsafe', 'ISSUER_SERIAL', 'rsa', `${XENC}aes256-cbc`, `${XENC}rsa-1_5`, 'signingKey'],
    ];
    for (const [service, ...words] of cases) {
      const message = await encrypt(...words);
      t.notMatch(message, /<sum/, 'it is encrypted');
      t.equal(await send(service, message), null, words.join(' '));
      const body = String(backend.complete.at(-1)?.body);
      t.match(body, '<sum>12 &amp; ä 😀 &#xD;x</sum>', words.join(' '));
      t.match(body, /<k:Key [^>]*>7<\/k:Key>/);
      t.notMatch(body, /Encrypted/);
      const altered = message.replace(
        /.(?=.{30}<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/,
        (letter) => (letter === 'A' ? 'B' : 'A'),
      );
      t.match(await send(service, altered), 'wsse:FailedCheck', `altered: ${words.join(' ')}`);
    }
    const own = envelope(
      '<Pay xmlns="urn:desk"><sum>12 &amp; ä 😀 &#13;x</sum></Pay>',
      '<k:Key xmlns:k="urn:key">7</k:Key>',
    );
    for (const [service, keystore, expected] of [
      ['rsa', 'rsa', 'encrypted unsigned'],
      ['sha256', 'rsa', 'encrypted unsigned'],
      ['ec', 'ec', 'encrypted unsigned'],
      ['signed', 'rsa', 'encrypted signed'],
      ['signing', 'rsa', 'encrypted signed'],
    ] as const) {
      t.equal(await send(service, own), null, service);
      const message = backend.complete.at(-1)?.body.toString('base64') ?? '';
      const opened = await wss4j.ask(`open ${keystore} ${message}`);
      const text = Buffer.from(opened.split(' ').at(-1) ?? '', 'base64').toString();
      t.equal(opened.replace(/ [^ ]*$/, ''), expected, `${service}: ${opened}`);
      t.equal(text, SUM, service);
    }
  },
);

/** Callers of the services that sign are known by their network. */
const CLIENTS =
  'clients: { classes: { own: {} }, networks: { here: { addresses: ' +
  '[127.0.0.1/32], class: own } } }\n';
