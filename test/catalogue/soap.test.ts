import t, { type Test } from 'tap';

import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { answerWith } from '../kit/backend.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { type CaseFile, fill, readCaseFiles } from '../perimeter/case-file.js';
import { expectAnswer } from './expect.js';
import {
  contentTypeOf,
  digits,
  type Perimeter,
  replyOf,
  runMessages,
  startPerimeter,
} from './messages.js';
import { Rows } from './rows.js';
import { PLAIN, security, signature, withBody, withHeader, wsa } from './soap-parts.js';

const rows = new Rows('soap');

/** A machine with much else to do is no part of what is tested here. */
const CALM = 'limits: { overload: { eventLoopMillis: 0 } }\n';
/** A service for each dialect, and `all` that speaks every one, with these lines in each. */
const startServices = (t: Test, lines: string, more = ''): Promise<Perimeter> =>
  startPerimeter(t, lines, CALM + more, true);

const GATE = 'roles: ["urn:gate"]\nunderstands: ["{urn:k}Known"]\n';
const PING = `    wsdl: ${process.cwd()}/test/catalogue/fixtures/ping.wsdl\n`;

/** The files of this group, by row. */
const FILES: ReadonlyMap<string, CaseFile> = new Map(
  readCaseFiles('S').map((file) => [file.title.slice(0, 3), file]),
);

t.test('the cases of files, with one gateway for each configuration', async (group) => {
  const perimeters = new Map<string, Perimeter>();
  for (const [row, { cases, title }] of FILES) {
    await group.test(title, async (t) => {
      const ways = new Set<boolean>();
      for (const { name, message, forwarded, dialects, fields: headers, path, ...rest } of cases) {
        const key = `${rest.configuration} ${rest.service}`;
        const service = rest.service.replace('wsdl: ', `wsdl: ${process.cwd()}/`);
        const perimeter =
          perimeters.get(key) ?? (await startServices(group, service, rest.configuration));
        perimeters.set(key, perimeter);
        // One message that passes and one that is refused show for each rule that any byte may be
        // the end of a packet.
        const isBytewise = !ways.has(rest.answer === 'pass');
        ways.add(rest.answer === 'pass');
        await runMessages(t, perimeter, rows, [
          {
            row,
            case: name,
            message,
            forwarded,
            dialects,
            headers,
            isBytewise,
            path: path ?? '/soap/s{dialect}',
          },
        ]);
      }
    });
  }
});

/** Sends one message and returns what the backend got of it, or the answer where it got nothing. */
async function send(
  { backend, gateway }: Perimeter,
  dialect: DialectName,
  message: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
) {
  backend.complete.length = 0;
  const request = post(`/soap/s${digits(dialect)}`, contentTypeOf(dialect), message, headers);
  const reply = await sendRaw(gateway.url, request);
  return { reply, arrived: backend.complete[0] ?? null };
}

t.test('S02 and S12: what SOAP 1.2 wants to be named', async (t) => {
  const perimeter = await startServices(t, '', GATE);
  rows.answer('S02', 'the versions spoken');
  rows.answer('S12', 'the blocks named');
  const blocks = withHeader(
    '<h:A xmlns:h="urn:h" E:mustUnderstand="1" E:{target}="{next}"/>' +
      '<B xmlns="urn:i&amp;j" E:mustUnderstand="1" E:{target}="urn:gate"/>' +
      '<h:C xmlns:h="urn:h" E:{target}="urn:gate"/>',
  );
  for (const dialect of DIALECT_NAMES) {
    const other = await send(perimeter, dialect, '<E:Envelope xmlns:E="urn:x"/>');
    t.equal(
      other.reply.body.includes('SupportedEnvelope'),
      dialect === '1.2',
      `${dialect}: Upgrade`,
    );
    const { reply, arrived } = await send(perimeter, dialect, fill(blocks, dialect));
    expectAnswer(t, reply, 'MustUnderstand/MUST_UNDERSTAND', dialect, dialect);
    t.equal(arrived, null);
    const named = [
      ...reply.body.matchAll(/<soap:NotUnderstood xmlns:q="([^"]*)" qname="q:([^"]*)"\/>/g),
    ];
    t.same(
      named.map(([, uri, local]) => [uri, local]),
      dialect === '1.2'
        ? [
            ['urn:h', 'A'],
            ['urn:i&amp;j', 'B'],
          ]
        : [],
      `${dialect}: all of them, and none that may be passed over`,
    );
  }
});

t.test('S07: what the backend hears of the action', async (t) => {
  const perimeter = await startServices(t, PING);
  rows.answer('S07', 'what the backend hears');
  const heard = async (dialect: DialectName, headers: Record<string, string>, message = PLAIN) => {
    const { arrived } = await send(perimeter, dialect, fill(message, dialect), headers);
    return {
      soapAction: arrived?.headers['soapaction'],
      contentType: arrived?.headers['content-type'],
    };
  };
  const ping = '"http://desk.example/Ping"';
  for (const written of ['""', '"Ping"', 'urn:m#Ping', 'None', 'http://desk.example/Ping']) {
    t.equal((await heard('1.1', { SOAPAction: written })).soapAction, ping, written);
  }
  t.equal((await heard('1.1', {})).soapAction, ping, 'none at all');
  t.equal(
    (await heard('1.1', {}, withBody('<m:Pong xmlns:m="urn:m"/>'))).soapAction,
    '""',
    'the WSDL has an empty one',
  );
  t.same(await heard('1.2', { 'Content-Type': 'application/soap+xml;action="None"' }), {
    soapAction: undefined,
    contentType: 'application/soap+xml; charset=utf-8; action="http://desk.example/Ping"',
  });
  t.equal(
    (await heard('1.2', { SOAPAction: '""' })).soapAction,
    ping,
    'a field of 1.1 in 1.2 says the same',
  );
  t.equal(
    (await heard('1.1', { 'Content-Type': 'Text/XML ;Charset="UTF-8"' })).contentType,
    'text/xml; charset=utf-8',
  );
});

t.test('S11: a To that names the gateway', async (t) => {
  const perimeter = await startServices(t, '', 'publicUrl: https://soap.example:443/\n');
  rows.answer('S11', 'the address of the gateway');
  rows.answer('S11', 'the address of the backend');
  rows.answer('S11', 'signed');
  const backend = `${perimeter.backend.url}/base`;
  const to = (address: string, more = ''): string =>
    withHeader(`${wsa('To', address, 'a="é"')}${more}`).replace(
      '<E:Header>',
      '<!-- é😀 --><E:Header >',
    );
  for (const dialect of DIALECT_NAMES) {
    const path = `/soap/s${digits(dialect)}`;
    for (const own of [
      `http://localhost${path}`,
      `HTTPS://LOCALHOST:443${path}`,
      ` http://soap.example${path}\n`,
      `<!-- a -->http://localhost${path}`,
    ]) {
      for (const encoding of ['utf8', 'utf16le', 'latin1'] as const) {
        const encoded = (text: string): Buffer => {
          const named = { utf8: 'utf-8', utf16le: 'utf-16', latin1: 'iso-8859-1' }[encoding];
          const plain = encoding === 'latin1' ? text.replace('😀', '') : text;
          return Buffer.from(
            `${encoding === 'utf16le' ? '\ufeff' : ''}` +
              `<?xml version="1.0" encoding="${named}"?>${fill(plain, dialect)}`,
            encoding,
          );
        };
        const type = { 'Content-Type': DIALECTS[dialect].mediaType };
        const { arrived } = await send(perimeter, dialect, encoded(to(own)), type);
        t.same(arrived?.body, encoded(to(backend)), `${dialect}, ${encoding}: ${own}`);
        t.equal(arrived?.headers['content-length'], String(encoded(to(backend)).length));
      }
    }
    const untouched = [
      to(backend),
      to(`http://localhost${path}`, security(signature('b'))),
      withHeader(wsa('To', `http://localhost${path}`, 'E:{target}="urn:else"')),
    ];
    for (const message of untouched) {
      const { arrived } = await send(perimeter, dialect, fill(message, dialect));
      t.equal(arrived?.body.toString(), fill(message, dialect), `${dialect}: byte for byte`);
    }
    const padded = (address: string): string =>
      fill(to(address).replace('<a>1</a>', `<a>${'x'.repeat(200_000)}</a>`), dialect);
    const { arrived } = await send(perimeter, dialect, padded(`http://localhost${path}`));
    t.equal(arrived?.body.toString(), padded(backend), `${dialect}: a long message as well`);
    t.equal(
      arrived?.headers['content-length'],
      String(Buffer.byteLength(padded(backend))),
      `${dialect}: its length`,
    );
  }
});

t.test('monitor mode changes nothing and tells what it would have done', async (t) => {
  const perimeter = await startServices(t, '    mode: monitor\n');
  const messages = [
    withHeader(wsa('To', 'http://localhost/soap/s11')),
    withHeader('<h:B xmlns:h="urn:h" E:{target}="{next}"/>'),
    withHeader('<h:B xmlns:h="urn:h" E:mustUnderstand="1" E:{target}="{next}"/>'),
    withHeader(wsa('To', 'http://other.example/')),
  ].map((message) => fill(message, '1.1'));
  for (const message of messages) {
    const { reply, arrived } = await send(perimeter, '1.1', message, {
      SOAPAction: 'urn:a',
      'Content-Type': 'Text/Xml',
    });
    t.equal(reply.status, 200);
    t.equal(arrived?.body.toString(), message);
    t.equal(arrived?.headers['soapaction'], 'urn:a');
    t.equal(arrived?.headers['content-type'], 'Text/Xml');
  }
  const told = perimeter.gateway
    .logLines()
    .filter((line) => line['msg'] === 'violation let through');
  t.same(
    told.map((line) => line['code']),
    ['MUST_UNDERSTAND', 'WSA_DESTINATION'],
  );
});

t.test('S18: what is signed arrives byte for byte', async (t) => {
  const perimeter = await startServices(t, '');
  rows.answer('S18', 'signed messages, blocks for the gateway beside them');
  for (const { name, message } of FILES.get('S18')?.cases.filter(
    ({ answer }) => answer === 'pass',
  ) ?? []) {
    for (const dialect of DIALECT_NAMES) {
      const written = fill(message, dialect);
      const { arrived } = await send(perimeter, dialect, written);
      t.equal(arrived?.body.toString(), written, `${dialect}: ${name}`);
      const block = fill('<h:N xmlns:h="urn:h" E:{target}="{next}">\n</h:N>', dialect);
      const { arrived: beside } = await send(
        perimeter,
        dialect,
        written.replace('<wsse:', `${block}<wsse:`),
      );
      t.equal(beside?.body.toString(), written, `${dialect}: ${name}, the rest of it`);
    }
  }
});

t.test('S19: how old a message may be, and that its nonce is new', async (t) => {
  const perimeter = await startServices(t, '    security: { timestamps: true, nonces: true }\n');
  const at = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString();
  const timestamp = (content: string): string => `<wsu:Timestamp>${content}</wsu:Timestamp>`;
  const token = (nonce: string, created = `<wsu:Created>${at(0)}</wsu:Created>`): string =>
    `<wsse:UsernameToken><wsse:Username>a</wsse:Username><wsse:Nonce>${nonce}</wsse:Nonce>` +
    `${created}</wsse:UsernameToken>`;
  const created = (seconds: number): string => `<wsu:Created>${at(seconds)}</wsu:Created>`;
  await runMessages(t, perimeter, rows, [
    ...[
      ['Created too long ago', timestamp(created(-310))],
      ['Created in the future', timestamp(created(310))],
      ['Expires has passed', timestamp(`${created(-20)}<wsu:Expires>${at(-10)}</wsu:Expires>`)],
      ['Created just now', timestamp(`${created(-20)}<wsu:Expires>${at(200)}</wsu:Expires>`)],
      ['no time at all', timestamp('<wsu:Created>yesterday</wsu:Created>')],
      ['two Timestamps', timestamp(created(0)) + timestamp(created(0))],
      ['two Created', timestamp(created(0) + created(0))],
      ['a nonce without Created', token('n0', '')],
      ['Created of a nonce too long ago', token('n1', created(-310))],
    ].map(([name = '', content = '']) => ({
      row: 'S19',
      case: name,
      message: withHeader(security(content)),
    })),
    {
      row: 'S19',
      case: 'for somebody else',
      message: withHeader(
        security(timestamp(created(-310)) + token('n2', ''), 'E:{target}="urn:else"'),
      ),
    },
  ]);
  for (const dialect of DIALECT_NAMES) {
    const message = fill(withHeader(security(token(`n ${dialect}`))), dialect);
    const first = await send(perimeter, dialect, message);
    expectAnswer(
      t,
      first.reply,
      rows.answer('S19', 'a new nonce'),
      dialect,
      `${dialect}: a new nonce`,
    );
    const second = await send(perimeter, dialect, message);
    expectAnswer(
      t,
      second.reply,
      rows.answer('S19', 'a nonce that came before'),
      dialect,
      `${dialect}: again`,
    );
    t.equal(second.arrived, null);
  }
  const off = await startServices(t, '');
  const message = withHeader(security(timestamp(created(-310)) + token('n', '')));
  await runMessages(t, off, rows, [{ row: 'S19', case: 'switched off', message }]);
});

t.test('S28: content that a bridge cannot put into the other version', async (t) => {
  const backend = await useBackend(t, (message, response) => {
    const dialect =
      DIALECT_NAMES.find((name) => message.body.includes(DIALECTS[name].envelopeUri)) ?? '1.1';
    answerWith(replyOf(dialect), contentTypeOf(dialect))(message, response);
  });
  const services = DIALECT_NAMES.map((caller, at) => {
    const spoken = DIALECT_NAMES[(at + 1) % DIALECT_NAMES.length];
    const keys = `url: "${backend.url}", versions: ["${spoken}"], bridge: ["${caller}"]`;
    return `  s${digits(caller)}: { ${keys} }\n`;
  });
  const gateway = await useGateway(t, `services:\n${services.join('')}${CALM}`);
  const block = '<k:Other xmlns:k="urn:k"/>';
  const messages: Readonly<Record<string, string>> = {
    'without either': PLAIN,
    'an encodingStyle that is empty': withBody('<m:Ping xmlns:m="urn:m" E:encodingStyle=""/>'),
    'the encodingStyle of 1.2 for none': withBody(
      '<m:Ping xmlns:m="urn:m" E:encodingStyle="{env}/encoding/none"/>',
    ),
    'the encoding at an element of Body': withBody(
      '<m:Ping xmlns:m="urn:m" E:encodingStyle="{enc}"/>',
    ),
    'a signature of the message': withHeader(security(signature('a'))),
    'a signature, behind another block': withHeader(block + security(signature('a'))),
  };
  await runMessages(
    t,
    { backend, gateway },
    rows,
    Object.entries(messages).map(([name, message]) => ({
      row: 'S28',
      case: name,
      message,
      dialects: name.includes('is empty')
        ? ['2001-12', '1.1']
        : name.includes('of 1.2')
          ? ['1.2']
          : DIALECT_NAMES,
    })),
  );
});

t.test('every case of the table has run', async (t) => rows.assertComplete(t));
