import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { answerStatus, type RecordingBackend } from '../kit/backend.js';
import { envelope, SOAP_12 } from '../kit/envelope.js';
import { item, startReplyDesk } from '../kit/reply-desk.js';

/**
 * Refusals of replies and their log lines: the manual has the table, which `WRITE_TABLES=1` writes
 * anew.
 */

const PAGE = 'config/manual/replies.md';
const BEGIN = '<!-- The table of refused replies: test/features/reply-table.test.ts -->\n';

const XML = { 'content-type': 'text/xml' };
const FAULT =
  '<s:Fault><faultcode>s:Client</faultcode><faultstring>No such badge</faultstring></s:Fault>';
const reply = (body: string, headers: Readonly<Record<string, string>> = XML, status = 200) =>
  answerStatus(status, headers, body);

const PACKAGE = { 'content-type': 'multipart/related; type="text/xml"' };
const VERIFIED = '    security: { verifyReplies: { timestamp: { required: true } } }\n';
const AUTH = '    auth: { basic: { username: u, password: p } }\n';
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

/** The row of a backend that takes no connection. */
async function unreachableRow(t: Test): Promise<string> {
  const desk = await startReplyDesk(t);
  await desk.backend.close();
  await desk.call('soap');
  return rowOf('nothing: its port is closed', await desk.gateway.accessLine(1));
}

t.test('the console has what was found in a refused reply', async (t) => {
  const desk = await startReplyDesk(t, { keys: AUTH });
  desk.backend.answer = reply(envelope(FAULT), XML, 401);
  await desk.call('soap');
  desk.backend.answer = reply(envelope(item().replace('urn:t', 'urn:old')));
  await desk.call('soap');
  await desk.gateway.accessLine(2);
  const state = await (await fetch(`${desk.gateway.adminUrl}/console/state`)).text();
  t.match(state, 'the reply has status 401, text/xml, SOAP 1.1');
  t.match(state, 'Fault Client: No such badge');
  t.match(state, 'found {urn:old}GetItemResponse; expected {urn:t}GetItemResponse; the reply has');
});

t.test('the manual has every refusal of a reply with its log line', async (t) => {
  const rows: string[] = ['| the backend sends | code | log line |', '| --- | --- | --- |'];
  const desks = new Map<string, Awaited<ReturnType<typeof startReplyDesk>>>();
  const counts = new Map<string, number>();
  for (const [label, answer, keys = ''] of CASES) {
    const desk = desks.get(keys) ?? (await startReplyDesk(t, { keys }));
    desks.set(keys, desk);
    desk.backend.answer = answer;
    const got = await desk.call('soap');
    const count = (counts.get(keys) ?? 0) + 1;
    counts.set(keys, count);
    const line = await desk.gateway.accessLine(count);
    t.match(line['code'], /^UPSTREAM_/, `${label}: ${JSON.stringify(line)}`);
    t.notMatch(got.text, /badge|urn:old|text\/html|log in/, `${label}: callers get nothing of it`);
    rows.push(rowOf(label, line));
  }
  rows.push(await unreachableRow(t));
  const table = `${rows.join('\n')}\n`;
  const page = readFileSync(PAGE, 'utf8');
  const start = page.indexOf(BEGIN) + BEGIN.length;
  t.ok(start > BEGIN.length, 'the page has the mark');
  const written = `${page.slice(0, start)}\n${table}`;
  if (process.env['WRITE_TABLES'] === '1') writeFileSync(PAGE, written);
  t.equal(page, written, 'WRITE_TABLES=1 node dist/test/features/reply-table.test.js writes it');
});

t.test('texts of a backend are cut and escaped in the log line', async (t) => {
  const desk = await startReplyDesk(t);
  const long = `<t:${'x'.repeat(100)} xmlns:t="urn:${'y'.repeat(100)}"/>`;
  desk.backend.answer = reply(envelope(long));
  await desk.call('soap');
  const line = await desk.gateway.accessLine(1);
  t.equal(String(line['found']).length, 128);
  const fault = FAULT.replace('No such badge', `a"b\\${'z'.repeat(300)}`);
  desk.backend.answer = reply(envelope(fault), XML, 401);
  const guarded = await startReplyDesk(t, { keys: AUTH });
  guarded.backend.answer = desk.backend.answer;
  await guarded.call('soap');
  const refused = await guarded.gateway.accessLine(1);
  t.match(refused['reply'], { faultCode: 'Client', faultString: `a"b\\${'z'.repeat(124)}` });
});
