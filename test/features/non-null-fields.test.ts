import t from 'tap';
import { answerOperations, answerWith } from '../kit/backend.js';
import { WSDL } from '../kit/refused-desk.js';
import { useFolder, useService } from '../kit/use.js';

/** As spyne and .NET declare everything. */
const NILLABLE = WSDL.replace(
  '<xs:element name="total" type="xs:string"/></xs:sequence>',
  '<xs:element name="order" type="t:Order" minOccurs="0" nillable="true"/></xs:sequence>',
).replace(
  '</xs:schema>',
  `<xs:complexType name="Order"><xs:sequence>
  <xs:element name="id" type="xs:string" minOccurs="0" nillable="true"/>
  <xs:element name="note" type="xs:string" minOccurs="0" nillable="true"/>
  <xs:element name="tag" type="xs:string" minOccurs="0" maxOccurs="unbounded" nillable="true"/>
  </xs:sequence><xs:attribute name="version" type="xs:string"/></xs:complexType></xs:schema>`,
);

t.test(
  'nullable: false of a field makes it non-null, although the WSDL declares ' +
    'it nillable and optional',
  async (t) => {
    const { ask, backend } = await useService(
      t,
      answerWith(''),
      (url) => `services:
  desk:
    wsdl: desk.wsdl
    url: ${url}/
    operations: { GetOrder: { field: Query.order } }
    schema: { types: { Order: { fields: { id: { nullable: false }, tag: { nullable: \
false }, "@version": { nullable: false } } } } }
graphql: { introspection: true }
`,
      await useFolder(t, { 'desk.wsdl': NILLABLE }),
    );
    const types = await ask(
      '{ __type(name: "Order") { fields { name type { kind ofType { kind ofType { kind } } } } } }',
    );
    const fields = [
      { name: 'id', type: { kind: 'NON_NULL', ofType: { kind: 'SCALAR' } } },
      { name: 'note', type: { kind: 'SCALAR' } },
      {
        name: 'tag',
        type: { kind: 'NON_NULL', ofType: { kind: 'LIST', ofType: { kind: 'NON_NULL' } } },
      },
      { name: 'version', type: { kind: 'NON_NULL' } },
    ];
    t.match(types, { data: { __type: { fields } } });
    const answer = async (order: string): Promise<unknown> => {
      backend.answer = answerOperations('urn:desk', () => order);
      return ask('{ order(id: 1) { id tag version } }');
    };
    t.match(await answer('<order version="2"><id>1</id></order>'), {
      data: { order: { id: '1', tag: [], version: '2' } },
    });
    const nil = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"';
    for (const [name, broken] of [
      ['id', '<order version="2"/>'],
      ['id', `<order version="2"><id ${nil}/></order>`],
      ['version', '<order><id>1</id></order>'],
    ] as const) {
      t.match(
        await answer(broken),
        {
          data: { order: null },
          errors: [{ path: ['order', name], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
        },
        broken,
      );
    }
  },
);
