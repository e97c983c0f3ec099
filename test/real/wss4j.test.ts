import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Alterations } from '../kit/alterations.js';
import type { RecordedMessage } from '../kit/backend.js';
import { RSA_KEY } from '../kit/certificates.js';
import { postSoap, SOAP_11, SOAP_12 } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, missingLibraries, STORE_PASSWORD } from './java-stack.js';
import { LineProgram } from './line-program.js';
import { missing } from './programs.js';

/** WSS4J makes messages for the gateway, and judges those that the gateway makes or lets pass. */

const KEYS = {
  rsa: RSA_KEY,
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
  ed: ['-newkey', 'ed25519', '-nodes'],
} as const;
const ALGORITHMS = {
  rsa256: ['rsa', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'],
  rsa512: ['rsa', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512'],
  pss256: ['rsa', 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'],
  ecdsa256: ['ec', 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256'],
  ed25519: ['ed', 'http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519'],
  rsa1: ['rsa', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'],
} as const;
const REFERENCES = [
  'BST_DIRECT_REFERENCE',
  'ISSUER_SERIAL',
  'SKI_KEY_IDENTIFIER',
  'THUMBPRINT_IDENTIFIER',
] as const;
const FORMS = ['plain', 'noPrefixes', 'username', 'block', 'timestampLast'] as const;

async function start(t: Test) {
  const folder = t.testdir();
  const { classes, certificates } = buildJava(folder, 'wss4j', 'Messages.java', {
    of: KEYS,
    extensions: 'DNS:a\nsubjectKeyIdentifier=hash',
    alias: () => 'k',
  });
  writeFileSync(join(folder, 'known.pem'), certificates.join(''));
  const wss4j = new LineProgram(['java', '-cp', classes, 'Messages', folder, STORE_PASSWORD]);
  t.teardown(() => wss4j.close());
  const backend = await useBackend(t, ({ body }: RecordedMessage, response: ServerResponse) => {
    const soap = body.includes(SOAP_12) ? SOAP_12 : SOAP_11;
    const type = soap === SOAP_12 ? 'application/soap+xml' : 'text/xml';
    response
      .writeHead(200, { 'content-type': type })
      .end(`<s:Envelope xmlns:s="${soap}"><s:Body/></s:Envelope>`);
  });
  const service = (name: string, signature: string, more = ''): string => `
  ${name}:
    url: ${backend.url}/desk
    versions: ["1.1", "1.2"]
    security:
      verify:
        signature: { authorities: { file: authority.pem }, known: { file: \
known.pem }${signature} }${more}`;
  const made = `
  made:
    url: ${backend.url}/desk
    versions: ["1.1", "1.2"]
    security:
      make: { timestamp: true, replace: true, signature: { cert: { file: \
rsa.pem }, key: { file: rsa.key } } }`;
  const users = '\n        usernameToken: { users: { erp: { password: secret } } }';
  const weak =
    ', algorithms: [rsa-sha1, rsa-sha256], canonicalizations: ' +
    '[exclusive, inclusive], keyValues: known';
  const gateway = await useGateway(
    t,
    `${CLIENTS}services:${service('plain', '')}` +
      `${service('all', ', required: [Body, Timestamp]')}` +
      `${service('username', ', required: [Body, UsernameToken]', users)}` +
      `${service('weak', weak)}${made}\n`,
    folder,
  );
  return {
    wss4j,
    backend,
    /** The code of the refusal, or `ok` where the backend got every byte as it was. */
    async send(name: string, message: Buffer): Promise<string> {
      const before = backend.complete.length;
      const type = message.includes(SOAP_12) ? 'application/soap+xml' : 'text/xml';
      const answer = await postSoap(`${gateway.url}/soap/${name}`, String(message), {
        'content-type': type,
      });
      const text = await answer.text();
      if (backend.complete.length === before) return /code="([^"]*)"/.exec(text)?.[1] ?? text;
      return name === 'made' || backend.complete.at(-1)?.body.equals(message) === true
        ? 'ok'
        : 'altered';
    },
  };
}

t.test(
  'WSS4J and the gateway take the messages of each other',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    const reason = missingLibraries('wss4j');
    if (reason !== false) return void (await t.skip(reason, () => {}));
    const { wss4j, backend, send } = await start(t);
    const make = async (...words: readonly string[]): Promise<Buffer> => {
      const answer = await wss4j.ask(['make', ...words].join(' '));
      if (answer.startsWith('error')) t.fail(`${words.join(' ')}: ${answer}`);
      return Buffer.from(answer, 'base64');
    };
    for (const version of ['1.1', '1.2']) {
      for (const reference of REFERENCES) {
        for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
          const message = await make(version, reference, ...algorithm, 'plain');
          const expected = name === 'rsa1' ? 'wsse:UnsupportedAlgorithm' : 'ok';
          t.equal(await send('plain', message), expected, `${version} ${reference} ${name}`);
          if (name === 'rsa1') t.equal(await send('weak', message), 'ok', 'SHA-1 by name');
        }
        for (const form of FORMS) {
          const message = await make(version, reference, ...ALGORITHMS.rsa256, form);
          t.equal(
            await send(form === 'username' ? 'username' : 'plain', message),
            'ok',
            `${reference} ${form}`,
          );
        }
        const inclusive = await make(version, reference, ...ALGORITHMS.rsa256, 'inclusive');
        t.equal(
          await send('plain', inclusive),
          'wsse:UnsupportedAlgorithm',
          'inclusive canonicalization',
        );
        t.equal(await send('weak', inclusive), 'ok', 'inclusive canonicalization by name');
      }
      const token = await make(version, 'BST_DIRECT_REFERENCE', ...ALGORITHMS.rsa256, 'token');
      t.equal(await send('plain', token), 'ok', 'STR-Transform');
      const bare = await make(version, 'KEY_VALUE', ...ALGORITHMS.rsa256, 'plain');
      t.equal(await send('plain', bare), 'wsse:UnsupportedSecurityToken', 'a bare key');
      t.equal(await send('weak', bare), 'ok', 'a bare key that is known');
      const soap = version === '1.1' ? SOAP_11 : SOAP_12;
      const own =
        `<s:Envelope xmlns:s="${soap}"><s:Body><Pay xmlns="urn:desk"><sum>1 &#13; ä</sum></Pay>` +
        '</s:Body></s:Envelope>';
      t.equal(await send('made', Buffer.from(own)), 'ok');
      const signed = backend.complete.at(-1)?.body.toString('base64') ?? '';
      t.equal(await wss4j.ask(`judge ${signed}`), 'ok', 'what the gateway has signed');
    }

    await t.test('an altered message that passes the gateway passes WSS4J as well', async (t) => {
      const base: string[] = [];
      for (const reference of REFERENCES)
        for (const form of ['plain', 'noPrefixes', 'block'])
          base.push(String(await make('1.1', reference, ...ALGORITHMS.rsa256, form)));
      const random = new Alterations(20_261_127);
      let passed = 0;
      for (let at = 0; at < 1500; at++) {
        const whole = random.of(base) ?? '';
        const altered = random.alter(whole);
        if (altered === whole || (await send('all', Buffer.from(altered))) !== 'ok') continue;
        passed++;
        const judged = await wss4j.ask(`judge ${Buffer.from(altered).toString('base64')}`);
        // WSS4J reads the first text of an element of the header that has CDATA sections, and no
        // number with blanks around it. The Basic Security Profile (R3029, R3070) asks for the
        // encoding that SOAP Message Security takes without a name.
        const [header = ''] = altered.split(/<\w+:Body/, 1);
        const isKnown =
          /<!\[CDATA\[|SerialNumber>[^<]*\s/.test(header) || /BSP:R30(?:29|70)/.test(judged);
        if (judged !== 'ok' && !isKnown) t.fail(`${judged}: ${altered}`);
      }
      t.ok(passed > 20, `${passed} passed`);
    });
  },
);

/** Callers of the service that signs are known by their network. */
const CLIENTS =
  'clients: { classes: { own: {} }, networks: { here: { addresses: ' +
  '[127.0.0.1/32], class: own } } }\n';
