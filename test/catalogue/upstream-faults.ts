import t, { type Test } from 'tap';

import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import type { RawReply } from '../kit/raw-client.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';
import { envelope, http, type Scripted, startScripted } from './upstream-kit.js';

const LEAKS =
  '<stackTrace xmlns="http://xml.apache.org/axis/">at secret.Db(Db.java:7)</stackTrace>' +
  '<h:hostname xmlns:h="http://xml.apache.org/axis/">secret-host</h:hostname>';
const UNDECLARED = '<sql xmlns="urn:x">select secret</sql>';
const DECLARED = '<o:BadOrder xmlns:o="urn:o"><o:id>9</o:id></o:BadOrder>';

const fault11 = (
  detail: string,
  code = 'E:Client.BadOrder',
  dialect: DialectName = '1.1',
): string =>
  envelope(
    `<E:Fault><faultcode>${code}</faultcode><faultstring>no &amp; no</faultstring>` +
      `<faultactor>urn:actor</faultactor><detail>${detail}</detail></E:Fault>`,
    dialect,
  );
const fault12 = (detail: string, dialect: DialectName = '1.2'): string =>
  envelope(
    '<E:Fault><E:Code><E:Value>E:Sender</E:Value><E:Subcode>' +
      '<E:Value xmlns:x="urn:x">x:BadOrder</E:Value></E:Subcode></E:Code><E:Reason>' +
      '<E:Text xml:lang="de">nein</E:Text></E:Reason><E:Role>urn:actor</E:Role><E:Detail>' +
      `${detail}</E:Detail></E:Fault>`,
    dialect,
  );

/** What callers are told of the Faults of backends. */
export function testFaults(rows: Rows): void {
  const asked = async (
    scripted: Scripted,
    message: string | Buffer,
    dialect: DialectName,
    operation = 'GetOrder',
  ): Promise<RawReply> => {
    scripted.play((socket) =>
      socket.write(http(message, { 'Content-Type': DIALECTS[dialect].mediaType }, '500 Oops')),
    );
    return scripted.ask(operation, { dialect });
  };

  t.test('S24: a Fault counts as one whatever status it had', async (t) => {
    const scripted = await startScripted(t);
    scripted.play((socket) => socket.write(http(fault11(''))));
    await scripted.ask('Ping');
    rows.answer('S24', 'counted');
    t.match(await scripted.gateway.accessLine(), { outcome: 'fault', status: 500 });
    t.match(
      await scripted.gateway.metrics(),
      /soapstone_faults_total\{[^}]*origin="backend"[^}]*\} 1/,
    );
  });

  t.test('S25: of the detail callers see what the policy lets them', async (t) => {
    const check = (
      t: Test,
      name: string,
      reply: RawReply,
      kept: readonly string[],
      cut: readonly string[],
    ): void => {
      t.equal(
        rows.answer('S25', name),
        cut.length === 0 ? 'untouched' : 'the Fault without it',
        name,
      );
      t.equal(reply.status, 500, name);
      t.match(reply.body, 'no &amp; no', `${name}: the text stays`);
      for (const text of kept) t.ok(reply.body.includes(text), `${name}: ${text} stays`);
      for (const text of cut) t.notOk(reply.body.includes(text), `${name}: ${text} is cut`);
    };
    const declared = await startScripted(t);
    const all = `${LEAKS}${DECLARED}${UNDECLARED}`;
    let reply = await asked(declared, fault11(all), '1.1');
    check(t, 'undeclared entry', reply, [DECLARED], ['secret', 'sql']);
    t.equal(reply.body, fault11(DECLARED), 'exactly those bytes');
    reply = await asked(declared, fault11(DECLARED), '1.1');
    check(t, 'declared entry', reply, [DECLARED], []);
    t.equal(reply.body, fault11(DECLARED));
    reply = await asked(
      declared,
      fault11('<BadOrder><id>9</id><StackTrace>secret</StackTrace></BadOrder>'),
      '1.1',
    );
    check(
      t,
      'trace in an unqualified declared entry',
      reply,
      ['<BadOrder><id>9</id></BadOrder>'],
      ['secret'],
    );
    check(
      t,
      'text in detail',
      await asked(declared, fault11(`select secret ${DECLARED} secret`), '1.1'),
      [DECLARED],
      ['secret'],
    );
    reply = await asked(
      declared,
      fault11(`\r\n  <!-- secret -->${DECLARED}\r\n <!--secret-->`),
      '1.1',
    );
    check(t, 'comments in detail', reply, [DECLARED], ['secret']);
    reply = await asked(declared, fault11(`${'\n'.repeat(40)}<!-- secret -->${DECLARED}`), '1.1');
    check(t, 'comments in detail', reply, [DECLARED], ['secret']);
    reply = await asked(declared, fault11(`\r\n\t${DECLARED}\r\n`), '1.1');
    t.equal(reply.body, fault11(`\r\n\t${DECLARED}\r\n`), 'blanks stay');
    const beside = fault11(DECLARED).replace(
      '<detail>',
      '<stackTrace>secret</stackTrace><sql>secret</sql><detail>',
    );
    t.not(beside, fault11(DECLARED));
    reply = await asked(declared, beside, '1.1');
    t.equal(reply.body, fault11(DECLARED), 'what is no part of a Fault');
    reply = await asked(declared, fault11(`<inv.BadOrder>9</inv.BadOrder>${UNDECLARED}`), '1.1');
    check(t, 'entry with the package of its class', reply, ['<inv.BadOrder>9'], ['secret']);
    check(
      t,
      'no WSDL',
      await asked(declared, fault11(`${LEAKS}${UNDECLARED}`), '1.1', 'Ping'),
      [UNDECLARED],
      ['axis', 'secret-host'],
    );
    const utf16 = Buffer.concat([
      Buffer.from('\ufeff', 'utf16le'),
      Buffer.from(fault11(`é${all}ü`), 'utf16le'),
    ]);
    scriptType(declared, utf16);
    const wide = await declared.ask('GetOrder');
    rows.answer('S25', 'in UTF-16');
    t.equal(wide.status, 500);
    t.notOk(wide.body.replaceAll('\0', '').includes('secret'), 'in UTF-16: cut');
    t.ok(wide.body.replaceAll('\0', '').includes('BadOrder'), 'in UTF-16: kept');
    check(
      t,
      'longer than the window',
      await asked(declared, fault11(`<sql>${'secret'.repeat(20_000)}</sql>${DECLARED}`), '1.1'),
      [DECLARED],
      ['secret'],
    );
    expectAnswer(
      t,
      await asked(declared, fault11(`<sql>${'secret'.repeat(60_000)}</sql>`), '1.1'),
      rows.answer('S25', 'longer than what is held'),
      '1.1',
      'longer than what is held',
    );
    const none = await startScripted(t, { perService: '    faultDetail: none\n' });
    check(t, 'none', await asked(none, fault11(all), '1.1'), [], ['secret', 'BadOrder>', 'detail']);
    check(
      t,
      'none, beside the detail',
      await asked(none, beside, '1.1'),
      [],
      ['secret', 'BadOrder>', 'detail'],
    );
    const pass = await startScripted(t, { perService: '    faultDetail: unsafe:pass\n' });
    reply = await asked(pass, fault11(all), '1.1');
    check(t, 'pass', reply, [all], []);
    t.equal(reply.body, fault11(all));

    const named = (uri: string): string => fault11(DECLARED).replace('urn:actor', uri);
    const nameless = fault11(DECLARED).replace('<faultactor>urn:actor</faultactor>', '');
    for (const uri of [
      'http://secret-host:8080/orders',
      ' https://secret/ ',
      'secret-host',
      '//secret/',
      '<![CDATA[http:]]>//secret/&#97;',
    ]) {
      reply = await asked(declared, named(uri), '1.1');
      check(t, 'address of the backend as faultactor', reply, [DECLARED], ['secret']);
      t.equal(reply.body, nameless, 'exactly those bytes');
    }
    reply = await asked(
      declared,
      Buffer.from(named('http://secret/é').replace('no &amp; no', 'é\u{1f600}no &amp; no')),
      '1.1',
    );
    t.equal(
      reply.body,
      nameless.replace('no &amp; no', 'é\u{1f600}no &amp; no'),
      'behind characters of several bytes',
    );
    for (const uri of ['http://schemas.xmlsoap.org/soap/actor/next', ' urn:orders:backend ']) {
      reply = await asked(declared, named(uri), '1.1');
      check(t, 'faultactor that is no address', reply, [uri], []);
      t.equal(reply.body, named(uri));
    }
    reply = await asked(pass, named('http://secret-host/'), '1.1');
    check(t, 'faultactor, pass', reply, ['secret-host'], []);
    const role = 'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver';
    const node = '<E:Node>http://secret-host/</E:Node><E:Role>http://secret-host/orders</E:Role>';
    reply = await asked(
      declared,
      fault12(DECLARED).replace('<E:Role>urn:actor</E:Role>', node),
      '1.2',
    );
    t.equal(rows.answer('S25', 'address of the backend as Node and Role'), 'the Fault without it');
    t.equal(reply.body, fault12(DECLARED).replace('<E:Role>urn:actor</E:Role>', ''));
    reply = await asked(declared, fault12(DECLARED).replace('urn:actor', role), '1.2');
    t.equal(reply.body, fault12(DECLARED).replace('urn:actor', role), 'a role of SOAP');
    rows.answer('S25', 'address of the backend in a translated Fault');
    reply = await asked(declared, named('http://secret-host/'), '1.2');
    t.notMatch(reply.body, /secret|Role/);
    declared.play((socket) => socket.write(http(named('http://secret-host/'), {}, '500 Oops')));
    rows.answer('S25', 'address of the backend in GraphQL');
    const told = JSON.stringify((await declared.graphql('{ order }')).errors);
    t.match(told, '"actor":null');
    t.notMatch(told, 'secret');

    for (const [name, scripted, seen, hidden] of [
      ['GraphQL', declared, '9', 'secret'],
      ['GraphQL, none', none, 'no & no', '"9"'],
      ['GraphQL, pass', pass, 'secret', 'nothing'],
    ] as const) {
      rows.answer('S25', name);
      scripted.play((socket) => socket.write(http(fault11(all), {}, '500 Oops')));
      const errors = JSON.stringify((await scripted.graphql('{ order }')).errors);
      t.ok(errors.includes('SOAP_FAULT') && errors.includes(seen), `${name}: ${errors}`);
      t.notOk(errors.includes(hidden), name);
    }
  });

  t.test('S26: a Fault speaks the dialect of its caller', async (t) => {
    const scripted = await startScripted(t);
    const detail =
      '<o:BadOrder xmlns:o="urn:o" xmlns:q="urn:q" ' +
      'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="q:T" ' +
      'o:a="1&lt;">q:x<o:id>9</o:id></o:BadOrder>';
    const body = '<o:BadOrder xmlns:o="urn:o" ';
    const told = (
      name: string,
      reply: RawReply,
      status: number,
      parts: readonly string[],
    ): void => {
      t.equal(rows.answer('S26', name), `${status}, in the dialect of the caller`);
      t.equal(reply.status, status, `${name}: status`);
      for (const part of parts)
        t.ok(reply.body.includes(part), `${name}: ${part} in ${reply.body}`);
    };
    const types = (reply: RawReply): string | undefined => reply.headers.get('content-type');
    let reply = await asked(scripted, fault11(detail), '1.2');
    const parts12 = [
      '<soap:Value>soap:Sender</soap:Value>',
      '<soap:Subcode><soap:Value>BadOrder</soap:Value></soap:Subcode>',
      '<soap:Text xml:lang="en">no &amp; no</soap:Text>',
      '<soap:Role>urn:actor</soap:Role>',
      '<soap:Detail>',
    ];
    told('1.1 to a caller of 1.2', reply, 400, [
      ...parts12,
      body,
      'xmlns:q="urn:q"',
      ':type="q:T"',
      'o:a="1&lt;"',
      '>q:x<o:id>9</o:id></o:BadOrder>',
    ]);
    t.match(types(reply), 'application/soap+xml');
    reply = await asked(scripted, fault12(`${detail}${UNDECLARED}`), '1.1');
    const parts11 = [
      '<faultcode>soap:Client.BadOrder</faultcode>',
      'nein</faultstring>',
      '<faultactor>urn:actor</faultactor>',
      '<detail>',
    ];
    told('1.2 to a caller of 1.1', reply, 500, [...parts11, body, DIALECTS['1.1'].envelopeUri]);
    t.notMatch(reply.body, 'secret', 'the policy holds');
    t.match(types(reply), 'text/xml');
    told(
      '1.1 in an envelope of 1.2',
      await asked(scripted, fault11(detail, 'E:Client.BadOrder', '1.2'), '1.2'),
      400,
      parts12,
    );
    told(
      '1.2 in an envelope of 1.1',
      await asked(scripted, fault12(detail, '1.1'), '1.1'),
      500,
      parts11,
    );
    told(
      '1.1 in an envelope of 1.2 to a caller of 1.1',
      await asked(scripted, fault11(detail, 'E:Server', '1.2'), '1.1'),
      500,
      ['<faultcode>soap:Server</faultcode>'],
    );
    reply = await asked(scripted, fault11('', 'E:Client.BadOrder'), '2001-12', 'Ping');
    told('1.1 to a caller of 2001-12', reply, 500, [
      '<faultcode>Client</faultcode>',
      DIALECTS['2001-12'].envelopeUri,
    ]);
    reply = await asked(
      scripted,
      fault11('', 'w:FailedAuthentication').replace(
        '<faultcode',
        '<faultcode xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"',
      ),
      '1.2',
    );
    told('a code of WS-Security', reply, 400, ['soap:Sender<', 'c:FailedAuthentication<']);
    reply = await asked(
      scripted,
      fault11('', 'f:Odd').replace('<faultcode', '<faultcode xmlns:f="urn:f"'),
      '1.2',
    );
    told('a code of somebody else', reply, 500, ['soap:Receiver<', 'xmlns:c="urn:f">c:Odd<']);
    reply = await asked(scripted, fault11('', 'Odd code: <![CDATA[<x>]]>'), '1.2');
    told('a code that is none', reply, 500, ['soap:Receiver<']);
    t.notMatch(reply.body, '<x>');

    const code = (value: string, more = ''): string =>
      `<E:Code><E:Value${more}>${value}</E:Value></E:Code>`;
    const reason = '<E:Reason><E:Text xml:lang="en">no</E:Text></E:Reason>';
    const of12 = (parts: string): string => envelope(`<E:Fault>${parts}</E:Fault>`, '1.2');
    const valid = (value: string): string => `<soap:Code><soap:Value>soap:${value}</soap:Value>`;
    const said = '</soap:Code><soap:Reason><soap:Text xml:lang="en">no</soap:Text></soap:Reason>';
    for (const [name, parts, status, expected] of [
      [
        'Node before Code',
        `<E:Node>urn:n</E:Node>${code('E:Sender')}${reason}`,
        400,
        `${valid('Sender')}${said}<soap:Node>urn:n</soap:Node></soap:Fault>`,
      ],
      [
        'Reason before Code',
        reason + code('E:Sender'),
        400,
        `${valid('Sender')}${said}</soap:Fault>`,
      ],
      ['unknown Value', code('E:Oops') + reason, 500, `${valid('Receiver')}<soap:Subcode>`],
      [
        'Value of somebody else',
        code('f:Sender', ' xmlns:f="urn:f"') + reason,
        500,
        'xmlns:c="urn:f">c:Sender<',
      ],
      [
        'Value without a prefix',
        code('Sender') + reason,
        400,
        `${code('E:Sender')}${reason}</E:Fault>`,
      ],
      [
        'Value of SOAP 1.1',
        code('E:Client') + reason,
        400,
        `${valid('Sender')}${said}</soap:Fault>`,
      ],
      ['empty Code', `<E:Code/>${reason}`, 500, `${valid('Receiver')}${said}</soap:Fault>`],
      [
        'text as Code',
        `<E:Code>E:Sender</E:Code>${reason}`,
        500,
        `${valid('Receiver')}${said}</soap:Fault>`,
      ],
      ['no Reason', code('E:Sender'), 400, `${valid('Sender')}</soap:Code><soap:Reason>`],
      ['two Codes', code('E:Sender') + code('E:Receiver') + reason, 400, valid('Sender')],
      [
        'unqualified parts',
        (code('E:Sender') + reason).replaceAll(/(<\/?)E:/g, '$1'),
        400,
        `${valid('Sender')}${said}</soap:Fault>`,
      ],
      ['Fault without parts', '', 500, `${valid('Receiver')}</soap:Code><soap:Reason>`],
    ] as const) {
      reply = await asked(scripted, of12(parts), '1.2');
      told(`${name} in 1.2`, reply, status, [expected]);
    }
    for (const parts of [
      code('E:Sender') + reason,
      code('q:Sender', ` xmlns:q="${DIALECTS['1.2'].envelopeUri}"`) + reason,
      code('\n Sender ', ` xmlns="${DIALECTS['1.2'].envelopeUri}"`) + reason,
      `${code('E:MustUnderstand').replace('</E:Code>', '<E:Subcode><E:Value>E:x</E:Value></E:Subcode></E:Code>')}` +
        '<E:Reason><E:Text xml:lang="en">a</E:Text><E:Text xml:lang="de">b</E:Text></E:Reason>' +
        '<E:Node>urn:n</E:Node><E:Role>urn:r</E:Role><E:Detail/>',
    ]) {
      rows.answer('S26', 'a valid one in 1.2');
      reply = await asked(scripted, of12(parts), '1.2');
      t.equal(reply.body, of12(parts), 'a valid one stays as it is');
    }
  });
}

/** A Fault in UTF-16. */
function scriptType(scripted: Scripted, message: Buffer): void {
  scripted.play((socket) =>
    socket.write(http(message, { 'Content-Type': 'text/xml; charset=utf-16' }, '500 Oops')),
  );
}
