import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, item, startReplyDesk } from '../kit/reply-desk.js';

/** Encodings of single bytes, with a name in them. */
const WRITTEN: readonly (readonly [encoding: string, bytes: string, name: string])[] = [
  ['ISO-8859-1', 'N\xe4gel', 'Nägel'],
  ['ISO-8859-2', 'gwo\xbcdzie\xf1', 'gwoździeń'],
  ['ISO-8859-5', '\xd3\xd2\xde\xd7\xd4\xec', 'гвоздь'],
  ['ISO-8859-7', '\xea\xe1\xf1\xf6\xdf', 'καρφί'],
  ['ISO-8859-9', '\xe7ivi \xfe\xf0\xfd', 'çivi şğı'],
  ['ISO-8859-15', '5 \xa4', '5 €'],
  ['windows-1250', 'h\xf8eb\xedk \x9e', 'hřebík ž'],
  ['windows-1251', '\xe3\xe2\xee\xe7\xe4\xfc', 'гвоздь'],
  ['windows-1252', '5 \x80', '5 €'],
  ['windows-1254', '\xe7ivi \xfe\x80', 'çivi ş€'],
  ['windows-1257', 'nagl\xe0 \xfe', 'naglą ž'],
];

const declared = (encoding: string, message: string): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>${message}`, 'latin1');

t.test('replies in encodings of single bytes are served at every endpoint', async (t) => {
  const desk = await startReplyDesk(t);
  for (const [encoding, bytes, name] of WRITTEN) {
    const reply = declared(encoding, envelope(item(bytes)));
    for (const contentType of ['text/xml', `text/xml; charset=${encoding}`]) {
      desk.backend.answer = answerWith(reply, contentType);
      for (const endpoint of ENDPOINTS.slice(1)) {
        const { text } = await desk.call(endpoint);
        t.match(text, `"name":"${name}"`, `${encoding}, ${contentType}, ${endpoint}`);
      }
      const passed = await desk.send(ASKED);
      t.same(Buffer.from(await passed.arrayBuffer()), reply, `${encoding} as it came`);
      t.equal(passed.headers.get('content-type'), contentType);
    }
  }
});

const ASKED = envelope('<t:GetItem xmlns:t="urn:t"><t:id>7</t:id></t:GetItem>');

t.test('such a reply is read byte by byte', async (t) => {
  const reply = declared('windows-1250', envelope(item('h\xf8eb\xedk \x9e')));
  const slowly = (_: RecordedMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    const rest = [...reply];
    const next = (): void => {
      const byte = rest.shift();
      if (byte === undefined) {
        response.end();
      } else {
        response.write(Buffer.of(byte), next);
      }
    };
    next();
  };
  const desk = await startReplyDesk(t, { answer: slowly });
  t.match((await desk.call('graphql')).text, '"name":"hřebík ž"');
});

t.test('a reply whose bytes or declarations do not fit its encoding is refused', async (t) => {
  const desk = await startReplyDesk(t);
  const refused: readonly (readonly [string, Buffer, string])[] = [
    ['a byte that is not defined', declared('windows-1250', envelope(item('\x81'))), 'text/xml'],
    ['two names', declared('ISO-8859-2', envelope(item('a'))), 'text/xml; charset=windows-1250'],
    ['several bytes', declared('Shift_JIS', envelope(item('\x83\x5c'))), 'text/xml'],
  ];
  for (const [what, reply, contentType] of refused) {
    desk.backend.answer = answerWith(reply, contentType);
    for (const endpoint of ENDPOINTS) {
      t.match((await desk.call(endpoint)).text, REFUSED, `${what}, ${endpoint}`);
    }
  }
});

/** The code of the refusal; tools get its text alone. */
const REFUSED = /UPSTREAM_INVALID_RESPONSE|The service gave no valid answer/;

t.test('a request in such an encoding goes on as it came, with its name', async (t) => {
  const desk = await startReplyDesk(t);
  const message = declared(
    'ISO-8859-2',
    envelope('<t:GetItem xmlns:t="urn:t"><!-- gwo\xbcd\xbc --><t:id>7</t:id></t:GetItem>'),
  );
  for (const contentType of ['text/xml', 'text/xml; charset="ISO-8859-2"']) {
    const answer = await desk.send(message, { 'content-type': contentType });
    t.equal(answer.status, 200);
    const sent = desk.backend.complete.at(-1);
    t.same(sent?.body, message);
    t.equal(sent?.headers['content-type'], 'text/xml; charset=iso-8859-2');
  }
  const other = await desk.send(message, { 'content-type': 'text/xml; charset=Shift_JIS' });
  t.equal(other.status, 415);
});

t.test('single quotes around the charset of a reply are no part of its name', async (t) => {
  const desk = await startReplyDesk(t);
  const name = 'h\u0159eb\u00edk';
  for (const [reply, contentType] of [
    [envelope(item(name)), "text/xml; charset='utf-8'"],
    [envelope(item(name)), "text/xml;charset='UTF-8'"],
    [declared('windows-1250', envelope(item('h\xf8eb\xedk'))), "text/xml; charset='windows-1250'"],
    [declared('windows-1250', envelope(item('h\xf8eb\xedk'))), "text/xml; charset='CP1250'"],
  ] as const) {
    desk.backend.answer = answerWith(reply, contentType);
    for (const endpoint of ENDPOINTS.slice(1)) {
      t.match((await desk.call(endpoint)).text, `"name":"${name}"`, `${contentType}, ${endpoint}`);
    }
    t.equal((await desk.call('soap')).status, 200, contentType);
  }
  desk.backend.answer = answerWith(envelope(item(name)), "text/xml; charset='iso-8859-2");
  t.match((await desk.call('graphql')).text, 'UPSTREAM_INVALID_RESPONSE', 'one quote');
});
