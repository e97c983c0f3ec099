import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { scalars } from '../../src/codec/index.js';
import { ValueReplacer } from '../../src/flow/record/replaced-value.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Exchanges that are recorded as files. */

const WSDL = wsdlOf(
  'urn:t',
  `<xs:simpleType name="State"><xs:restriction base="xs:string"><xs:enumeration value="OPEN"/>\
<xs:enumeration value="SHIPPED"/></xs:restriction></xs:simpleType>` +
    wrapper('GetOrder', element('id', 'xs:string')) +
    wrapper(
      'GetOrderResponse',
      element('id', 'xs:string') +
        element('total', 'xs:decimal') +
        element('at', 'xs:dateTime') +
        element('state', 't:State') +
        element('paid', 'xs:boolean') +
        element('iban', 'xs:string'),
    ).replace('</xs:sequence>', '</xs:sequence><xs:attribute name="pin" type="xs:string"/>') +
    wrapper('PlaceOrder', element('id', 'xs:string')) +
    wrapper('PlaceOrderResponse', element('id', 'xs:string')),
  ['GetOrder', 'PlaceOrder'],
);

const REPLY = envelope(
  '<GetOrderResponse xmlns="urn:t"><id>AB-1234</id><total>0120.50</total>' +
    '<at>2026-11-29T12:00:00.5Z</at><state>OPEN</state><paid>true</paid><iban>CH12</iban>' +
    '</GetOrderResponse>',
);

async function useRecording(t: Test, more = '', service = '') {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const desk = await useService(
    t,
    answerWith(REPLY),
    (url) =>
      `services:\n  a:\n    wsdl: a.wsdl\n    url: ${url}\n    record: { folder: rec${more} }\n\
${service}`,
    folder,
  );
  const exchanges = (): readonly string[] => {
    const found = (path: string): readonly string[] =>
      readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('exchange.json'),
      );
    try {
      return found(join(folder, 'rec')).map((name) => join(folder, 'rec', name, '..'));
    } catch {
      return [];
    }
  };
  /** The folders of exchanges, once there are so many. */
  const written = async (count: number): Promise<readonly string[]> => {
    await until(() => exchanges().length >= count);
    return exchanges();
  };
  return { ...desk, folder, written, exchanges };
}

const request = (id: string, header = ''): string =>
  envelope(`<GetOrder xmlns="urn:t"><id>${id}</id></GetOrder>`, header);

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

const valueIn = (text: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? '';

t.test(
  'an exchange is a folder of files, its values replaced by ones of their class',
  async (t) => {
    const { send, written } = await useRecording(t);
    t.equal((await send(request('AB-1234'))).status, 200);
    await send(request('AB-1234'));
    const [first = '', second = ''] = await written(2);
    const reply = read(first, 'reply.xml');
    const sent = read(first, 'request.xml');
    t.notMatch(reply + sent, /AB-1234|120\.50|2026-11-29|CH12/);
    t.match(valueIn(reply, 'id'), /^[A-Z]{2}-[0-9]{4}$/);
    t.equal(valueIn(sent, 'id'), valueIn(reply, 'id'), 'keys still join');
    t.match(valueIn(reply, 'total'), /^0[0-9]{3}\.[0-9]{2}$/);
    t.match(
      valueIn(reply, 'at'),
      /^20[0-9]{2}-[01][0-9]-[0-2][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]Z$/,
    );
    t.equal(valueIn(reply, 'state'), 'OPEN', 'a listed value stays');
    t.equal(valueIn(reply, 'paid'), 'true');
    t.match(reply, /\n {4}<GetOrderResponse xmlns="urn:t">\n {6}<id>/, 'in lines, for people');
    t.equal(read(second, 'reply.xml'), reply, 'the same value the same way');
    t.match(JSON.parse(read(first, 'exchange.json')), {
      service: 'a',
      operation: 'GetOrder',
      kind: 'read',
      values: 'replaced',
      request: { contentType: 'text/xml; charset=utf-8', soapAction: '"GetOrder"' },
      reply: { status: 200, contentType: 'text/xml; charset=utf-8' },
    });
    t.equal(statSync(join(first, 'reply.xml')).mode & 0o077, 0, 'only its owner reads it');
  },
);

t.test('secrets are never recorded, and masked values neither', async (t) => {
  const { send, written } = await useRecording(
    t,
    ', values: keep',
    '    schema: { types: { GetOrderResponse: { fields: { iban: { mask: \
{ default: last4 } } } } } }\n',
  );
  const security =
    '<w:Security xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-' +
    'secext-1.0.xsd"><w:UsernameToken><w:Password>secret</w:Password></w:UsernameToken>' +
    '</w:Security><h:Tenant xmlns:h="urn:h">kept</h:Tenant>';
  await send(request('AB-1234', security), { authorization: 'Basic c2VjcmV0' });
  const [folder = ''] = await written(1);
  const all = ['request.xml', 'reply.xml', 'exchange.json']
    .map((name) => read(folder, name))
    .join();
  t.notMatch(all, /secret|c2VjcmV0|Password|CH12/);
  t.match(all, '<id>AB-1234</id>');
  t.match(all, 'kept');
  t.match(valueIn(read(folder, 'reply.xml'), 'iban'), /^[A-Z]{2}[0-9]{2}$/);
});

t.test('a write, operations that are not listed, and a share', async (t) => {
  const { send, written, exchanges, gateway } = await useRecording(t, ', operations: [PlaceOrder]');
  await send(request('AB-1234'));
  await send(envelope('<PlaceOrder xmlns="urn:t"><id>1</id></PlaceOrder>'));
  // The reply is that of another operation: it is refused, and not recorded.
  t.equal(exchanges().length, 0);
  t.match(await gateway.metrics(), 'soapstone_recorded_total{service="a",outcome="taken"} 1');
  const none = await useRecording(t, ', share: 0');
  await none.send(request('AB-1234'));
  t.notMatch(await none.gateway.metrics(), 'soapstone_recorded_total{');
  t.ok(written);
});

t.test('an exchange beyond a limit is not recorded, and the caller notices nothing', async (t) => {
  const { send, exchanges, gateway } = await useRecording(
    t,
    '',
    'limits: { record: { messageBytes: 1KiB } }\n',
  );
  const answer = await send(request('A'.repeat(2000)));
  t.equal(answer.status, 200);
  t.match(await gateway.metrics(), 'soapstone_recorded_total{service="a",outcome="skipped"} 1');
  t.equal(exchanges().length, 0);
});

t.test('files that cannot be written change nothing for callers', async (t) => {
  const folder = await useFolder(t, { 'a.wsdl': WSDL, file: 'no folder' });
  const { send, gateway } = await useService(
    t,
    answerWith(REPLY),
    (url) => `services: { a: { wsdl: a.wsdl, url: "${url}", record: { folder: file/rec } } }`,
    folder,
  );
  t.equal((await send(request('A'))).status, 200);
  const failed = async (): Promise<boolean> => {
    t.equal((await send(request('A'))).status, 200);
    return (await gateway.metrics()).includes(
      'soapstone_recorded_total{service="a",outcome="failed"}',
    );
  };
  for (let tries = 0; tries < 100 && !(await failed()); tries++);
  t.ok(await failed());
});

const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';

const idsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:id|Id|href|ref)="([^"]*)"/g)].map(([, value]) => value ?? '');

t.test('ids and references are replaced, and still join', async (t) => {
  const { send, written } = await useRecording(t);
  const ids = Array.from({ length: 300 }, (_, at) => `id${at}`);
  const header =
    '<h:Tenant xmlns:h="urn:h" id="197001011234" xml:id="Meier-1968" xml:lang="de">' +
    `<h:Part href="cid:part1"/><h:Of h:ref="#Meier-1968" e:ref="197001011234" xmlns:e="${ENCODING}"/>` +
    '<h:No>197001011234</h:No>' +
    ids.map((id) => `<h:At Id="${id}" href="#${id}"/>`).join('') +
    '</h:Tenant>';
  t.equal((await send(request('197001011234', header))).status, 200);
  const [folder = ''] = await written(1);
  const text = read(folder, 'request.xml');
  t.notMatch(text, /197001011234|Meier-1968/);
  t.match(text, 'xml:lang="de"');
  const [number = '', join = '', part, of, reference, ...rest] = idsIn(text);
  t.match(number, /^[1-9]\d{11}$/);
  t.match(join, /^[A-Z][a-z]{4}-[1-9]\d{3}$/);
  t.equal(part, 'cid:part1', 'a part of the package');
  t.equal(of, `#${join}`);
  t.equal(reference, number);
  t.equal(valueIn(text, 'h:No'), number, 'a text of the same value joins as well');
  t.equal(valueIn(text, 'id'), number);
  const targets = rest.filter((each) => !each.startsWith('#'));
  t.equal(new Set(targets).size, ids.length, 'values that differ stay different');
  t.strictSame(
    rest.filter((each) => each.startsWith('#')),
    targets.map((each) => `#${each}`),
  );
});

t.test('a masked id is replaced among kept values, those of SOAP encoding are kept', async (t) => {
  const written = async (attribute: string): Promise<string> => {
    const desk = await useRecording(
      t,
      ', values: keep',
      '    schema: { types: { GetOrderResponse: { fields: { id: { mask: ' +
        '{ default: last4 } } } } } }\n',
    );
    const header =
      '<h:Tenant xmlns:h="urn:h" xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
      `${attribute}>` +
      '<h:At id="id1"/><h:To href="#id1"/></h:Tenant>';
    await desk.send(request('AB-1234', header));
    const [folder = ''] = await desk.written(1);
    return read(folder, 'request.xml');
  };
  t.notMatch(await written('id="197001011234"'), /197001011234|AB-1234/);
  t.strictSame(idsIn(await written(`s:encodingStyle="${ENCODING}"`)), ['id1', '#id1']);
});

t.test('values that differ are replaced by values that differ', (t) => {
  const replacer = new ValueReplacer(Buffer.alloc(32, 1));
  const distinct = (values: readonly string[]): void => {
    const replaced = values.map((value) => replacer.replace(value, null));
    t.equal(new Set(replaced).size, values.length, values[0] ?? '');
    t.strictSame(
      replaced.map(({ length }) => length),
      values.map(({ length }) => length),
    );
  };
  distinct(Array.from({ length: 1000 }, (_, at) => String(at)));
  distinct(Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at)));
  distinct(Array.from({ length: 1000 }, (_, at) => `a${'x'.repeat(300)}-${at}`));
  t.end();
});

t.test('a masked attribute is replaced among kept values', async (t) => {
  const { send, written, backend } = await useRecording(
    t,
    ', values: keep',
    '    schema: { types: { GetOrderResponse: { fields: { "@pin": { mask: \
{ default: last4 } } } } } }\n',
  );
  backend.answer = answerWith(REPLY.replace('xmlns="urn:t"', 'xmlns="urn:t" pin="4711"'));
  await send(request('AB-1234'));
  const [folder = ''] = await written(1);
  t.notMatch(read(folder, 'reply.xml'), '4711');
  t.match(read(folder, 'reply.xml'), 'AB-1234');
});

t.test('credentials in addresses are replaced, the rest of them and codes stay', async (t) => {
  const wsa = 'http://www.w3.org/2005/08/addressing';
  const header =
    `<a:To xmlns:a="${wsa}">http://me:secret@host.example/ws?key=secret</a:To>` +
    `<a:Action xmlns:a="${wsa}">urn:t:P:GetOrderRequest</a:Action>` +
    `<a:MessageID xmlns:a="${wsa}">urn:uuid:0b5e8bd4-70a4-4a3f-9d2c-3f5a0c1f2b3d</a:MessageID>` +
    `<a:From xmlns:a="${wsa}"><a:Address>http://caller.example/me</a:Address></a:From>` +
    `<a:ReplyTo xmlns:a="${wsa}"><a:Address>${wsa}/anonymous</a:Address></a:ReplyTo>`;
  const fault = envelope(
    '<s:Fault><faultcode>s:Server.Busy</faultcode><faultstring>Meier is away</faultstring>' +
      '</s:Fault>',
  );
  for (const values of ['keep', 'replace']) {
    const monitored = '    mode: monitor\n';
    const { send, written, backend } = await useRecording(t, `, values: ${values}`, monitored);
    backend.answer = answerWith(fault, 'text/xml', 500);
    await send(request('AB-1234', header));
    const [folder = ''] = await written(1);
    const sent = read(folder, 'request.xml');
    t.notMatch(sent, /secret/);
    t.match(sent, /<a:To [^>]*>http:\/\/[a-z]{2}:[a-z]{6}@host\.example\/ws\?[a-z]{3}=[a-z]{6}</);
    t.match(sent, '>urn:t:P:GetOrderRequest<');
    t.match(sent, /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}</);
    t.match(sent, `>${wsa}/anonymous<`);
    t.equal(sent.includes('caller.example'), values === 'keep');
    const reply = read(folder, 'reply.xml');
    t.match(reply, '<faultcode>s:Server.Busy</faultcode>');
    t.equal(reply.includes('Meier'), values === 'keep');
  }
});

const TYPED: readonly (readonly [builtIn: string, values: readonly string[]])[] = [
  ['byte', ['-128', '7', '99', '127']],
  ['unsignedByte', ['0', '200', '255']],
  ['short', ['12345', '-32768', '32767']],
  ['unsignedShort', ['40000', '65535']],
  ['int', ['2147483647', '1000000001', '-7']],
  ['long', ['9223372036854775807', '5000000000']],
  ['unsignedLong', ['18446744073709551615']],
  ['positiveInteger', ['1', '+12']],
  ['float', ['1.5E10', '-0.25e-3', 'INF', '12']],
  ['decimal', ['0120.50', '-7']],
  ['duration', ['PT5M', '-P1Y2M3DT4H5M6.7S']],
  ['dateTime', ['2026-11-29T12:00:00.5Z']],
  ['date', ['2026-11-29', '2026-11-29+01:00']],
  ['time', ['12:00:00']],
  ['gYear', ['2026']],
  ['gYearMonth', ['2026-11', '2026-11Z']],
  ['gMonthDay', ['--11-29']],
  ['gMonth', ['--11']],
  ['gDay', ['---29']],
  ['hexBinary', ['00AF09', 'deadBEEF']],
  ['base64Binary', ['AAECAw==', 'AAEC']],
  ['anyURI', ['https://host.example/a?b=c', 'urn:isbn:0451450523']],
  ['NCName', ['id-4711']],
];

t.test('values of each built-in type are replaced by valid ones, of the same length', (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const replacer = new ValueReplacer(Buffer.alloc(32, seed));
    for (const [builtIn, values] of TYPED) {
      const { rule } = scalars.valueSpaceOf(builtIn);
      for (const value of values) {
        const replaced = replacer.replace(value, { builtIn });
        if (rule(replaced) !== null || replaced.length !== value.length) {
          t.fail(`${builtIn} ${value} became ${replaced}`);
        }
      }
    }
  }
  t.pass('all are valid');
  t.end();
});

t.test('a value is replaced alike whatever its type is, alone and in a list', (t) => {
  const replacer = new ValueReplacer(Buffer.alloc(32, 1));
  const uuid = '0b5e8bd4-70a4-4a3f-9d2c-3f5a0c1f2b3d';
  for (const value of ['12345', '2147483647', '3000000000', '9223372036854775807', '4711', uuid]) {
    const alone = replacer.replace(value, null);
    t.not(alone, value);
    for (const builtIn of ['string', 'token', 'integer', 'decimal']) {
      if (builtIn.length < 7 || value !== uuid)
        t.equal(replacer.replace(value, { builtIn }), alone, builtIn);
    }
    t.equal(
      replacer.replace(` ${value}\n${value}`, { builtIn: 'string', isList: true }),
      ` ${alone}\n${alone}`,
    );
    t.equal(replacer.replace(`urn:x-order:${value}`, null), `urn:x-order:${alone}`);
  }
  const many = Array.from({ length: 2000 }, (_, at) => String(2_147_480_000 + at * 7));
  const replaced = many.map((value) => replacer.replace(value, { builtIn: 'long' }));
  t.equal(new Set(replaced).size, many.length, 'values that differ stay different');
  t.end();
});
