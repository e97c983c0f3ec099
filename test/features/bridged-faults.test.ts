import t, { type Test } from 'tap';

import { DIALECTS, type DialectName } from '../../src/soap/index.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { MEDIA, postSoap, type Version } from '../kit/envelope.js';
import { useService } from '../kit/use.js';

/** Faults of a backend whose callers speak another version of SOAP. */

const WSA = 'http://www.w3.org/2005/08/addressing';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const OTHER = { '1.1': '1.2', '1.2': '1.1' } as const;

const message = (version: DialectName, body: string, header = '', more = ''): string =>
  `<s:Envelope xmlns:s="${DIALECTS[version].envelopeUri}"${more}>` +
  `${header === '' ? '' : `<s:Header>${header}</s:Header>`}<s:Body>${body}</s:Body></s:Envelope>`;

/** A Fault with one code, in both versions: the code of SOAP 1.1, or the subcode of 1.2. */
const FAULTS = {
  '1.1': (code: string, detail = '') =>
    `<s:Fault><faultcode>${code}</faultcode><faultstring>no</faultstring>${
      detail === '' ? '' : `<detail>${detail}</detail>`
    }</s:Fault>`,
  '1.2': (code: string, detail = '') =>
    `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>${code}</s:Value></s:Subcode>\
</s:Code><s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason>${
      detail === '' ? '' : `<s:Detail>${detail}</s:Detail>`
    }</s:Fault>`,
} as const;

async function useBridge(t: Test, caller: Version, answer: RecordingBackend['answer']) {
  const { gateway, backend } = await useService(
    t,
    answer,
    (url) =>
      `services: { a: { url: "${url}", versions: ["${OTHER[caller]}"], bridge: ["${caller}"], ` +
      'faultDetail: unsafe:pass } }',
  );
  const send = async (text = message(caller, '<m/>')) => {
    const answered = await postSoap(`${gateway.url}/soap/a`, text, {
      'content-type': MEDIA[caller],
    });
    return {
      status: answered.status,
      type: answered.headers.get('content-type'),
      text: await answered.text(),
    };
  };
  return { backend, gateway, send };
}

for (const caller of ['1.1', '1.2'] as const) {
  const called = OTHER[caller];
  const { envelopeUri } = DIALECTS[caller];
  t.test(`a Fault for callers of SOAP ${caller} keeps its Header`, async (t) => {
    const header =
      `<w:RelatesTo xmlns:w="${WSA}" s:mustUnderstand="1">urn:uuid:1</w:RelatesTo>` +
      '<h:Q xmlns:h="urn:h">s:x</h:Q>';
    const fault = message(called, FAULTS[called]('s:Client'), header);
    const { send } = await useBridge(t, caller, answerWith(fault, MEDIA[called], 500));
    const { status, type, text } = await send();
    t.equal(status, caller === '1.2' ? 400 : 500);
    t.equal(type, MEDIA[caller]);
    t.match(text, `<s:Envelope xmlns:s="${envelopeUri}"><s:Header><w:RelatesTo `);
    t.match(text, 's:mustUnderstand="1">urn:uuid:1</w:RelatesTo>');
    t.match(text, `<h:Q xmlns:s="${DIALECTS[called].envelopeUri}" xmlns:h="urn:h">s:x</h:Q>`);
    t.match(text, `</s:Header><s:Body><soap:Fault xmlns:soap="${envelopeUri}">`);
    t.ok(text.endsWith('</soap:Fault></s:Body></s:Envelope>'));
  });

  t.test(`a long Fault for callers of SOAP ${caller} is translated as a short one`, async (t) => {
    const detail = `<d xmlns="urn:d">${'<a>text</a>'.repeat(8_000)}</d>`;
    const fault = message(called, FAULTS[called]('s:Client', detail));
    const { send } = await useBridge(t, caller, answerWith(fault, MEDIA[called], 500));
    const { text } = await send();
    t.ok(text.startsWith(`<s:Envelope xmlns:s="${envelopeUri}"><s:Body><soap:Fault `));
    t.match(text, detail.slice(16));
  });

  t.test(`a Fault in a package reaches callers of SOAP ${caller}`, async (t) => {
    const type = `multipart/related; boundary=b; type="application/xop+xml"; start="<r@x>"; \
start-info="${DIALECTS[called].mediaType}"`;
    const fault = message(called, FAULTS[called]('s:Client'), `<h:A xmlns:h="urn:h">s:x</h:A>`);
    const packaged = `--b\r\nContent-ID: <r@x>\r\nContent-Type: application/xop+xml; \
charset=UTF-8; type="${DIALECTS[called].mediaType}"\r\n\r\n${fault}\r\n--b--\r\n`;
    const { send } = await useBridge(t, caller, answerWith(packaged, type, 500));
    const { type: given, text } = await send();
    t.equal(given?.toLowerCase(), MEDIA[caller]);
    t.match(text, `<s:Envelope xmlns:s="${envelopeUri}"><s:Header><h:A `);
    t.match(text, `<soap:Fault xmlns:soap="${envelopeUri}">`);
  });

  t.test(`QNames in the detail of Faults for callers of SOAP ${caller}`, async (t) => {
    const detail =
      '<d xmlns="urn:d" a="plain é:b">x:one x:two</d><e>&#120;:one</e><f>x<!-- -->:one</f>';
    const fault = message(
      called,
      FAULTS[called]('s:Client', detail),
      '',
      ' xmlns:x="urn:x" xmlns:é="urn:é"',
    );
    const { send } = await useBridge(t, caller, answerWith(fault, MEDIA[called], 500));
    const { text } = await send();
    for (const name of ['d', 'e', 'f']) {
      t.match(text, new RegExp(`<${name} [^>]*xmlns:x="urn:x"`), name);
    }
    t.match(text, /<d [^>]*xmlns:é="urn:é"/);
  });

  t.test(`a Fault as a request of SOAP ${caller} is refused`, async (t) => {
    const { send, backend } = await useBridge(t, caller, answerWith(message(called, '<r/>')));
    const { text } = await send(message(caller, FAULTS[caller]('s:Client')));
    t.match(text, 'BRIDGE_UNSUPPORTED');
    t.equal(backend.complete.length, 0);
  });
}

const CODES: readonly (readonly [code: string, uri: string, blame: 'Sender' | 'Receiver'])[] = [
  ['InvalidSecurityToken', WSSE, 'Sender'],
  ['ActionNotSupported', WSA, 'Sender'],
  ['EndpointUnavailable', WSA, 'Receiver'],
  ['MessageAddressingHeaderRequired', WSA, 'Sender'],
  ['Own', 'urn:own', 'Receiver'],
];

t.test('codes of web service specifications are subcodes of SOAP 1.2', async (t) => {
  for (const [code, uri, blame] of CODES) {
    const fault = message('1.1', FAULTS['1.1'](`c:${code}`), '', ` xmlns:c="${uri}"`);
    const { send } = await useBridge(t, '1.2', answerWith(fault, MEDIA['1.1'], 500));
    const { status, text } = await send();
    t.equal(status, blame === 'Sender' ? 400 : 500, code);
    t.match(text, `<soap:Value>soap:${blame}</soap:Value>`, code);
    t.match(text, `<soap:Subcode><soap:Value xmlns:c="${uri}">c:${code}</soap:Value>`, code);
  }
});

t.test('subcodes of web service specifications are codes of SOAP 1.1', async (t) => {
  for (const [code, uri] of CODES) {
    const fault = message('1.2', FAULTS['1.2'](`c:${code}`), '', ` xmlns:c="${uri}"`);
    const { send } = await useBridge(t, '1.1', answerWith(fault, MEDIA['1.2'], 400));
    const { status, text } = await send();
    t.equal(status, 500, code);
    t.match(
      text,
      uri === 'urn:own'
        ? `<faultcode>soap:Client.${code}</faultcode>`
        : `<faultcode xmlns:c="${uri}">c:${code}</faultcode>`,
      code,
    );
  }
});

t.test('blocks about versions are left out for callers of another version', async (t) => {
  const block = '<s:NotUnderstood qname="x:A" xmlns:x="urn:x"/><h:B xmlns:h="urn:h"/>';
  const fault = FAULTS['1.2']('s:Any').replace('s:Sender', 's:MustUnderstand');
  const { send } = await useBridge(
    t,
    '1.1',
    answerWith(message('1.2', fault, block), MEDIA['1.2'], 500),
  );
  const { text } = await send();
  t.match(text, '<s:Header><h:B xmlns:h="urn:h"/></s:Header>');
  t.match(text, '<faultcode>soap:MustUnderstand');
});

t.test('the node of a Fault is its actor in SOAP 1.1 where it names no role', async (t) => {
  const node = '</s:Reason><s:Node>urn:node</s:Node>';
  const fault = message('1.2', FAULTS['1.2']('s:Any').replace('</s:Reason>', node));
  const { send } = await useBridge(t, '1.1', answerWith(fault, MEDIA['1.2'], 500));
  t.match((await send()).text, '<faultactor>urn:node</faultactor>');
});
