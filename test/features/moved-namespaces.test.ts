import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, startReplyDesk } from '../kit/reply-desk.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

const TYPES =
  '<xs:schema targetNamespace="http://new/s/types" elementFormDefault="qualified">' +
  '<xs:complexType name="Status"><xs:sequence><xs:element name="number" type="xs:string"/>' +
  '</xs:sequence></xs:complexType><xs:complexType name="Late"><xs:complexContent>' +
  '<xs:extension base="y:Status"><xs:sequence><xs:element name="days" type="xs:int"/>' +
  '</xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:schema>';

/** Types of the output are in a namespace below that of the service. */
const WSDL = wsdlOf(
  'http://new/s/',
  [
    ...['GetItem', 'Deactivate', 'Rename'].map((name) => wrapper(name, element('id', 'xs:int'))),
    ...['DeactivateResponse', 'RenameResponse'].map((name) => wrapper(name)),
    wrapper('GetItemResponse', element('status', 'y:Status')),
  ].join(''),
  ['GetItem', 'Deactivate', 'Rename'],
  { attributes: ' xmlns:y="http://new/s/types"' },
).replace('<types>', `<types>${TYPES}`);

const reply = (service: string, types: string, type = ''): string =>
  envelope(
    `<a:GetItemResponse xmlns:a="${service}"><a:status xmlns:b="${types}" ` +
      `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"${type}><b:number>W7</b:number>` +
      `${type === '' ? '' : '<b:days>3</b:days>'}</a:status></a:GetItemResponse>`,
  );
const QUERY = '{ getItem(id: 7) { number ... on Late { days } } }';

t.test('a reply whose namespaces have another beginning is read by `wrapper`', async (t) => {
  const moved = reply('http://old/dev/', 'http://old/dev/types');
  const strict = await startReplyDesk(t, { wsdl: WSDL, answer: answerWith(moved) });
  const keys = '    tolerate: [wrapper]\n';
  const desk = await startReplyDesk(t, { wsdl: WSDL, answer: answerWith(moved), keys });
  for (const endpoint of ENDPOINTS.slice(2)) {
    t.match((await desk.call(endpoint)).text, /"W7"/, endpoint);
    t.notMatch((await strict.call(endpoint)).text, /"W7"/, `${endpoint} without the name`);
  }
  t.match(await desk.ask(QUERY), { data: { getItem: { number: 'W7' } } });
  desk.backend.answer = answerWith(
    reply('http://old/dev/', 'http://old/dev/types', ' xsi:type="b:Late"'),
  );
  t.match(await desk.ask(QUERY), { data: { getItem: { number: 'W7', days: 3 } } });
  desk.backend.answer = answerWith(reply('http://new/', 'http://new/s/types'));
  t.match(await desk.ask(QUERY), { data: { getItem: { number: 'W7' } } }, 'types at their place');
  desk.backend.answer = answerWith(reply('http://old/dev/', 'http://old/other'));
  const other = await desk.askText(QUERY);
  t.notMatch(other, /W7/, 'an end that is not declared');
});

const RPC = wsdlOf(
  'urn:t',
  ['GetItem', 'Deactivate', 'Rename'].map((name) => wrapper(name)).join('') +
    ['DeactivateResponse', 'RenameResponse'].map((name) => wrapper(name)).join('') +
    wrapper('GetItemResponse', element('name', 'xs:string')),
  ['GetItem', 'Deactivate', 'Rename'],
)
  .replaceAll('<soap:body use="literal"/>', '<soap:body use="literal" namespace="urn:rpc"/>')
  .replace('<soap:binding', '<soap:binding style="rpc"');

t.test('an rpc reply that is its element itself is read by `wrapper`', async (t) => {
  const content = '<t:GetItemResponse xmlns:t="urn:t"><t:name>nail</t:name></t:GetItemResponse>';
  const bare = envelope(content);
  const keys = '    tolerate: [wrapper]\n';
  const desk = await startReplyDesk(t, { wsdl: RPC, answer: answerWith(bare), keys });
  const query = '{ getItem { name } }';
  const read = async (): Promise<unknown> => (await desk.ask(query)).data;
  const expected = JSON.stringify(await read());
  t.match(expected, '"nail"', expected);
  t.same((await desk.lastLine())['tolerated'], ['wrapper']);
  desk.backend.answer = answerWith(
    envelope(`<r:GetItemResponse xmlns:r="urn:rpc">${content}</r:GetItemResponse>`),
  );
  t.equal(JSON.stringify(await read()), expected, 'with its wrapper');
  const other = content.replaceAll('GetItem', 'Rename');
  desk.backend.answer = answerWith(envelope(other));
  t.notMatch(await desk.askText(query), 'nail', 'the element of another operation');
});
