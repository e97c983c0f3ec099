import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { makeKeys, WITH_OPENSSL } from '../kit/certificates.js';
import { problemsOf } from '../kit/configuration.js';
import { postSoap } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { bodyOf, messageOf, securityOf, userToken } from '../kit/signed-message.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useGateway, useService } from '../kit/use.js';

const TYPES = `
    namespace: urn:desk
    types: |
      type Query { pay(sum: String!): Paid }
      type Paid { id: Int }`;

interface ChainOptions {
  readonly further?: (folder: string) => string;
  readonly verify?: string;
  readonly read?: string;
  readonly clients?: string;
}

/** A gateway that makes assertions in front of one that demands them, in front of a backend. */
async function useChain(
  t: Test,
  made: (folder: string) => string,
  { further, verify = '', read = '{}', clients = '' }: ChainOptions = {},
) {
  const { folder } = makeKeys(t, '/O=Bank/CN=issuer');
  const { backend, gateway: verifier } = await useService(
    t,
    answerOperations('urn:desk', () => '<id>7</id>'),
    (url) => `services:
  desk:
    url: ${url}/desk${TYPES}
    operations: { Pay: { field: Query.pay, read: {} } }
    security:
      verify:
        saml: { issuers: { "urn:gateway": { cert: { file: ${join(folder, 'c.pem')} } } }, \
audience: "urn:desk", confirmations: [bearer] }${further?.(folder) ?? ''}
`,
  );
  const maker = await useGateway(
    t,
    `services:
  desk:
    url: ${verifier.url}/soap/desk${TYPES}
    operations: { Pay: { field: Query.pay, read: ${read} } }
    security:
      ${verify}make: { replace: true, ${made(folder)} }
${clients}`,
  );
  return {
    folder,
    backend,
    maker,
    verifier,
    senders: () =>
      verifier
        .logLines()
        .filter(({ msg }) => msg === 'request')
        .map(({ sender }) => sender),
    soap: (message: string): Promise<Response> => postSoap(`${maker.url}/soap/desk`, message),
    ask: (headers: Record<string, string> = {}): Promise<string> =>
      askText(maker.url, PAY, headers),
  };
}

const issued = (subject: string) => (folder: string) =>
  `saml: { issuer: "urn:gateway", ${subject}, audience: "urn:desk", cert: { file: ` +
  `${join(folder, 'c.pem')} }, key: { file: ${join(folder, 'k.pem')} } }`;
const BODY = bodyOf('<Pay xmlns="urn:desk"><sum>1</sum></Pay>');
const plain = messageOf('', BODY);
const PAY = '{ pay(sum: "1") { id } }';

t.test(
  'an assertion that the gateway issues is good, whatever characters are in it',
  WITH_OPENSSL,
  async (t) => {
    for (const [subject, printed] of [
      ['desk', 'desk'],
      [String.raw`é <&> "x" ]]> 😀 \r\n\t end`, 'é <&> "x" ]]> 😀 \r\n\t end'],
    ] as const) {
      const chain = await useChain(t, issued(`subject: "${subject.replaceAll('"', '\\"')}"`));
      t.match(await chain.ask(), '"id":7');
      t.equal((await chain.soap(plain)).status, 200);
      t.same(chain.senders(), [`saml:${printed}`, `saml:${printed}`]);
    }
  },
);

t.test(
  'the assertion is signed together with the message where that is asked for',
  WITH_OPENSSL,
  async (t) => {
    const chain = await useChain(
      t,
      (folder) =>
        `${issued('subject: desk')(folder)}, signature: { cert: { file: ` +
        `${join(folder, 'c.pem')} }, key: { file: ${join(folder, 'k.pem')} }, ` +
        'parts: [Body, Assertion] }',
      {
        further: (folder) =>
          `\n        signature: { authorities: { file: ${join(folder, 'ca.pem')} }, subjects: ` +
          '["CN=issuer"], required: [Body, Assertion] }',
        verify: 'verify: { usernameToken: { users: { ann: { password: ann } } } }\n      ',
      },
    );
    t.match(await chain.ask(), '"id":7');
    t.same(chain.senders(), ['certificate:CN=issuer,O=Bank saml:desk']);
  },
);

const withUser = (user: string): string => messageOf(securityOf([userToken(user, user)]), BODY);

t.test(
  'the assertion is about the sender that a SOAP message proves, and its own block is gone',
  WITH_OPENSSL,
  async (t) => {
    const chain = await useChain(t, issued('claim: sub'), {
      verify:
        'verify: { usernameToken: { users: { ann: { password: ann }, bob: ' +
        '{ password: bob } } } }\n      ',
      clients: 'clients: { wsSecurity: { class: all }, classes: { all: {} } }\n',
    });
    t.equal((await chain.soap(withUser('ann'))).status, 200);
    t.equal((await chain.soap(withUser('bob'))).status, 200);
    t.same(chain.senders(), ['saml:ann', 'saml:bob']);
    t.notMatch(String(chain.backend.complete[0]?.body), 'UsernameToken');
    t.match(await (await chain.soap(withUser('eve'))).text(), 'wsse:FailedAuthentication');
    t.equal(chain.senders().length, 2);
  },
);

t.test(
  'the assertion is about a claim of the caller, and callers without it are refused',
  WITH_OPENSSL,
  async (t) => {
    const issuer = await makeIssuer();
    const headersOf = (user: string | null) =>
      issuer.bearer({ sub: 'portal', ...(user === null ? {} : { user }) });
    const chain = await useChain(t, issued('claim: user'), {
      // Calls are shared: not those about different subjects.
      read: '{ cacheMillis: 60000, scope: shared }',
      clients: `clients:
  ${issuer.yaml('class: all')}
  classes: { all: {} }
`,
    });
    t.match(await chain.ask(await headersOf('ann')), '"id":7');
    t.match(await chain.ask(await headersOf('bob')), '"id":7');
    t.match(await chain.ask(await headersOf('ann')), '"id":7');
    t.match(await chain.ask(await headersOf(null)), 'FORBIDDEN');
    t.same(chain.senders(), ['saml:ann', 'saml:bob'], 'the third is answered from the cache');
  },
);

t.test(
  'an assertion of a file is sent as it is, and a new file is read',
  WITH_OPENSSL,
  async (t) => {
    const source = await useChain(t, issued('subject: "é ann"'));
    await source.ask();
    const assertionIn = (body: string): string =>
      /<saml:Assertion.*<\/saml:Assertion>/s.exec(body)?.[0] ?? '';
    // The verifying gateway passes the block on.
    const first = assertionIn(String(source.backend.complete[0]?.body));
    t.match(first, '&#233; ann');
    const file = join(source.folder, 'a.xml');
    writeFileSync(file, `<?xml version="1.0"?>\n${first.replace('&#233;', 'é')}\n`);
    const passing = await useGateway(
      t,
      `services:
  desk:
    url: ${source.verifier.url}/soap/desk${TYPES}
    operations: { Pay: { field: Query.pay } }
    security: { make: { saml: { assertion: { file: ${file} } } } }
`,
    );
    t.match(await askText(passing.url, PAY), '"id":7');
    t.same(source.senders(), ['saml:é ann', 'saml:é ann']);
  },
);

t.test(
  'xmlsec1 verifies the assertion',
  { skip: hasXmlsec() ? WITH_OPENSSL.skip : 'xmlsec1 is not installed' },
  async (t) => {
    const chain = await useChain(t, issued('subject: "é <&> ann"'));
    await chain.ask();
    const assertion =
      /<saml:Assertion.*<\/saml:Assertion>/s.exec(String(chain.backend.complete[0]?.body))?.[0] ??
      '';
    const verify = (text: string): number | null => {
      const file = join(chain.folder, 'assertion.xml');
      writeFileSync(file, text);
      const id = ['--id-attr:ID', 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion'];
      const trusted = ['--trusted-pem', join(chain.folder, 'ca.pem')];
      return spawnSync('xmlsec1', ['--verify', ...trusted, ...id, file]).status;
    };
    t.equal(verify(assertion), 0);
    t.not(verify(assertion.replace('ann', 'bob')), 0);
  },
);

function hasXmlsec(): boolean {
  return spawnSync('xmlsec1', ['--version']).status === 0;
}

t.test(
  'an assertion that cannot be made is an error of the configuration',
  WITH_OPENSSL,
  async (t) => {
    const desk =
      `services:\n  desk:\n    url: http://127.0.0.1:1/${TYPES}\n    operations: { Pay: ` +
      '{ field: Query.pay } }\n';
    const key = 'issuer: a, audience: "urn:a", cert: "-----BEGIN ", key: "-----BEGIN "';
    for (const [saml, problem] of [
      ['', /neither an `assertion` nor all that/],
      ['assertion: "<x/>"', /no assertion of SAML 2.0/],
      ['assertion: "<x/>", subject: a', /`assertion`, and `subject`/],
      [key, /not exactly one of `subject` and `claim`/],
      [`${key}, subject: a, claim: sub`, /not exactly one of `subject` and `claim`/],
      [`${key}, subject: a`, /The certificate of `security.make.saml` cannot be read/],
    ] as const)
      t.match(
        await problemsOf(t, `${desk}    security: { make: { saml: { ${saml} } } }\n`),
        problem,
        saml,
      );
  },
);
