import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeKeys, WITH_OPENSSL } from '../kit/certificates.js';
import { postSoap } from '../kit/envelope.js';
import { messageOf, securityOf, signedMessage } from '../kit/signed-message.js';
import {
  contentOf,
  include,
  MOVED,
  moved,
  type Part,
  packed,
  PACKAGE_TYPE as TYPE,
} from '../kit/signed-package.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

async function useDesk(t: Test, more = '', limits = '') {
  const { folder, identity: client } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
  const verify =
    `signature:\n  authorities: { file: ${join(folder, 'ca.pem')} }\n` +
    `  subjects: ["OU=Clients"]\n  required: [Body, Timestamp${more}]`;
  const desk = await useVerifyingDesk(t, verify, limits);
  return { desk, client };
}

t.test(
  'tokens, values and signed content that are parts of a package are ' +
    'verified, and pass as they came',
  WITH_OPENSSL,
  async (t) => {
    const { desk, client } = await useDesk(t);
    for (const length of [1, 2, 3, 100, 200_000]) {
      const { message } = signedMessage(client, contentOf(randomBytes(length)));
      for (const locals of [...MOVED.map((one) => [one]), MOVED]) {
        const [envelope, parts] = moved(message, ...locals);
        t.ok(parts.length > 0);
        for (const order of [parts, [...parts].reverse()]) {
          const sent = packed(envelope, order);
          t.equal(await desk.send(sent, TYPE), null, `${length} ${locals.join()}`);
          t.ok(desk.received.at(-1)?.body.equals(sent));
        }
      }
    }
  },
);

t.test('what was changed, exchanged or left out is refused', WITH_OPENSSL, async (t) => {
  const { desk, client } = await useDesk(t);
  const { message } = signedMessage(client, contentOf(randomBytes(60)));
  const [envelope, parts] = moved(message, 'BinarySecurityToken', 'scan');
  const [token, scan] = parts;
  if (token === undefined || scan === undefined) throw new Error('two parts');
  const altered: Part = [scan[0], Buffer.concat([scan[1].subarray(1), Buffer.from('x')])];
  const received = desk.received.length;
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ['another part', packed(envelope, [token, altered]), /FailedCheck/],
    [
      'a longer part',
      packed(envelope, [token, [scan[0], Buffer.concat([scan[1], Buffer.from('x')])]]),
      /FailedCheck/,
    ],
    ['an empty part', packed(envelope, [token, [scan[0], Buffer.alloc(0)]]), /FailedCheck/],
    ['no token', packed(envelope, [scan]), /Unsupported|MTOM|Invalid/],
    ['no content', packed(envelope, [token]), /Unsupported|MTOM|Invalid/],
    [
      'exchanged',
      packed(envelope, [
        [token[0], scan[1]],
        [scan[0], token[1]],
      ]),
      /wsse/,
    ],
    ['a part twice', packed(envelope, [token, scan, altered]), /MTOM_STRUCTURE/],
    [
      'two of one id, the right one first',
      packed(envelope, [scan, altered, token]),
      /MTOM_STRUCTURE/,
    ],
    [
      'base64 beside the envelope',
      packed(envelope, [
        token,
        [scan[0], Buffer.from(scan[1].toString('base64')), 'Content-Transfer-Encoding: base64'],
      ]),
      /Unsupported/,
    ],
    [
      'another Body',
      packed(envelope.replace('<sum>10</sum>', '<sum>99</sum>'), parts),
      /FailedCheck/,
    ],
    [
      'text beside the Include',
      packed(envelope.replace(include(scan[0]), `AAAA${include(scan[0])}`), parts),
      /FailedCheck/,
    ],
    [
      'a comment beside the Include',
      packed(envelope.replace(include(scan[0]), `<!-- x -->${include(scan[0])}`), parts),
      /FailedCheck/,
    ],
    [
      'a wrapped Body',
      packed(
        envelope.replace(
          /<soap:Body.*<\/soap:Body>|<s:Body.*<\/s:Body>/s,
          '<s:Body xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><Pay xmlns="urn:desk">' +
            '<sum>99</sum></Pay></s:Body>',
        ),
        parts,
      ),
      /wsse|WSSE|MTOM/,
    ],
    [
      'the Include itself was signed',
      packed(signedMessage(client, `<Pay xmlns="urn:desk">${include('a')}</Pay>`).message, [
        ['a', Buffer.from('x')],
      ]),
      /FailedCheck/,
    ],
  ];
  for (const [name, sent, code] of cases) t.match(await desk.send(sent, TYPE), code, name);
  t.equal(desk.received.length, received, 'none is complete at the backend');
});

t.test(
  'an included part of a signed Body counts as a signed attachment',
  WITH_OPENSSL,
  async (t) => {
    const { desk, client } = await useDesk(t, ', attachments');
    const { message } = signedMessage(client, contentOf(randomBytes(60)));
    const [envelope, parts] = moved(message, 'scan');
    t.equal(await desk.send(packed(envelope, parts), TYPE), null);
    t.match(
      await desk.send(packed(envelope, [...parts, ['other', Buffer.from('x')]]), TYPE),
      /InvalidSecurity/,
    );
    const [whole, tokens] = moved(message, 'BinarySecurityToken', 'scan');
    t.equal(await desk.send(packed(whole, tokens), TYPE), null, 'the certificate of the signer');
    const block = `</wsse:Security><x xmlns="urn:x">${include('other')}</x>`;
    t.match(
      await desk.send(
        packed(whole.replace('</wsse:Security>', block), [...tokens, ['other', Buffer.from('x')]]),
        TYPE,
      ),
      /InvalidSecurity/,
      'another part that the Header includes',
    );
  },
);

t.test('a package that is collected is bounded, others flow', WITH_OPENSSL, async (t) => {
  const { desk, client } = await useDesk(t, '', 'limits: { soap: { bufferBytes: 131072 } }\n');
  const [small, parts] = moved(
    signedMessage(client, contentOf(randomBytes(60_000))).message,
    'scan',
  );
  t.equal(await desk.send(packed(small, parts), TYPE), null);
  const [large, more] = moved(
    signedMessage(client, contentOf(randomBytes(140_000))).message,
    'scan',
  );
  const refused = await postSoap(`${desk.gateway.url}/soap/desk`, packed(large, more), {
    'content-type': TYPE,
  });
  t.equal(refused.status, 413);
  t.match(await refused.text(), /limits\.soap\.bufferBytes is 131072/);
  const plain = signedMessage(client, '<Pay xmlns="urn:desk"><sum>10</sum></Pay>').message;
  const beside: Part[] = [['scan', randomBytes(300_000)]];
  t.equal(await desk.send(packed(plain, beside), TYPE), null, 'no Include');
});

t.test('typed attributes collapse white space, as their schemas say', WITH_OPENSSL, async (t) => {
  const { desk, client } = await useDesk(t);
  const blank = (text: string, ...locals: readonly string[]): string =>
    locals.reduce(
      (all, local) => all.replaceAll(new RegExp(`( (?:\\w+:)?${local}=")([^"]*)`, 'g'), '$1 $2 '),
      text,
    );
  const { token, timestamp, signature, body } = signedMessage(client, contentOf(randomBytes(9)));
  // The token is not signed, nor are the attributes of a reference to it.
  const key =
    /<wsse:SecurityTokenReference.*<\/wsse:SecurityTokenReference>/s.exec(signature)?.[0] ?? '';
  const message = messageOf(
    securityOf([
      blank(token, 'Id', 'ValueType', 'EncodingType'),
      timestamp,
      signature.replace(key, blank(key, 'URI', 'ValueType')),
    ]),
    body,
  );
  t.match(message, /URI=" #/);
  t.equal(await desk.send(message), null);
  const twice = messageOf(securityOf([token, blank(token, 'Id'), timestamp, signature]), body);
  t.equal(await desk.send(twice), 'WSSE_DUPLICATE_ID', 'one Id, written in two ways');
});
