import { answerStatus, type RecordingBackend } from '../backend.js';
import { envelope, SOAP_12 } from '../envelope.js';
import { item, startReplyDesk } from '../reply-desk.js';
import type { Closing } from '../use.js';

export const XML = { 'content-type': 'text/xml' };
export const FAULT =
  '<s:Fault><faultcode>s:Client</faultcode><faultstring>No such badge</faultstring></s:Fault>';
export const reply = (
  body: string,
  headers: Readonly<Record<string, string>> = XML,
  status = 200,
) => answerStatus(status, headers, body);

const PACKAGE = { 'content-type': 'multipart/related; type="text/xml"' };
const VERIFIED = '    security: { verifyReplies: { timestamp: { required: true } } }\n';
export const AUTH = '    auth: { basic: { username: u, password: p } }\n';
const ENFORCED = '    validate: { replies: enforce }\n';

/** Bytes that are no message of HTTP, or not all of one; the connection is closed behind them. */
const bytes =
  (text: string): RecordingBackend['answer'] =>
  (_message, { socket }) => {
    socket?.end(text, 'latin1');
  };
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n';
const impatient = (key: string): string => `    limits: { upstream: { ${key}: 100 } }\n`;
const lengthOf = (length: number): string => `Content-Length: ${length}\r\n`;

/** What a backend sends, and keys of the service. */
const CASES: readonly (readonly [string, RecordingBackend['answer'], string?])[] = [
  ['a page', reply('<html>log in</html>', { 'content-type': 'text/html' })],
  ['a page of a proxy, 503', reply('<html>busy</html>', { 'content-type': 'text/html' }, 503)],
  ['an envelope under `text/html`', reply(envelope(item()), { 'content-type': 'text/html' })],
  ['an envelope under no media type', reply(envelope(item()), {})],
  ['no content', reply('', {})],
  ['no content, 500', reply('', {}, 500)],
  ['a redirect', reply('', { location: '/login' }, 302)],
  ['401 to `auth`', reply('', XML, 401), AUTH],
  ['401 to `auth`, with a Fault', reply(envelope(FAULT), XML, 401), AUTH],
  ['407', reply('', {}, 407)],
  ['`Content-Encoding: br`', reply('x', { ...XML, 'content-encoding': 'br' })],
  ['gzip that is none', reply('x', { ...XML, 'content-encoding': 'gzip' })],
  ['a package without a boundary', reply('x', PACKAGE)],
  ['a result with status 500', reply(envelope(item()), XML, 500)],
  ['an empty Body', reply(envelope(''))],
  ['a wrapper in another namespace', reply(envelope(item().replace('urn:t', 'urn:old')))],
  ['a wrapper of another name', reply(envelope(item().replaceAll('GetItemResponse', 'Got')))],
  ['the output of another operation', reply(envelope('<t:RenameResponse xmlns:t="urn:t"/>'))],
  ['two children of Body', reply(envelope(`${item()}${item()}`))],
  ['an envelope of no version', reply(envelope(item(), '', 'urn:soap'))],
  ['another document element', reply('<GetItemResponse/>')],
  ['no Body', reply('<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>')],
  ['an element after Body', reply(envelope(item()).replace('</s:Envelope>', '<x/></s:Envelope>'))],
  ['a Fault beside a result', reply(envelope(`${item()}${FAULT}`))],
  ['an envelope that is cut off', reply(envelope(item()).slice(0, -20))],
  ['a tag that is not closed', reply(envelope(item()).replace('</t:name>', ''))],
  ['a line before the XML declaration', reply(`\n<?xml version="1.0"?>${envelope(item())}`)],
  ['a package of parts under `text/xml`', reply(`--a\r\n\r\n${envelope(item())}\r\n--a--`)],
  [
    'a header block without a namespace',
    reply(envelope(item()).replace('<s:Body>', '<s:Header><token/></s:Header><s:Body>')),
  ],
  ['text before the envelope', reply(`Warning: x\n${envelope(item())}`)],
  ['NUL behind the envelope', reply(`${envelope(item())}\0`)],
  ['text behind the envelope', reply(`${envelope(item())}\ndone`)],
  ['a control character', reply(envelope(item('a\x01b')))],
  ['`&#x1;`', reply(envelope(item('a&#x1;b')))],
  ['an entity', reply(envelope(item('a&nbsp;b')))],
  ['a DTD', reply(`<!DOCTYPE s>${envelope(item())}`)],
  ['a processing instruction', reply(envelope(`<?x?>${item()}`))],
  ['XML 1.1', reply(`<?xml version="1.1"?>${envelope(item())}`)],
  ['an encoding that is not known', reply(`<?xml version="1.0" encoding="x"?>${envelope(item())}`)],
  [
    'two encodings',
    reply(`<?xml version="1.0" encoding="ISO-8859-1"?>${envelope(item())}`, {
      'content-type': 'text/xml; charset=utf-8',
    }),
  ],
  ['a prefix that is not declared', reply(envelope(item().replace(' xmlns:t="urn:t"', '')))],
  [
    'a longer reply than allowed',
    reply(envelope(item('x'.repeat(5000)))),
    '    limits: { xml: { messageBytes: 4096 } }\n',
  ],
  ['content that breaks the WSDL', reply(envelope(item().replace('>7<', '>many<'))), ENFORCED],
  [
    'a required element is missing',
    reply(envelope('<t:GetItemResponse xmlns:t="urn:t"/>')),
    ENFORCED,
  ],
  ['a Fault that is not signed', reply(envelope(FAULT), XML, 500), VERIFIED],
  ['length and chunks', bytes(`${HEAD}${lengthOf(3)}Transfer-Encoding: chunked\r\n\r\n`)],
  ['two lengths', bytes(`${HEAD}${lengthOf(3)}${lengthOf(4)}\r\nabc`)],
  ['a folded field', bytes(`${HEAD}X-A: b\r\n c\r\n\r\n`)],
  ['a blank before a colon', bytes(`${HEAD}X-A : b\r\n\r\n`)],
  ['NUL in a field', bytes(`${HEAD}X-A: b\0\r\n\r\n`)],
  ['lines that end with LF', bytes(`${HEAD.replaceAll('\r', '')}\n`)],
  ['a size of a chunk that is none', bytes(`${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`)],
  ['no HTTP', bytes('SSH-2.0-x\r\n')],
  ['a long head', bytes(`${HEAD}X-A: ${'b'.repeat(20_000)}\r\n\r\n`)],
  ['less than its length', bytes(`${HEAD}${lengthOf(1000)}\r\n${envelope(item())}`)],
  ['nothing; the connection is closed', bytes('')],
  ['nothing in time', () => {}, impatient('headersMillis')],
  [
    'half a reply in time',
    (_message, { socket }) => socket?.write(`${HEAD}${lengthOf(1000)}\r\n<`),
    impatient('idleMillis'),
  ],
  [
    'no whole reply in time',
    (_message, { socket }) => socket?.write(`${HEAD}${lengthOf(1000)}\r\n<`),
    '    timeoutMillis: 100\n',
  ],
  [
    'a result that is not signed, SOAP 1.2',
    reply(envelope(item(), '', SOAP_12), { 'content-type': 'application/soap+xml' }),
    VERIFIED,
  ],
];

const MEMBERS = [
  'detail',
  'line',
  'byte',
  'found',
  'expected',
  'limit',
  'key',
  'tolerate',
  'reply',
];

const rowOf = (label: string, line: Readonly<Record<string, unknown>>): string => {
  const shown = MEMBERS.flatMap((name) =>
    line[name] === undefined ? [] : [`"${name}":${JSON.stringify(line[name])}`],
  );
  return `| ${label} | \`${line['code']}\` | \`${shown.join(', ').replaceAll('|', '\\|')}\` |`;
};

/** A backend that takes no connection. */
async function unreachable(t: Closing): Promise<RefusedReply> {
  const desk = await startReplyDesk(t);
  await desk.backend.close();
  const { text } = await desk.call('soap');
  return { label: 'nothing: its port is closed', line: await desk.gateway.accessLine(1), text };
}

/** What the backend sent, the log line, and the text that the caller got. */
export interface RefusedReply {
  readonly label: string;
  readonly line: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends every reply of the table through a gateway. */
export async function refusedReplies(t: Closing): Promise<readonly RefusedReply[]> {
  const found: RefusedReply[] = [];
  const desks = new Map<string, Awaited<ReturnType<typeof startReplyDesk>>>();
  const counts = new Map<string, number>();
  for (const [label, answer, keys = ''] of CASES) {
    const desk = desks.get(keys) ?? (await startReplyDesk(t, { keys }));
    desks.set(keys, desk);
    desk.backend.answer = answer;
    const { text } = await desk.call('soap');
    const count = (counts.get(keys) ?? 0) + 1;
    counts.set(keys, count);
    found.push({ label, line: await desk.gateway.accessLine(count), text });
  }
  return [...found, await unreachable(t)];
}

/** The table of the manual. */
export const printReplies = (replies: readonly RefusedReply[]): string =>
  [
    '| the backend sends | code | log line |',
    '| --- | --- | --- |',
    ...replies.map(({ label, line }) => rowOf(label, line)),
  ].join('\n');
