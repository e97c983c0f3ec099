import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { startReplyDesk } from '../kit/reply-desk.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Items of a reply whose `xsi:type` the WSDL does not declare. */

const WSDL = wsdlOf(
  'urn:t',
  [
    ...['GetItem', 'Deactivate', 'Rename'].map((name) => wrapper(name, element('id', 'xs:int'))),
    ...['DeactivateResponse', 'RenameResponse'].map((name) => wrapper(name)),
    '<xs:complexType name="Pet"><xs:sequence><xs:element name="name" type="xs:string"/>\
</xs:sequence></xs:complexType>',
    wrapper('GetItemResponse', element('pet', 't:Pet', 'maxOccurs="unbounded"')),
  ].join(''),
  ['GetItem', 'Deactivate', 'Rename'],
);

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const PETS = envelope(
  `<t:GetItemResponse xmlns:t="urn:t" ${XSI}><t:pet><t:name>Ann</t:name></t:pet>\
<t:pet xsi:type="t:Dragon"><t:name>Bea</t:name></t:pet></t:GetItemResponse>`,
);
const QUERY = '{ getItem(id: 7) { name } }';

t.test('an item of an undeclared type is an error at its place', async (t) => {
  const strict = await startReplyDesk(t, { wsdl: WSDL, answer: answerWith(PETS) });
  const answer = await strict.ask(QUERY);
  t.match(answer, {
    data: { getItem: null },
    errors: [{ path: ['getItem', 1], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
  });
  const keys = '    schema: { nullable: true }\n';
  const lenient = await startReplyDesk(t, { wsdl: WSDL, answer: answerWith(PETS), keys });
  t.match(await lenient.ask(QUERY), {
    data: { getItem: [{ name: 'Ann' }, null] },
    errors: [{ path: ['getItem', 1], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
  });
  t.equal((await lenient.call('soap')).status, 200, 'SOAP callers get the reply as it is');
  t.match((await lenient.call('rest')).text, /Ann/);
});
