import t from 'tap';
import { desk, envelope, graphql, MEDIA, startDesk, type Version } from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';

const FAULTS: Readonly<Record<Version, string>> = {
  '1.1': '<S:Fault><faultcode>S:Server</faultcode><faultstring>no</faultstring></S:Fault>',
  '1.2':
    '<S:Fault><S:Code><S:Value>S:Receiver</S:Value></S:Code><S:Reason><S:Text xml:lang="en">no</S:Text></S:Reason></S:Fault>',
};

/** A desk with an operation whose output message has no parts, and a one-way operation. */
const parted = (version: Version): string => {
  const soap = version === '1.1' ? 'soap' : 'soap12';
  const bound = (name: string, output: string): string =>
    `<operation name="${name}"><${soap}:operation soapAction="urn:${name}"/><input><${soap}:body use="literal"/></input>${output}</operation>`;
  return desk({
    version,
    types:
      '<xs:element name="Broken"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int"/></xs:sequence></xs:complexType></xs:element>',
    messages: '<message name="Nothing"/><message name="Broken"><part name="p" element="t:Broken"/></message>',
  })
    .replace(
      '</portType>',
      `<operation name="Reset"><input message="t:In"/><output message="t:Nothing"/><fault name="Broken" message="t:Broken"/></operation>
       <operation name="Clear"><input message="t:In"/><output message="t:Nothing"/></operation>
       <operation name="Notify"><input message="t:In"/></operation></portType>`,
    )
    .replace(
      '</binding>',
      `${bound('Reset', `<output><${soap}:body use="literal"/></output><fault name="Broken"><${soap}:fault name="Broken" use="literal"/></fault>`)}
       ${bound('Clear', `<output><${soap}:body use="literal"/></output>`)}${bound('Notify', '')}</binding>`,
    );
};

const OPERATIONS =
  '    operations: { Get: { field: Query.get }, Reset: { field: Mutation.reset, faults: union }, Clear: { field: Mutation.clear }, Notify: { field: Mutation.notify } }\n';

for (const version of ['1.1', '1.2'] as const) {
  t.test(`a message without parts is an empty Body (${version})`, async (t) => {
    const { ask } = await startDesk(t, { 'desk.wsdl': parted(version) }, OPERATIONS, version);
    t.same(await ask('mutation { clear(id: 1) }', ''), { data: { clear: true } });
    const union = 'mutation { reset(id: 1) { __typename ... on ResetPayload { value } ... on Broken { code } } }';
    t.same(await ask(union, ''), { data: { reset: { __typename: 'ResetPayload', value: true } } });
    t.match(await ask('{ get(id: 1) }', ''), { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
  });

  t.test(`a one-way operation has not been done because 200 was said (${version})`, async (t) => {
    const { backend, gateway, ask } = await startDesk(t, { 'desk.wsdl': parted(version) }, OPERATIONS, version);
    const notify = 'mutation { notify(id: 1) }';
    const done = { data: { notify: true } };
    t.match(await ask(notify, FAULTS[version]), {
      data: null,
      errors: [{ message: 'no', extensions: { code: 'SOAP_FAULT' } }],
    });
    t.same(await ask(notify, ''), done);
    t.same(await ask(notify, '<t:GetResponse/>'), done);
    backend.answer = answerWith('<html>log in</html>', 'text/html');
    t.match(await graphql(gateway, notify), { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
    backend.answer = answerWith('<html>log in</html>', MEDIA[version]);
    t.match(await graphql(gateway, notify), { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
    backend.answer = answerWith(envelope('<t:GetResponse>', version), MEDIA[version]);
    t.match(await graphql(gateway, notify), { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
    backend.answer = answerWith('<html>accepted</html>', 'text/html', 202);
    t.same(await graphql(gateway, notify), done);
    backend.answer = answerWith('', 'text/html', 200);
    t.same(await graphql(gateway, notify), done);
  });
}
