import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { type Identity, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { postSoap } from '../kit/envelope.js';
import {
  bodyOf,
  DS,
  EXCLUSIVE,
  messageOf,
  securityOf,
  signatureOf,
  timestampOf,
  tokenOf,
  userToken,
  WSSE,
  WSU,
} from '../kit/signed-message.js';
import { useBackend, useGateway } from '../kit/use.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const PROFILE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const BASE64 =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

interface TokenOptions {
  readonly created?: number | null;
  readonly nonce?: string | null;
  readonly more?: string;
}

function digestToken(
  user: string,
  password: string,
  {
    created = Date.now(),
    nonce = randomBytes(16).toString('base64'),
    more = '',
  }: TokenOptions = {},
): string {
  const time = created === null ? null : new Date(created).toISOString();
  const digest = createHash('sha1')
    .update(Buffer.from(nonce ?? '', 'base64'))
    .update(time ?? '')
    .update(password)
    .digest('base64');
  return (
    `<wsse:UsernameToken xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}"><wsse:Username>` +
    `${user}</wsse:Username><wsse:Password Type="${PROFILE}#PasswordDigest">` +
    `${digest}</wsse:Password>${
      nonce === null
        ? ''
        : `<wsse:Nonce EncodingType="${BASE64}">\
${nonce}</wsse:Nonce>`
    }` +
    `${time === null ? '' : `<wsu:Created>${time}</wsu:Created>`}${more}</wsse:UsernameToken>`
  );
}

const withToken = (...tokens: readonly string[]): string =>
  messageOf(securityOf(tokens), bodyOf(CONTENT));

t.test('a request without a message does not reach the backend, whatever its query', async (t) => {
  const users = 'usernameToken:\n  users: { erp: { password: one } }';
  const { gateway, received } = await useVerifyingDesk(t, users);
  for (const headers of [{}, { accept: 'application/soap+xml' }]) {
    const answer = await fetch(`${gateway.url}/soap/desk?op=Pay&sum=10`, { headers });
    t.equal(answer.status, 500);
    t.match(await answer.text(), 'wsse:InvalidSecurity');
  }
  t.equal((await fetch(`${gateway.url}/soap/desk`)).status, 200, 'the page of the service');
  t.same(received, []);
});

t.test('a step of a handshake goes on without its query', async (t) => {
  const backend = await useBackend(t, (_message, response) => response.writeHead(401).end());
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: ${backend.url}/desk
    auth: { passthrough: true }
    security: { verify: { usernameToken: { users: { erp: { password: one } } } } }
`,
  );
  const headers = { authorization: 'NTLM TlRMTVNTUAABAAAA', 'content-type': 'text/xml' };
  await fetch(`${gateway.url}/soap/desk?op=Pay`, { method: 'POST', headers });
  t.same(
    backend.complete.map(({ target }) => target),
    ['/desk'],
  );
});

t.test(
  'a UsernameToken is judged by text, by digest and by hash, and its nonce comes once',
  async (t) => {
    process.env['DESK_PASSWORD'] = 'a b&c';
    const hash = await hashPassword('hashed');
    const desk = await useVerifyingDesk(
      t,
      `usernameToken:\n  users:\n    erp: { password: "\${DESK_PASSWORD}" }\n` +
        `    old: { hash: "${hash}" }`,
    );
    const good = withToken(digestToken('erp', 'a b&c'));
    t.equal(await desk.send(good), null);
    t.equal(await desk.send(good), 'wsse:FailedAuthentication', 'its nonce came');
    const nonce = randomBytes(16).toString('base64');
    t.equal(await desk.send(withToken(digestToken('erp', 'a b&c', { nonce }))), null);
    const spelled = `${nonce.slice(0, 4)}\n ${nonce.slice(4)}`;
    t.equal(
      await desk.send(withToken(digestToken('erp', 'a b&c', { nonce: spelled }))),
      'wsse:FailedAuthentication',
      'the same bytes',
    );
    t.equal(await desk.send(withToken(userToken('erp', 'a b&amp;c'))), null);
    t.equal(await desk.send(withToken(userToken('old', 'hashed'))), null);
    const digest = (options: TokenOptions): string => digestToken('erp', 'a b&c', options);
    for (const [code, tokens] of Object.entries({
      'wsse:FailedAuthentication': {
        'a wrong digest': digestToken('erp', 'other'),
        'an unknown user by digest': digestToken('none', 'a b&c'),
        'a wrong text': userToken('erp', 'other'),
        'an unknown user': userToken('none', 'hashed'),
        'a wrong text for a hash': userToken('old', 'other'),
        'a digest for a hash': digestToken('old', 'hashed'),
        'the empty password': userToken('erp', ''),
        'an object key as user': userToken('__proto__', 'a'),
      },
      'wsse:InvalidSecurity': {
        'a digest without Nonce': digest({ nonce: null }),
        'a digest without Created': digest({ created: null }),
        'two passwords': digest({ more: '<wsse:Password>a b&amp;c</wsse:Password>' }),
        'a comment in the user': userToken('erp<!-- -->x', 'a b&amp;c'),
        'two tokens': userToken('erp', 'a b&amp;c').repeat(2),
        'no token': '',
      },
      'wsse:MessageExpired': {
        'a token that is too old': digest({ created: Date.now() - 700_000 }),
        'a token from the future': digest({ created: Date.now() + 700_000 }),
      },
      'wsse:UnsupportedSecurityToken': {
        'a derived key': digest({ more: '<x:Salt xmlns:x="urn:x"/>' }),
      },
    }))
      for (const [name, token] of Object.entries(tokens))
        t.equal(await desk.send(withToken(token)), code, name);
  },
);

t.test(
  'a decision point is asked about users that are not listed, and without an ' +
    'answer they are refused',
  async (t) => {
    const asked: string[] = [];
    const point = await useBackend(t, (message, response) => {
      asked.push(String(message.body));
      const { input } = JSON.parse(String(message.body));
      if (input.username === 'broken') response.writeHead(500).end('{"result":true}');
      else
        response.end(
          JSON.stringify({ result: { allow: input.password === `of ${input.username}` } }),
        );
    });
    const desk = await useVerifyingDesk(
      t,
      'usernameToken:\n  users:\n    erp: { password: own }\n' +
        `  url: ${point.url}/v1/data/desk/users`,
    );
    t.equal(await desk.send(withToken(userToken('erp', 'own'))), null);
    t.same(asked, [], 'a listed user is judged here');
    t.equal(await desk.send(withToken(userToken('ann', 'of ann'))), null);
    t.same(
      asked.map((body) => JSON.parse(body)),
      [{ input: { service: 'desk', username: 'ann', password: 'of ann' } }],
    );
    t.equal(await desk.send(withToken(userToken('ann', 'other'))), 'wsse:FailedAuthentication');
    t.equal(await desk.send(withToken(userToken('erp', 'other'))), 'wsse:FailedAuthentication');
    t.equal(await desk.send(withToken(userToken('broken', 'x'))), 'CREDENTIALS_UNVERIFIED');
    t.equal(
      await desk.send(withToken(digestToken('ann', 'of ann'))),
      'wsse:FailedAuthentication',
      'a digest needs the password here',
    );
    await point.close();
    t.equal(await desk.send(withToken(userToken('ann', 'of ann'))), 'CREDENTIALS_UNVERIFIED');
  },
);

const FEW = 'limits: { soap: { nonces: 100 } }\n';

t.test(
  'where no more nonces can be remembered, messages are refused: none is forgotten',
  async (t) => {
    const desk = await useVerifyingDesk(
      t,
      'usernameToken: { users: { erp: { password: own } } }',
      FEW,
    );
    const first = withToken(digestToken('erp', 'own'));
    t.equal(await desk.send(first), null);
    t.equal(await desk.send(withToken(digestToken('erp', 'other'))), 'wsse:FailedAuthentication');
    for (let count = 1; count < 100; count++)
      t.equal(await desk.send(withToken(digestToken('erp', 'own'))), null);
    t.equal(
      await desk.send(withToken(digestToken('erp', 'own'))),
      'OVERLOADED',
      'one more than the limit',
    );
    t.match(desk.gateway.logLines().at(-1), {
      code: 'OVERLOADED',
      limit: 100,
      key: 'limits.soap.nonces',
    });
    t.equal(await desk.send(first), 'wsse:FailedAuthentication', 'the first is remembered');
    t.equal(
      await desk.send(withToken(userToken('erp', 'own'))),
      null,
      'a token without a nonce needs no memory',
    );
  },
);

t.test('nonces of refused users take no room in the memory', async (t) => {
  const hash = await hashPassword('own');
  const desk = await useVerifyingDesk(
    t,
    `usernameToken: { users: { erp: { hash: "${hash}" } } }`,
    FEW,
  );
  const withNonce = (password: string): string =>
    withToken(
      userToken('erp', password).replace(
        '</wsse:UsernameToken>',
        `<wsse:Nonce>${randomBytes(16).toString('base64')}</wsse:Nonce></wsse:UsernameToken>`,
      ),
    );
  for (let count = 0; count < 101; count++)
    t.equal(await desk.send(withNonce(`guess ${count % 4}`)), 'wsse:FailedAuthentication');
  const good = withNonce('own');
  t.equal(await desk.send(good), null);
  t.equal(await desk.send(good), 'wsse:FailedAuthentication', 'its nonce came');
});

const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
const CM = 'urn:oasis:names:tc:SAML:2.0:cm:';

interface AssertionOptions {
  readonly issuer?: string;
  readonly audience?: string;
  readonly method?: string;
  readonly end?: number;
  readonly holder?: Identity;
  readonly subject?: string;
}

/**
 * An assertion that is signed in its own form: the text without its signature is its canonical
 * form.
 */
function assertionOf(signer: Identity, options: AssertionOptions = {}): string {
  const {
    issuer = 'urn:idp',
    audience = 'urn:desk',
    method = 'bearer',
    end = Date.now() + 60_000,
    holder,
    subject = 'ann',
  } = options;
  const key =
    holder === undefined
      ? ''
      : `<saml:SubjectConfirmationData><ds:KeyInfo xmlns:ds="${DS}"><ds:X509Data>` +
        `<ds:X509Certificate>${holder.cert.replace(/-----[A-Z ]+-----|\n/g, '')}` +
        '</ds:X509Certificate></ds:X509Data></ds:KeyInfo></saml:SubjectConfirmationData>';
  const [head, tail] = [
    `<saml:Assertion xmlns:saml="${SAML}" ID="assertion" ` +
      `IssueInstant="${new Date().toISOString()}" Version="2.0"><saml:Issuer>` +
      `${issuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID>${subject}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="${CM}${method}">${key}</saml:SubjectConfirmation>` +
      `</saml:Subject><saml:Conditions NotBefore="${new Date(end - 600_000).toISOString()}" ` +
      `NotOnOrAfter="${new Date(end).toISOString()}"><saml:AudienceRestriction><saml:Audience>` +
      `${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      '<saml:AttributeStatement><saml:Attribute Name="role">' +
      '<saml:AttributeValue>clerk</saml:AttributeValue></saml:Attribute>' +
      '</saml:AttributeStatement></saml:Assertion>',
  ];
  const transforms =
    `<ds:Transforms><ds:Transform Algorithm="${DS}enveloped-signature"></ds:Transform>` +
    `<ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform></ds:Transforms>`;
  const signature = signatureOf(signer, [{ uri: '#assertion', text: head + tail, transforms }], {
    keyInfo: '<ds:KeyName>any</ds:KeyName>',
  });
  return `${head}${signature}${tail}`;
}

t.test(
  'an assertion of SAML is judged by issuer, audience, time and confirmation',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, identity: idp } = makeKeys(t, '/OU=Clients/CN=idp');
    const sign = (name: string): Identity =>
      authority.sign(name, 30, `/OU=Clients/CN=${name}`, 'DNS:a', RSA_KEY);
    const [client, other] = [sign('erp'), sign('other')];
    const saml = (confirmations: string): string =>
      `saml:\n  issuers: { "urn:idp": { cert: { file: ${join(folder, 'c.pem')} } } }\n` +
      `  audience: urn:desk\n  confirmations: [${confirmations}]`;
    const desk = await useVerifyingDesk(t, saml('bearer'));
    const good = assertionOf(idp);
    t.equal(await desk.send(withToken(good)), null);
    const inObject = good.replace('</ds:Signature>', `<ds:Object>${good}</ds:Object>$&`);
    for (const [code, assertions] of Object.entries({
      'wsse:FailedCheck': {
        'another key': assertionOf(other),
        changed: good.replace('>ann<', '>bob<'),
      },
      'wsse:FailedAuthentication': {
        'another issuer': assertionOf(idp, { issuer: 'urn:other' }),
        'another audience': assertionOf(idp, { audience: 'urn:other' }),
        'another confirmation': assertionOf(idp, { method: 'sender-vouches' }),
        'not signed': good.replace(/<ds:Signature .*<\/ds:Signature>/, ''),
      },
      'wsse:MessageExpired': {
        expired: assertionOf(idp, { end: Date.now() - 400_000 }),
        'not valid yet': assertionOf(idp, { end: Date.now() + 1_200_000 }),
      },
      'wsse:InvalidSecurity': {
        'a comment in the name': good.replace('>ann<', '>ann<!-- -->.x<'),
        'the signed one in the signature of another': inObject.replace(
          'ID="assertion"',
          'ID="evil"',
        ),
        'a signature of another element': good.replace('ID="assertion"', 'ID="evil"'),
        two: good + assertionOf(idp, { subject: 'bob' }),
      },
      'wsse:UnsupportedSecurityToken': {
        'of SAML 1.1': good.replaceAll(SAML, 'urn:oasis:names:tc:SAML:1.0:assertion'),
      },
    }))
      for (const [name, text] of Object.entries(assertions))
        t.equal(await desk.send(withToken(text)), code, name);

    const signature =
      `\nsignature:\n  authorities: { file: ${join(folder, 'ca.pem')} }\n` +
      '  subjects: ["CN=erp", "CN=other"]\n  required: [Body, Timestamp]';
    const strict = await useVerifyingDesk(t, saml('holder-of-key, sender-vouches') + signature);
    const signed = (
      assertion: string,
      signer: Identity,
      covered: readonly string[] = [],
    ): string => {
      const [body, timestamp] = [bodyOf(CONTENT), timestampOf(Date.now())];
      // Canonical XML declares a namespace once.
      const parts = [
        { uri: '#body', text: body },
        { uri: '#ts', text: timestamp },
        ...covered.map((text) => ({
          uri: '#assertion',
          text: text.replace(`<ds:SignedInfo xmlns:ds="${DS}">`, '<ds:SignedInfo>'),
        })),
      ];
      return messageOf(
        securityOf([tokenOf(signer), assertion, timestamp, signatureOf(signer, parts)]),
        body,
      );
    };
    const held = assertionOf(idp, { method: 'holder-of-key', holder: client });
    t.equal(await strict.send(signed(held, client)), null, 'the holder signs');
    t.equal(
      await strict.send(signed(held, other)),
      'wsse:FailedAuthentication',
      'another one signs',
    );
    const vouched = assertionOf(idp, { method: 'sender-vouches' });
    t.equal(
      await strict.send(signed(vouched, client, [vouched])),
      null,
      'the sender signs the assertion',
    );
    t.equal(
      await strict.send(signed(vouched, client)),
      'wsse:FailedAuthentication',
      'the sender does not sign the assertion',
    );
    t.equal(
      await strict.send(signed(good, client, [good])),
      'wsse:FailedAuthentication',
      'bearer is not allowed here',
    );
  },
);

t.test(
  'the log names what was refused of credentials, and no caller sees it',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, identity: idp } = makeKeys(t, '/OU=Clients/CN=idp');
    const stranger = authority.sign('erp', 30, '/OU=Guests/CN=erp', 'DNS:a', RSA_KEY);
    const ofFile = (name: string): string => `{ file: ${join(folder, name)} }`;
    const users = 'usernameToken:\n  users: { erp: { password: one } }';
    const saml =
      `saml:\n  issuers: { "urn:idp": { cert: ${ofFile('c.pem')} } }\n` +
      '  audience: urn:desk\n  confirmations: [bearer]';
    const signature = `signature:\n  authorities: ${ofFile('ca.pem')}\n  subjects: [OU=Clients]`;
    const signed = (algorithm?: string): string => {
      const body = bodyOf(CONTENT);
      const text = signatureOf(stranger, [{ uri: '#body', text: body }]);
      const written =
        algorithm === undefined
          ? text
          : text.replace(/(SignatureMethod Algorithm=")[^"]+/, `$1${algorithm}`);
      return messageOf(securityOf([tokenOf(stranger), written]), body);
    };
    const old = Date.now() - 700_000;
    for (const [verify, message, found, expected] of [
      [users, withToken(userToken('mallory', 'secret-word')), 'mallory', undefined],
      [users, withToken(digestToken('erp', 'secret-word')), 'erp', undefined],
      [
        users,
        withToken(digestToken('erp', 'one', { created: old })),
        new Date(old).toISOString(),
        undefined,
      ],
      [saml, withToken(assertionOf(idp, { issuer: 'urn:other' })), 'urn:other', undefined],
      [saml, withToken(assertionOf(idp, { audience: 'urn:theirs' })), 'urn:theirs', 'urn:desk'],
      [saml, withToken(assertionOf(idp, { method: 'sender-vouches' })), 'ann', 'bearer'],
      [signature, signed(), 'CN=erp,OU=Guests', undefined],
      [signature, signed('urn:my-own'), 'urn:my-own', undefined],
    ] as const) {
      const { gateway } = await useVerifyingDesk(t, verify);
      const answer = await postSoap(`${gateway.url}/soap/desk`, message);
      const text = await answer.text();
      t.equal(answer.status, 500);
      const line = await gateway.logLine('request');
      t.equal(line['found'], found);
      t.equal(line['expected'], expected);
      t.notMatch(JSON.stringify(line), 'secret-word');
      t.notOk(text.includes(found), text);
    }
  },
);
