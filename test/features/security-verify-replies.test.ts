import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerWith } from '../kit/backend.js';
import { type Identity, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { problemsOf } from '../kit/configuration.js';
import { envelope, faultOf } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import {
  bodyOf,
  messageOf,
  securityOf,
  signatureOf,
  signedMessage,
  timestampOf,
  tokenOf,
  WSU,
} from '../kit/signed-message.js';
import { moved, PACKAGE_TYPE, packed } from '../kit/signed-package.js';
import { useService } from '../kit/use.js';

const ATTACHMENT_CONTENT =
  'http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform';
const WSSE11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
const REQUEST = envelope('<Pay xmlns="urn:desk"><sum>1</sum></Pay>');
const contentOf = (id: string): string =>
  `<PayResponse xmlns="urn:desk"><id>${id}</id></PayResponse>`;
const FAULT = faultOf('s:Server', 'secret');

type Answer = (request: string) => string | Buffer;

/**
 * A gateway that signs calls and verifies replies, in front of a backend that answers as it is
 * told.
 */
async function useDesk(t: Test, verified = '') {
  const { folder, authority } = makeKeys(t, '/OU=Gateways/CN=gateway');
  const sign = (name: string, unit: string): Identity =>
    authority.sign(name, 30, `/OU=${unit}/CN=${name}`, 'DNS:a', RSA_KEY);
  const [service, other] = [sign('desk', 'Desks'), sign('shop', 'Shops')];
  const { backend, gateway, askText, send } = await useService(
    t,
    answerWith(''),
    (
      url,
    ) => `clients: { classes: { own: {} }, networks: { here: { addresses: [127.0.0.1/32], class: \
own } } }
services:
  desk:
    url: ${url}/desk
    namespace: urn:desk
    rest: true
    types: |
      type Query { pay(sum: String!): Paid }
      type Paid { id: String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security:
      make:
        timestamp: true
        replace: true
        signature: { cert: { file: ${join(folder, 'c.pem')} }, key: { file: \
${join(folder, 'k.pem')} } }
      verifyReplies:
        timestamp: { required: true }
        signature:
          authorities: { file: ${join(folder, 'ca.pem')} }
          subjects: ["OU=Desks"]
          required: [Body, Timestamp]
${verified}`,
  );
  return {
    service,
    other,
    gateway,
    answerWith(answer: Answer, status = 200, type = 'text/xml'): void {
      backend.answer = (message, response) =>
        answerWith(answer(String(message.body)), type, status)(message, response);
    },
    soap: (): Promise<Response> => send(REQUEST),
    ask: (): Promise<string> => askText('{ pay(sum: "1") { id } }'),
    rest: (): Promise<Response> => postJson(`${gateway.url}/rest/desk/Pay`, { sum: '1' }),
  };
}

t.test(
  'a reply that verifies goes on as it came, by SOAP, GraphQL and REST',
  WITH_OPENSSL,
  async (t) => {
    const desk = await useDesk(t);
    let sent = '';
    desk.answerWith(() => {
      sent = signedMessage(desk.service, contentOf('seven')).message;
      return sent;
    });
    const answer = await desk.soap();
    t.equal(answer.status, 200);
    t.equal(await answer.text(), sent);
    t.match(JSON.parse(await desk.ask()), { data: { pay: { id: 'seven' } } });
    t.match(await (await desk.rest()).json(), { id: 'seven' });
  },
);

t.test(
  'a reply that does not verify is an invalid answer, and nothing of it is shown',
  WITH_OPENSSL,
  async (t) => {
    const desk = await useDesk(t);
    const body = bodyOf(contentOf('secret'));
    const signed = (identity: Identity, options = {}): string =>
      signedMessage(identity, contentOf('secret'), options).message;
    for (const [name, reply, detail, status = 200] of [
      ['no Security block', messageOf('', body), 'wsse:InvalidSecurity'],
      ['a Fault without one', messageOf('', bodyOf(FAULT)), 'wsse:InvalidSecurity', 500],
      [
        'not signed',
        messageOf(securityOf([timestampOf(Date.now())]), body),
        'wsse:InvalidSecurity',
      ],
      ['changed', signed(desk.service).replace('>secret<', '>secreT<'), 'wsse:FailedCheck'],
      ['another signer', signed(desk.other), 'wsse:FailedAuthentication'],
      [
        'too old',
        signed(desk.service, { nowMillis: Date.now() - 1_200_000 }),
        'wsse:MessageExpired',
      ],
      ['an Id twice', signed(desk.service).replace('<id>', '<id Id="body">'), 'WSSE_DUPLICATE_ID'],
      [
        'a second Body in a block',
        signed(desk.service).replace('Id="body"', 'Id="other"'),
        'wsse:InvalidSecurity',
      ],
    ] as const) {
      desk.answerWith(() => reply, status);
      const answer = await desk.soap();
      const text = await answer.text();
      t.equal(answer.status, 500, name);
      t.match(text, 'UPSTREAM_INVALID_RESPONSE', name);
      t.match(text, '<faultcode>s', name);
      t.notMatch(text, /secre|wsse:/i, name);
      t.match(desk.gateway.logLines().at(-1), { code: 'UPSTREAM_INVALID_RESPONSE' });
      t.match(String(desk.gateway.logLines().at(-1)?.['detail']), detail, name);
      const data = await desk.ask();
      t.match(data, 'UPSTREAM_INVALID_RESPONSE', name);
      t.notMatch(data, /secre|wsse:/i, name);
      const rest = await desk.rest();
      t.ok(rest.status >= 500, name);
      t.notMatch(await rest.text(), /secre|wsse:/i, name);
    }
  },
);

t.test('a Fault that verifies goes on', WITH_OPENSSL, async (t) => {
  const desk = await useDesk(t);
  desk.answerWith(
    () => signedMessage(desk.service, FAULT.replace('secret', 'sold out')).message,
    500,
  );
  t.match(await (await desk.soap()).text(), 'sold out');
  t.match(await desk.ask(), 'sold out');
});

t.test(
  'a long reply whose last byte is changed is never complete at the caller',
  WITH_OPENSSL,
  async (t) => {
    const desk = await useDesk(t);
    const long = contentOf('x'.repeat(3_000_000));
    desk.answerWith(() => signedMessage(desk.service, long).message);
    t.equal((await (await desk.soap()).text()).length > 3_000_000, true);
    desk.answerWith(() => signedMessage(desk.service, long).message.replace('x</id>', 'y</id>'));
    const answer = await desk.soap();
    let text = '';
    const decoder = new TextDecoder();
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
    })();
    await t.rejects(reading, 'the connection is cut');
    t.notMatch(text.slice(-1000), '</s:Envelope>');
    t.notMatch(text.slice(-1000), 'y</id>');
  },
);

/** A reply with these confirmations, which are signed unless told otherwise. */
function confirmingReply(identity: Identity, values: readonly string[], isCovered = true): string {
  const [body, timestamp] = [bodyOf(contentOf('seven')), timestampOf(Date.now())];
  const confirmations = values.map(
    (value, index) =>
      `<wsse11:SignatureConfirmation xmlns:wsse11="${WSSE11}" xmlns:wsu="${WSU}" ` +
      `Value="${value}" wsu:Id="c${index}"></wsse11:SignatureConfirmation>`,
  );
  const signature = signatureOf(identity, [
    { uri: '#body', text: body },
    { uri: '#ts', text: timestamp },
    ...(isCovered ? confirmations.map((text, index) => ({ uri: `#c${index}`, text })) : []),
  ]);
  return messageOf(securityOf([tokenOf(identity), timestamp, ...confirmations, signature]), body);
}

const valueIn = (request: string): string => /SignatureValue>([^<]*)</.exec(request)?.[1] ?? '';

t.test('a reply must confirm the signature of its request, signed', WITH_OPENSSL, async (t) => {
  const desk = await useDesk(t, '        signatureConfirmation: true\n');
  const refused = async (name: string, answer: Answer, detail: string): Promise<void> => {
    desk.answerWith(answer);
    t.match(await desk.ask(), 'UPSTREAM_INVALID_RESPONSE', name);
    t.match(await (await desk.soap()).text(), 'UPSTREAM_INVALID_RESPONSE', name);
    t.match(String(desk.gateway.logLines().at(-1)?.['detail']), detail, name);
  };
  let earlier = '';
  desk.answerWith((request) => {
    earlier = confirmingReply(desk.service, [valueIn(request)]);
    return earlier;
  });
  t.match(await desk.ask(), '"seven"');
  t.equal((await desk.soap()).status, 200);
  await refused('the reply to an earlier request', () => earlier, 'wsse:FailedCheck');
  await refused('none', () => confirmingReply(desk.service, []), 'wsse:FailedCheck');
  const further = (request: string): string =>
    confirmingReply(desk.service, [valueIn(request), Buffer.from('other').toString('base64')]);
  await refused('another one beside it', further, 'wsse:FailedCheck');
  await refused(
    'not signed',
    (it) => confirmingReply(desk.service, [valueIn(it)], false),
    'wsse:InvalidSecurity',
  );
  await refused('no base64', () => confirmingReply(desk.service, ['!']), 'wsse:InvalidSecurity');
});

t.test('the block is taken out of a reply where that is asked for', WITH_OPENSSL, async (t) => {
  const desk = await useDesk(t, '        remove: true\n');
  for (const length of [1, 500_000]) {
    desk.answerWith(() => signedMessage(desk.service, contentOf('x'.repeat(length))).message);
    const answer = await desk.soap();
    const text = await answer.text();
    t.equal(answer.status, 200);
    t.notMatch(text, 'Security');
    t.match(text, `${'x'.repeat(length)}</id>`);
    t.match(text.slice(-20), '</s:Envelope>');
  }
  t.match(await desk.ask(), 'xxx');
});

t.test('a reply in a package is verified with its attachments', WITH_OPENSSL, async (t) => {
  const desk = await useDesk(t);
  const type = 'multipart/related; type="text/xml"; boundary=b; start="<root>"';
  const data = 'bytes of the attachment';
  const replyOf = (sent: string, covered = data): string => {
    const [body, timestamp] = [bodyOf(contentOf('seven')), timestampOf(Date.now())];
    const transforms =
      `<ds:Transforms><ds:Transform Algorithm="${ATTACHMENT_CONTENT}">` +
      '</ds:Transform></ds:Transforms>';
    const signature = signatureOf(desk.service, [
      { uri: '#body', text: body },
      { uri: '#ts', text: timestamp },
      { uri: 'cid:a', text: covered, transforms },
    ]);
    const envelope = messageOf(securityOf([tokenOf(desk.service), timestamp, signature]), body);
    const part = (id: string, mediaType: string, content: string): string =>
      `--b\r\nContent-Type: ${mediaType}\r\nContent-ID: <${id}>\r\nContent-Transfer-Encoding: ` +
      `binary\r\n\r\n${content}\r\n`;
    return (
      `${part('root', 'text/xml; charset=utf-8', envelope)}` +
      `${part('a', 'application/octet-stream', sent)}--b--\r\n`
    );
  };
  let sent = '';
  const remembered = (): string => {
    sent = replyOf(data);
    return sent;
  };
  desk.answerWith(remembered, 200, type);
  const answer = await desk.soap();
  t.equal(answer.status, 200);
  t.equal(await answer.text(), sent);
  t.match(await desk.ask(), '"seven"');
  desk.answerWith(() => replyOf('bytes of another one'), 200, type);
  t.match(await (await desk.soap()).text(), 'UPSTREAM_INVALID_RESPONSE');
  t.match(String(desk.gateway.logLines().at(-1)?.['detail']), 'wsse:FailedCheck');
  desk.answerWith(() => replyOf(data).replace('>seven<', '>eight<'), 200, type);
  t.match(await (await desk.soap()).text(), 'UPSTREAM_INVALID_RESPONSE');
  t.match(await desk.ask(), 'UPSTREAM_INVALID_RESPONSE');
});

t.test(
  'a reply whose signed content is parts of a package is verified',
  WITH_OPENSSL,
  async (t) => {
    const desk = await useDesk(t);
    const type =
      'multipart/related; type="application/xop+xml"; boundary=b; ' +
      'start="<root>"; start-info="text/xml"';
    const include = (id: string): string =>
      `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:${id}"/>`;
    const replyOf = (content: string): Buffer => {
      const [body, timestamp] = [bodyOf(contentOf('c2V2ZW4=')), timestampOf(Date.now())];
      const signature = signatureOf(desk.service, [
        { uri: '#body', text: body },
        { uri: '#ts', text: timestamp },
      ]);
      const token = tokenOf(desk.service);
      const letters = />([^<]+)</.exec(token)?.[1] ?? '';
      const envelope = messageOf(securityOf([token, timestamp, signature]), body)
        .replace(letters, include('token'))
        .replace('c2V2ZW4=', include('a'));
      const part = (id: string, mediaType: string, bytes: string | Buffer): Buffer =>
        Buffer.concat([
          Buffer.from(
            `--b\r\nContent-Type: ${mediaType}\r\nContent-ID: <${id}>\r\n` +
              'Content-Transfer-Encoding: binary\r\n\r\n',
          ),
          Buffer.from(bytes),
          Buffer.from('\r\n'),
        ]);
      return Buffer.concat([
        part('root', 'application/xop+xml; charset=UTF-8; type="text/xml"', envelope),
        part('a', 'application/octet-stream', content),
        part('token', 'application/octet-stream', Buffer.from(letters, 'base64')),
        Buffer.from('--b--\r\n'),
      ]);
    };
    desk.answerWith(() => replyOf('seven'), 200, type);
    t.equal((await desk.soap()).status, 200);
    t.match(
      await desk.ask(),
      'elements where a simple value is expected',
      'verified, and no String',
    );
    desk.answerWith(() => replyOf('eight'), 200, type);
    t.match(await (await desk.soap()).text(), 'UPSTREAM_INVALID_RESPONSE');
    t.match(String(desk.gateway.logLines().at(-1)?.['detail']), 'wsse:FailedCheck');
    t.match(await desk.ask(), 'UPSTREAM_INVALID_RESPONSE');
  },
);

t.test('a reply with large signed parts is read in steps', WITH_OPENSSL, async (t) => {
  const desk = await useDesk(t);
  const content = randomBytes(3_000_000);
  const { message } = signedMessage(desk.service, contentOf(content.toString('base64')));
  const [text, parts] = moved(message, 'BinarySecurityToken', 'id');
  const whole = packed(text, parts);
  const altered = Buffer.from(whole);
  altered[altered.length - 100] = (altered[altered.length - 100] ?? 0) ^ 1;
  for (let round = 0; round < 3; round++) {
    desk.answerWith(() => whole, 200, PACKAGE_TYPE);
    const answer = await desk.soap();
    t.equal(answer.status, 200);
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(whole), 'as it came');
    t.match(await desk.ask(), 'elements where a simple value is expected');
    desk.answerWith(() => altered, 200, PACKAGE_TYPE);
    t.match(await (await desk.soap()).text(), 'UPSTREAM_INVALID_RESPONSE');
    t.match(await desk.ask(), 'UPSTREAM_INVALID_RESPONSE');
  }
});

t.test(
  'verification of replies that could not hold is an error of the configuration',
  WITH_OPENSSL,
  async (t) => {
    const types =
      'namespace: urn:desk, types: "type Query { pay: String }", operations: { Pay: ' +
      '{ field: Query.pay } }';
    for (const [mode, keys, problem] of [
      ['enforce', '', /verifyReplies` demands nothing/],
      ['monitor', 'timestamp: { required: true }', /mode: monitor/],
      [
        'enforce',
        'timestamp: { required: true }, signatureConfirmation: true',
        /signatureConfirmation.*makes none/,
      ],
    ] as const) {
      const security = `security: { verifyReplies: { ${keys} } }`;
      const yaml =
        'services: { desk: { url: "http://127.0.0.1:1/", mode: ' +
        `${mode}, ${types}, ${security} } }\n`;
      t.match(await problemsOf(t, yaml), problem, keys);
    }
  },
);
