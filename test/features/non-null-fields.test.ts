import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { askGraphql } from '../kit/graphql-client.js';
import { envelopeOf, WSDL } from '../kit/refused-desk.js';
import { useBackend, useGateway } from '../kit/use.js';

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
  'nullable: false of a field makes it non-null, although the WSDL declares it nillable and optional',
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'soapstone-null-'));
    await writeFile(join(home, 'desk.wsdl'), NILLABLE);
    const backend = await useBackend(t, answerWith(''));
    const gateway = await useGateway(
      t,
      `services:
  desk:
    wsdl: desk.wsdl
    url: ${backend.url}/
    operations: { GetOrder: { field: Query.order } }
    schema: { types: { Order: { fields: { id: { nullable: false }, tag: { nullable: false }, "@version": { nullable: false } } } } }
graphql: { introspection: true }
`,
      home,
    );
    t.teardown(() => rm(home, { recursive: true }));
    const types = await askGraphql(
      gateway.url,
      '{ __type(name: "Order") { fields { name type { kind ofType { kind ofType { kind } } } } } }',
    );
    const fields = [
      { name: 'id', type: { kind: 'NON_NULL', ofType: { kind: 'SCALAR' } } },
      { name: 'note', type: { kind: 'SCALAR' } },
      { name: 'tag', type: { kind: 'NON_NULL', ofType: { kind: 'LIST', ofType: { kind: 'NON_NULL' } } } },
      { name: 'version', type: { kind: 'NON_NULL' } },
    ];
    t.match(types, { data: { __type: { fields } } });
    const answer = async (order: string): Promise<unknown> => {
      backend.answer = answerWith(envelopeOf(`<GetOrderResponse xmlns="urn:desk">${order}</GetOrderResponse>`));
      return askGraphql(gateway.url, '{ order(id: 1) { id tag version } }');
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
        { data: { order: null }, errors: [{ path: ['order', name], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }] },
        broken,
      );
    }
  },
);
