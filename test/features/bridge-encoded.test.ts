import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { ENCODED_TAGS_MAX } from '../../src/soap/bridge/encoded-content.js';
import { DIALECTS } from '../../src/soap/index.js';
import { answerWith } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { useService } from '../kit/use.js';

/** Operations in the SOAP encoding, whose callers and backend speak different versions. */

const WSDL = resolve('test/real/stacks/php/legacy.wsdl');

type Version = '1.1' | '1.2';

const TYPES = { '1.1': 'text/xml', '1.2': 'application/soap+xml' } as const;
const other = { '1.1': '1.2', '1.2': '1.1' } as const;

/** An envelope that declares the encoding as `c`; the content is written as given. */
const envelope = (version: Version, body: string): string =>
  `<s:Envelope xmlns:s="${DIALECTS[version].envelopeUri}" ` +
  `xmlns:c="${DIALECTS[version].encodingUri}" xmlns:m="urn:legacy:inventory" ` +
  `xmlns:xsd="http://www.w3.org/2001/XMLSchema"><s:Body>${body}</s:Body></s:Envelope>`;

const style = (version: Version): string => `s:encodingStyle="${DIALECTS[version].encodingUri}"`;

async function useEncoded(t: Test, caller: Version, more = '') {
  const { backend, gateway } = await useService(
    t,
    answerWith(''),
    (url) =>
      `services:\n  a:\n    wsdl: ${WSDL}\n    url: "${url}/"\n` +
      `    versions: ["${other[caller]}"]\n    bridge: ["${caller}"]\n${more}`,
  );
  const send = async (text: string) => {
    const headers = { 'content-type': TYPES[caller] };
    const answered = await postSoap(`${gateway.url}/soap/a`, text, headers);
    return { status: answered.status, text: await answered.text() };
  };
  return { backend, gateway, send };
}

/** The same content in both versions. */
const SAME: Readonly<Record<string, Readonly<Record<Version, string>>>> = {
  'an array': {
    '1.1': '<i c:arrayType="xsd:string[2]"><e>a</e><e>b</e></i>',
    '1.2': '<i c:itemType="xsd:string" c:arraySize="2"><e>a</e><e>b</e></i>',
  },
  'an array of two dimensions': {
    '1.1': '<i c:arrayType="xsd:int[2,3]"/>',
    '1.2': '<i c:itemType="xsd:int" c:arraySize="2 3"/>',
  },
  'an array of open size': {
    '1.1': '<i c:arrayType="xsd:int[]"/>',
    '1.2': '<i c:itemType="xsd:int" c:arraySize="*"/>',
  },
  references: {
    '1.1': '<a href="#x"/><b id="x"><sku>1</sku></b>',
    '1.2': '<a c:ref="x"/><b c:id="x"><sku>1</sku></b>',
  },
  'types of the encoding': {
    '1.1': '<a xmlns:x="urn:x" x:type="c:Array">c:Array</a>',
    '1.2': '<a xmlns:x="urn:x" x:type="c:Array">c:Array</a>',
  },
};

for (const caller of ['1.1', '1.2'] as const) {
  const called = other[caller];
  t.test(`callers of SOAP ${caller} call encoded operations of SOAP ${called}`, async (t) => {
    const { backend, send } = await useEncoded(t, caller);
    for (const [name, content] of Object.entries(SAME)) {
      const request = (version: Version): string =>
        envelope(version, `<m:getItem ${style(version)}>${content[version]}</m:getItem>`);
      const reply = (version: Version): string =>
        envelope(
          version,
          `<m:getItemResponse ${style(version)}>${content[version]}</m:getItemResponse>`,
        );
      backend.answer = answerWith(reply(called), TYPES[called]);
      const answer = await send(request(caller));
      t.equal(answer.status, 200, name);
      t.equal(sorted(String(backend.complete.at(-1)?.body)), sorted(request(called)), name);
      t.equal(sorted(answer.text), sorted(reply(caller)), name);
    }
  });
}

/** The order of attributes has no meaning. */
const sorted = (text: string): string =>
  text.replaceAll(
    /<([^\s/>]+)((?:\s+[^\s=]+="[^"]*")+)/g,
    (_, name: string, attributes: string) =>
      `<${name} ${[...attributes.matchAll(/[^\s=]+="[^"]*"/g)]
        .map(([each]) => each)
        .sort()
        .join(' ')}`,
  );

t.test('elements that are referred to keep their references', async (t) => {
  const { backend, send } = await useEncoded(t, '1.2');
  const reply = (version: Version, ref: string, id: string, root: string): string =>
    envelope(
      version,
      `<m:getItemResponse ${style(version)}><return ${ref}/></m:getItemResponse>` +
        `<multiRef ${id}${root} ${style(version)}><sku>1</sku></multiRef>`,
    );
  backend.answer = answerWith(reply('1.1', 'href="#7"', 'id="7"', ' c:root="0"'), TYPES['1.1']);
  const { status, text } = await send(envelope('1.2', `<m:getItem ${style('1.2')}/>`));
  t.equal(status, 200);
  t.equal(sorted(text), sorted(reply('1.2', 'c:ref="7"', 'c:id="7"', '')));
});

t.test('the style that Body names is named by its child', async (t) => {
  const { backend, send } = await useEncoded(t, '1.2');
  const body = `<m:getItemResponse><return/></m:getItemResponse>`;
  backend.answer = answerWith(
    envelope('1.1', body).replace('<s:Body>', `<s:Body ${style('1.1')}>`),
    TYPES['1.1'],
  );
  const { text } = await send(envelope('1.2', `<m:getItem ${style('1.2')}/>`));
  const [, child = ''] = /<s:Body>(<m:getItemResponse[^>]*>)/.exec(text) ?? [];
  t.match(child, `xmlns:soap-bridge="${DIALECTS['1.2'].envelopeUri}"`);
  t.match(child, `soap-bridge:encodingStyle="${DIALECTS['1.2'].encodingUri}"`);
});

t.test('the name of the result of SOAP 1.2 is left out for SOAP 1.1', async (t) => {
  const { backend, send } = await useEncoded(t, '1.1');
  const result = '<r:result xmlns:r="http://www.w3.org/2003/05/soap-rpc">return</r:result>';
  const reply = (version: Version, more: string): string =>
    envelope(
      version,
      `<m:getItemResponse ${style(version)}>${more}<return>1</return></m:getItemResponse>`,
    );
  backend.answer = answerWith(reply('1.2', result), TYPES['1.2']);
  const { text } = await send(envelope('1.1', `<m:getItem ${style('1.1')}/>`));
  t.equal(text, reply('1.1', ''));
});

t.test('prefixes of a message are not those that the gateway declares', async (t) => {
  const { backend, send } = await useEncoded(t, '1.1');
  const content = '<i id="1" xmlns:soap-encoding="urn:x" xmlns:c="urn:y"/>';
  await send(envelope('1.1', `<m:getItem ${style('1.1')}>${content}</m:getItem>`));
  t.match(
    String(backend.complete.at(-1)?.body),
    `<i xmlns:soap-encoding-2="${DIALECTS['1.2'].encodingUri}" soap-encoding-2:id="1" ` +
      'xmlns:soap-encoding="urn:x" xmlns:c="urn:y"/>',
  );
});

t.test('encoded content that the other version cannot write is refused', async (t) => {
  const { backend, send } = await useEncoded(t, '1.1');
  const refused = [
    '<i c:arrayType="xsd:int[3]" c:offset="[1]"/>',
    '<i c:arrayType="xsd:int[3]"><e c:position="[2]"/></i>',
    '<i c:arrayType="xsd:int[,2]"/>',
    '<i href="http://elsewhere.example.com/a"/>',
    '<i id="1"/>'.repeat(ENCODED_TAGS_MAX),
  ];
  for (const content of refused) {
    const { text } = await send(
      envelope('1.1', `<m:getItem ${style('1.1')}>${content}</m:getItem>`),
    );
    t.match(text, 'BRIDGE_UNSUPPORTED', content.slice(0, 60));
  }
  t.equal(backend.complete.length, 0);
});

t.test('arrays of bridged messages are as bounded as others', async (t) => {
  const { backend, send } = await useEncoded(t, '1.2');
  const array = '<i><e c:itemType="xsd:int" c:arraySize="90000000"/></i>';
  const { text } = await send(envelope('1.2', `<m:getItem ${style('1.2')}>${array}</m:getItem>`));
  t.match(text, 'SOAP_ARRAY_LIMIT');
  t.equal(backend.complete.length, 0);
});

t.test('the served WSDL has a port in the encoding of the other version', async (t) => {
  const { gateway } = await useEncoded(t, '1.2');
  const wsdl = await (await fetch(`${gateway.url}/soap/a?wsdl`)).text();
  const [, binding = ''] = /<wsdl:binding [^>]*Soap12"([\s\S]*?)<\/wsdl:binding>/.exec(wsdl) ?? [];
  t.match(binding, `encodingStyle="${DIALECTS['1.2'].encodingUri}"`);
  t.notMatch(binding, DIALECTS['1.1'].encodingUri);
});

t.test('a long encoded message is held up to its limit', async (t) => {
  const limit = 200_000;
  const more = `limits: { soap: { bufferBytes: ${limit} } }\n`;
  const { backend, send } = await useEncoded(t, '1.2', more);
  const items = (count: number): string =>
    `<e c:id="x">1</e>${'<e>1234567890123456</e>'.repeat(count)}`;
  const request = (count: number): string =>
    envelope('1.2', `<m:getItem ${style('1.2')}>${items(count)}</m:getItem>`);
  backend.answer = answerWith(
    envelope('1.1', `<m:getItemResponse ${style('1.1')}/>`),
    TYPES['1.1'],
  );
  const held = request(4_000);
  t.ok(held.length > 65_536 && held.length < limit);
  t.equal((await send(held)).status, 200);
  const sent = String(backend.complete.at(-1)?.body);
  t.match(sent, '<e id="x">1</e>');
  const { text } = await send(request(10_000));
  t.match(text, 'limits.soap.bufferBytes');
  t.equal(backend.complete.length, 1);
});
