import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { envelopeOf, SOAP_11, startRefusedDesk } from '../kit/refused-desk.js';
import { useFolder } from '../kit/use.js';
import { missing, type Program, PYTHON } from './programs.js';

/**
 * Every refusal is given to the clients that callers have. What a client shows its user must say
 * what was wrong, where that has a place, and what to do.
 */

interface Refused {
  readonly name: string;
  readonly body: string | Buffer;
  readonly action?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What every client must show. */
  readonly shows: readonly string[];
}

const GOOD = '<GetOrder xmlns="urn:desk"><id>7</id></GetOrder>';
const WSA = 'http://www.w3.org/2005/08/addressing';
const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';
const NEXT = 'http://schemas.xmlsoap.org/soap/actor/next';
const header = (blocks: string): string => `<s:Header>\n${blocks}</s:Header>`;
const wsa = (blocks: string): string =>
  envelopeOf(
    GOOD,
    header(blocks.replaceAll('<w:', `<w:`)).replace('<s:Header>', `<s:Header xmlns:w="${WSA}">`),
  );

const REFUSALS: readonly Refused[] = [
  {
    name: 'another operation',
    body: envelopeOf('<GetOrdr xmlns="urn:desk"/>'),
    shows: ['no such operation: {urn:desk}GetOrdr, at line 3', 'Send the request element'],
  },
  {
    name: 'no namespace',
    body: envelopeOf('<GetOrder/>'),
    shows: ['GetOrder in no namespace, at line 3', 'in the namespace that the WSDL gives it'],
  },
  {
    name: 'an empty Body',
    body: envelopeOf(''),
    shows: ['no such operation: Body is empty', 'Send the request element'],
  },
  {
    name: 'an end tag that is missing',
    body: envelopeOf('<GetOrder xmlns="urn:desk">\n<id>7</GetOrder>'),
    shows: [
      'not well-formed XML: an end tag that is not that of the open element, ' +
        'expected is </id>, at line 4',
      'Close every element',
    ],
  },
  {
    name: 'an ampersand',
    body: envelopeOf('<GetOrder xmlns="urn:desk">\n<id>7</id><note>A & B</note></GetOrder>'),
    shows: ['an & that begins no reference, at line 4', 'write &amp; and &lt; for & and <'],
  },
  {
    name: 'a prefix',
    body: envelopeOf('<d:GetOrder/>'),
    shows: ['a prefix that is not declared, at line 3', 'Declare every prefix'],
  },
  {
    name: 'a DTD',
    body: `<!DOCTYPE a []>${envelopeOf(GOOD)}`,
    shows: ['must not contain a DTD: at line 1', 'Remove the DOCTYPE'],
  },
  {
    name: 'an encoding',
    body: Buffer.from(
      envelopeOf('<GetOrder xmlns="urn:desk"><id>1</id><note>\u00fc</note></GetOrder>'),
      'latin1',
    ),
    shows: ['bytes that are not UTF-8, at line 3', 'Send UTF-8'],
  },
  {
    name: 'depth',
    body: envelopeOf(GOOD, header(`<x xmlns="urn:x">${'<a>'.repeat(120)}`)),
    shows: ['limits.xml.depth is 100, at line 3', 'Nest fewer elements'],
  },
  {
    name: 'no envelope',
    body: GOOD,
    shows: [
      'not a SOAP Envelope: {urn:desk}GetOrder, expected is',
      SOAP_11,
      'Send a SOAP envelope',
    ],
  },
  {
    name: 'another version',
    body: envelopeOf(GOOD).replaceAll(SOAP_11, SOAP_12),
    shows: [
      `{${SOAP_12}}Envelope, expected is {${SOAP_11}}Envelope`,
      'Send the envelope of a SOAP version that the service speaks',
    ],
  },
  {
    name: 'an element after Body',
    body: envelopeOf(GOOD).replace('</s:Envelope>', '\n<x xmlns="urn:x"/></s:Envelope>'),
    shows: ['an element after Body, {urn:x}x, at line 5', 'one Header at most, then one Body'],
  },
  {
    name: 'two operations',
    body: envelopeOf(`${GOOD}\n<Other xmlns="urn:desk"/>`),
    shows: ['{urn:desk}Other, at line 4', 'Send one operation in a message'],
  },
  {
    name: 'a block that must be understood',
    body: envelopeOf(
      GOOD,
      header(`<x:Tx xmlns:x="urn:tx" s:mustUnderstand="1" s:actor="${NEXT}"/>`),
    ),
    shows: ['is not understood: {urn:tx}Tx', 'Remove the header block, or its mustUnderstand'],
  },
  {
    name: 'another action',
    body: envelopeOf(GOOD),
    action: 'urn:desk/nothing',
    shows: [
      'the message has the action "urn:desk/nothing", expected is urn:desk/get',
      'Send the action that the WSDL gives',
    ],
  },
  {
    name: 'a value',
    body: envelopeOf('<GetOrder xmlns="urn:desk">\n<id>seven</id></GetOrder>'),
    shows: ['/GetOrder/id', 'at line 4', 'Send what the schema of the WSDL declares'],
  },
  {
    name: 'a part that is missing',
    body: envelopeOf('<GetOrder xmlns="urn:desk">\n</GetOrder>'),
    shows: ['/GetOrder must have further elements', 'at line 4'],
  },
  {
    name: 'another receiver',
    body: wsa('<w:To>http://other.example/</w:To>'),
    shows: [
      'addressed to another receiver',
      'Send the address that you call in To, or leave it out',
    ],
  },
  {
    name: 'an address for answers',
    body: wsa('<w:ReplyTo><w:Address>http://other.example/</w:Address></w:ReplyTo>'),
    shows: ['Answers are given to the caller only', 'Leave ReplyTo and FaultTo out'],
  },
  {
    name: 'gzip that is none',
    body: Buffer.concat([gzipSync(envelopeOf(GOOD)).subarray(0, 40)]),
    headers: { 'Content-Encoding': 'gzip' },
    shows: ['The compressed message is broken', 'Send whole gzip data'],
  },
  {
    name: 'another media type',
    body: envelopeOf(GOOD),
    headers: { 'Content-Type': 'text/plain' },
    shows: ['Send text/xml; this service speaks SOAP 1.1.'],
  },
  {
    name: 'another address',
    body: envelopeOf(GOOD),
    path: '/soap/dsk',
    shows: ['There is nothing at this address. Check the path'],
  },
  {
    name: 'a long message',
    body: envelopeOf(`${GOOD}${' '.repeat(20_000)}`),
    shows: ['limits.xml.messageBytes is 20000. Send less'],
  },
];

const run = promisify(execFile);
const STACKS = 'test/real/stacks';
const CLIENTS: readonly (readonly [Program, string, string])[] = [
  ['php', 'php', `${STACKS}/php/refused.php`],
  ['zeep', PYTHON, `${STACKS}/zeep/refused.py`],
  ['node', process.execPath, `${STACKS}/node/refused.cjs`],
];

/**
 * SoapClient sets these itself, and shows nothing but the status of an answer that is no envelope.
 */
const isForPhp = ({ headers, name }: Refused): boolean =>
  headers === undefined && name !== 'another address' && name !== 'a long message';

for (const [client, command, script] of CLIENTS) {
  t.test(
    `${client} shows what was wrong, where, and what to do`,
    { skip: missing(client) },
    async (t) => {
      const home = await useFolder(t);
      const desk = await startRefusedDesk(t, 'limits: { xml: { messageBytes: 20000 } }\n');
      const asked = client === 'php' ? REFUSALS.filter(isForPhp) : REFUSALS;
      const file = join(home, 'messages.json');
      const messages = asked.map(
        ({ name, body, action = 'urn:desk/get', path = '/soap/desk', headers = {} }) => ({
          name,
          action,
          headers,
          url: `${desk.gateway.url}${path}`,
          body: Buffer.from(body).toString('base64'),
        }),
      );
      await writeFile(file, JSON.stringify(messages));
      const { stdout } = await run(command, [script, desk.url, file]);
      const shown = JSON.parse(stdout) as Record<
        string,
        { readonly message: string; readonly detail?: string }
      >;
      for (const { name, shows } of asked) {
        const { message = '', detail = '' } = shown[name] ?? {};
        for (const part of shows) t.ok(message.includes(part), `${name}: ${part} in ${message}`);
        if (detail !== '' && detail !== 'null')
          t.match(detail, 'code', `${name}: the detail is for programs`);
      }
      t.equal(desk.backend.begun, 0);
    },
  );
}

t.test('curl shows the same', { skip: missing('curl') }, async (t) => {
  const home = await useFolder(t);
  const desk = await startRefusedDesk(t, 'limits: { xml: { messageBytes: 20000 } }\n');
  for (const {
    name,
    body,
    action = 'urn:desk/get',
    path = '/soap/desk',
    headers = {},
    shows,
  } of REFUSALS) {
    const file = join(home, 'message');
    await writeFile(file, body);
    const fields = Object.entries({
      'Content-Type': 'text/xml',
      SOAPAction: `"${action}"`,
      Expect: '',
      ...headers,
    });
    const args = fields.flatMap(([field, value]) => ['-H', `${field}: ${value}`]);
    const { stdout } = await run('curl', [
      '-s',
      ...args,
      '--data-binary',
      `@${file}`,
      `${desk.gateway.url}${path}`,
    ]);
    const text = stdout.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    for (const part of shows) t.ok(text.includes(part), `${name}: ${part} in ${text}`);
  }
});
