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
