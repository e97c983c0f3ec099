import t, { type Test } from 'tap';
import { answerOperations, answerWith } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope, faultOf, postSoap } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { useLiveClient } from '../kit/live-client.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { FORM_TYPE, uploadForm } from '../kit/upload-form.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Converted and lifted values in downloads, uploads, callbacks, Faults and commands. */

const URI = 'urn:files';
const [MAYBE, MANY] = ['minOccurs="0"', 'minOccurs="0" maxOccurs="unbounded"'];
const DAY = '{ date: yyyyMMdd, nullWhen: ["00000000"] }';
const STATE = '{ enum: { OPEN: "1", SHIPPED: "2" } }';

const BYTES = element('bytes', 'xs:base64Binary', MAYBE);
const DAY_AND_STATE = element('day', 'xs:string') + element('state', 'xs:string', MAYBE);

const SCHEMA = `
<xs:complexType name="File"><xs:sequence>
  ${element('day', 'xs:string', MAYBE)}${element('state', 'xs:string', MAYBE)}
  ${wrapper('data', wrapper('raw', BYTES), MAYBE)}
  ${wrapper('notes', element('note', 'xs:string', MANY), MAYBE)}
</xs:sequence></xs:complexType>
<xs:element name="Lost"><xs:complexType><xs:sequence>
  ${element('day', 'xs:string', MAYBE)}${element('state', 'xs:string', MAYBE)}
  ${element('account', 'xs:string', MAYBE)}
</xs:sequence></xs:complexType></xs:element>
${wrapper('GetFiles', DAY_AND_STATE)}
${wrapper('GetFilesResponse', wrapper('files', element('file', 't:File', MANY), MAYBE))}
${wrapper('PutFile', element('day', 'xs:string') + wrapper('box', BYTES))}
${wrapper('PutFileResponse', element('day', 'xs:string', MAYBE))}
${wrapper('FileCame', wrapper('file', DAY_AND_STATE))}
${wrapper('FileCameResponse', '')}`;

/** Each operation declares the Fault. */
const WSDL = wsdlOf(URI, SCHEMA, ['GetFiles', 'PutFile', 'FileCame'])
  .replaceAll(
    /(<(?:\w+:)?output message="[^"]*"\/>)/g,
    '$1<wsdl:fault name="Lost" message="t:LostFault"/>',
  )
  .replace(
    /<((?:\w+:)?)portType /,
    '<$1message name="LostFault"><$1part name="detail" element="t:Lost"/></$1message><$1portType ',
  );

const ANN = { 'x-api-key': 'ann-key-0123456789' };
const BOB = { 'x-api-key': 'bob-key-0123456789' };
const CLIENTS = `clients:
  classes: { full: {}, limited: {} }
  apiKeys:
    clients:
      ann: { keys: [ann-key-0123456789], class: full }
      bob: { keys: [bob-key-0123456789], class: limited }
`;

const TYPES = `        File:
          fields:
            day: { convert: ${DAY} }
            state: { convert: ${STATE} }
            bytes: { path: data/raw/bytes }
            remarks: { path: notes/note }
        GetFilesResponse: { fields: { rows: { path: files/file } } }
`;

type ContentOf = (operation: string, request: string) => string;

async function useFiles(
  t: Test,
  contentOf: ContentOf,
  { types = TYPES, service = '', more = '', faults = '' },
) {
  const folder = await useFolder(t, { 'files.wsdl': WSDL });
  return useService(
    t,
    answerOperations(URI, contentOf),
    (url) => `${more}services:
  files:
    wsdl: files.wsdl
    url: ${url}
    rest: true
    schema:
      types:
${types}    operations:
      GetFiles: { arguments: { day: { convert: ${DAY} }, state: { convert: ${STATE} } }${faults} }
      PutFile:
        field: Mutation.putFile
        arguments: { day: { convert: ${DAY} }, content: { path: box/bytes } }
      FileCame:
        field: Mutation.fileCame
        arguments:
          day: { path: file/day, convert: ${DAY} }
          state: { path: file/state, convert: ${STATE} }
${service}`,
    folder,
  );
}

/** A message without prefixes. */
const plain = (message: string): string => message.replaceAll(/(<\/?)\w+:/g, '$1');

const file = (day: string, bytes: string): string =>
  `<file><day>${day}</day><state>2</state><data><raw><bytes>${bytes}</bytes></raw></data></file>`;

t.test(
  'content inside elements has an address, which repeats the converted arguments',
  async (t) => {
    let first = '20260131';
    const { gateway, ask, sent, backend } = await useFiles(
      t,
      () => `<files>${file(first, 'AAEC')}${file('00000000', '/w==')}</files>`,
      { more: `graphql: { downloads: { keys: ["${'k'.repeat(32)}"] } }\n` },
    );
    const query = '{ getFiles(day: null, state: SHIPPED) { day state bytes @url } }';
    const { data, errors } = await ask(query);
    t.same(errors, undefined);
    const rows = data?.['getFiles'];
    if (!Array.isArray(rows)) throw new Error('no rows');
    t.match(rows, [
      { day: '2026-01-31', state: 'SHIPPED' },
      { day: null, state: 'SHIPPED' },
    ]);
    for (const [at, bytes] of [Buffer.of(0, 1, 2), Buffer.of(255)].entries()) {
      const response = await fetch(gateway.url + rows[at].bytes);
      t.equal(response.status, 200);
      t.same(Buffer.from(await response.arrayBuffer()), bytes);
      t.match(plain(sent()), '<day>00000000</day><state>2</state>', 'the same call');
    }
    t.equal(backend.complete.length, 3);
    first = '20260101';
    const changed = await fetch(gateway.url + rows[0].bytes);
    t.equal(changed.status, 404, 'another value beside it');
  },
);

t.test('a file fills an argument that is inside elements', async (t) => {
  for (const service of ['', '    mtom: true\n']) {
    const { gateway, sent } = await useFiles(t, () => '<day>20260131</day>', { service });
    const query = 'mutation ($content: Base64) { putFile(day: "2026-01-31", content: $content) }';
    const form = uploadForm(query, { content: Buffer.from('file') });
    const { status, body } = await sendRaw(
      gateway.url,
      post('/graphql', FORM_TYPE, form, { 'apollo-require-preflight': 'true' }),
    );
    t.equal(status, 200);
    t.match(JSON.parse(body), { data: { putFile: '20260131' } });
    const within = service === '' ? 'ZmlsZQ==' : '<Include [^>]*/>';
    t.match(plain(sent()), new RegExp(`<day>20260131</day><box><bytes>${within}</bytes></box>`));
  }
});

t.test('events of callbacks have converted values from inside elements', async (t) => {
  const { gateway } = await useFiles(t, () => '', {
    more: `subscriptions:
  fileCame:
    on:
      operation: files.FileCame
      filter: { day: request.day }
      fields: { day: request.day, state: request.state }
`,
  });
  const events = useLiveClient(t, gateway.url).iterate({
    query: 'subscription { fileCame(day: "2026-01-31") { day state } }',
  });
  const next = events.next();
  while (!/soapstone_subscriptions_active\{field="fileCame"\} 1\n/.test(await gateway.metrics()));
  for (const day of ['20260101', '20260131']) {
    const content = `<file><day>${day}</day><state>1</state></file>`;
    await postSoap(
      `${gateway.url}/soap/files`,
      envelope(`<FileCame xmlns="${URI}">${content}</FileCame>`),
    );
  }
  t.match((await next).value, { data: { fileCame: { day: '2026-01-31', state: 'OPEN' } } });
});

const LOST =
  `<t:Lost xmlns:t="${URI}"><day>20260131</day><state>2</state>` +
  '<account>CH9300762011</account></t:Lost>';
const FAULT = envelope(faultOf('s:Client', 'It is lost.', LOST));

const PARTS = { code: 'Client', string: 'It is lost.', actor: null };

const partOf = (problem: unknown, name: string): unknown => Object(problem)[name];

const FAULT_TYPES = `${TYPES}        Lost:
          fields:
            day: { convert: ${DAY} }
            state: { convert: ${STATE} }
            account: { mask: { default: last4, full: none } }
`;

t.test('details of Faults are converted, without masked fields, in GraphQL and REST', async (t) => {
  const { gateway, ask, backend } = await useFiles(t, () => '', {
    types: FAULT_TYPES,
    more: CLIENTS,
  });
  backend.answer = answerWith(FAULT, 'text/xml', 500);
  const shown = { day: '2026-01-31', state: 'SHIPPED' };
  for (const [caller, detail] of [
    [ANN, { Lost: { ...shown, account: 'CH9300762011' } }],
    [BOB, { Lost: shown }],
  ] as const) {
    const query = '{ getFiles(day: "2026-01-31") { day } }';
    const { data, errors = [] } = await ask(query, {}, caller);
    t.same(data, { getFiles: null });
    t.match(errors, [{ message: 'It is lost.', extensions: { code: 'SOAP_FAULT' } }]);
    t.same(errors[0]?.extensions['soap'], { ...PARTS, detail });
    const found = await fetch(`${gateway.url}/rest/files/GetFiles?day=2026-01-31`, {
      headers: caller,
    });
    t.equal(found.status, 422);
    const fault = { ...PARTS, detail };
    const put = await postJson(`${gateway.url}/rest/files/PutFile`, { day: '2026-01-31' }, caller);
    for (const response of [found, put]) t.same(partOf(await response.json(), 'fault'), fault);
  }
});

t.test('a Fault as data is converted and masked', async (t) => {
  const { ask, backend } = await useFiles(t, () => '', {
    types: FAULT_TYPES,
    more: CLIENTS,
    faults: ', faults: union',
  });
  backend.answer = answerWith(FAULT, 'text/xml', 500);
  const query = `{ getFiles(day: "2026-01-31") { __typename ... on Lost { day state account } } }`;
  for (const [caller, account] of [
    [ANN, 'CH9300762011'],
    [BOB, '****2011'],
  ] as const) {
    t.same(await ask(query, {}, caller), {
      data: {
        getFiles: { __typename: 'Lost', day: '2026-01-31', state: 'SHIPPED', account },
      },
    });
  }
});

t.test('a text of a Fault that the mapping does not know is null in its place', async (t) => {
  const { ask, backend } = await useFiles(t, () => '', { types: FAULT_TYPES, more: CLIENTS });
  backend.answer = answerWith(FAULT.replace('20260131', 'soon'), 'text/xml', 500);
  const { errors = [] } = await ask('{ getFiles(day: "2026-01-31") { day } }', {}, ANN);
  t.match(errors, [{ extensions: { code: 'SOAP_FAULT' } }]);
  const account = 'CH9300762011';
  t.same(errors[0]?.extensions['soap'], {
    ...PARTS,
    detail: { Lost: { day: null, state: 'SHIPPED', account } },
  });
});

t.test('lists inside elements are counted and suggested by the names of the mapping', async (t) => {
  const notes = '<notes><note>a</note><note>b</note><note>c</note></notes>';
  const { gateway, ask } = await useFiles(
    t,
    () => `<files><file><day>00000000</day>${notes}</file></files>`,
    {},
  );
  await ask('{ getFiles(day: "2026-01-31") { day remarks } }');
  await gateway.accessLine();
  const { code, all } = await runCommand('suggest', gateway.adminUrl);
  t.equal(code, 0);
  t.match(
    all,
    /GetFiles:\n +listSize: \{ assumedSize: \d+ \} # of 1 lists the longest had 1 items/,
  );
  t.match(all, /File:\n +fields:\n +remarks:\n +listSize: /);
});
