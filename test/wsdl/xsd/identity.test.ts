import t from 'tap';
import { readSchemaWith } from '../written.js';

const element = (constraints: string) => `<xs:element name="Root" xmlns:p="urn:p">
  <xs:complexType><xs:sequence><xs:element name="inner" type="xs:string">
    <xs:unique name="local"><xs:selector xpath="."/><xs:field xpath="."/></xs:unique></xs:element>\
</xs:sequence></xs:complexType>
${constraints}</xs:element>`;

async function read(test: Parameters<typeof readSchemaWith>[0], constraints: string) {
  const model = await readSchemaWith(test, element(constraints));
  return { constraints: model.elements.get('{urn:t}Root')?.constraints ?? [], model };
}

t.test('unique, key and keyref are read with their paths, prefixes resolved', async (t) => {
  const { constraints, model } = await read(
    t,
    `<xs:key name="byId"><xs:selector xpath="t:item | .//p:part/child::t:item"/>\
<xs:field xpath="@id"/><xs:field xpath="t:a/./t:b | @p:c"/></xs:key>
     <xs:keyref name="use" refer="t:byId"><xs:selector xpath=".//t:*/*"/>\
<xs:field xpath="attribute::ref"/><xs:field xpath="name"/></xs:keyref>
     <xs:unique name="one"><xs:annotation/><xs:selector xpath="./t:x"/>\
<xs:field xpath=".//@*"/></xs:unique>`,
  );
  const at = (uri: string | null, local: string | null) => ({ uri, local });
  t.strictSame(constraints, [
    {
      kind: 'key',
      name: { uri: 'urn:t', local: 'byId' },
      refer: null,
      selector: [
        { descendant: false, steps: [at('urn:t', 'item')], attribute: null },
        { descendant: true, steps: [at('urn:p', 'part'), at('urn:t', 'item')], attribute: null },
      ],
      fields: [
        [{ descendant: false, steps: [], attribute: at('', 'id') }],
        [
          { descendant: false, steps: [at('urn:t', 'a'), at('urn:t', 'b')], attribute: null },
          { descendant: false, steps: [], attribute: at('urn:p', 'c') },
        ],
      ],
    },
    {
      kind: 'keyref',
      name: { uri: 'urn:t', local: 'use' },
      refer: { uri: 'urn:t', local: 'byId' },
      selector: [{ descendant: true, steps: [at('urn:t', null), at(null, null)], attribute: null }],
      fields: [
        [{ descendant: false, steps: [], attribute: at('', 'ref') }],
        [{ descendant: false, steps: [at('', 'name')], attribute: null }],
      ],
    },
    {
      kind: 'unique',
      name: { uri: 'urn:t', local: 'one' },
      refer: null,
      selector: [{ descendant: false, steps: [at('urn:t', 'x')], attribute: null }],
      fields: [[{ descendant: true, steps: [], attribute: at(null, null) }]],
    },
  ]);
  t.match(model.elements.get('{urn:t}Root'), {
    type: {
      content: {
        particle: { particles: [{ element: { constraints: [{ name: { local: 'local' } }] } }] },
      },
    },
  });
  t.strictSame(model.warnings, []);
});

t.test('what is no constraint is left out, with its place', async (t) => {
  const parts = '<xs:selector xpath="t:a"/><xs:field xpath="@b"/>';
  for (const [wrong, why] of [
    [`<xs:key>${parts}</xs:key>`, 'has no name'],
    ['<xs:key name="k"><xs:field xpath="@b"/></xs:key>', 'no selector'],
    ['<xs:key name="k"><xs:selector xpath="t:a"/></xs:key>', 'no fields'],
    ['<xs:key name="k"><xs:selector xpath="@a"/><xs:field xpath="@b"/></xs:key>', 'no selector'],
    [
      '<xs:key name="k"><xs:selector xpath="t:a[1]/.."/><xs:field xpath="@b"/></xs:key>',
      'no selector',
    ],
    ['<xs:key name="k"><xs:selector xpath="//t:a"/><xs:field xpath="@b"/></xs:key>', 'no selector'],
    [
      '<xs:key name="k"><xs:selector xpath="t:a"/><xs:field xpath="@b/c"/></xs:key>',
      'one that is not understood',
    ],
    ['<xs:key name="k"><xs:selector xpath="no:a"/><xs:field xpath="@b"/></xs:key>', 'no selector'],
    [
      `<xs:key name="k"><xs:selector xpath="${'a/'.repeat(200)}b"/><xs:field xpath="@b"/></xs:key>`,
      'no selector',
    ],
    [`<xs:keyref name="k" refer="t:nowhere">${parts}</xs:keyref>`, 'refers to no key'],
    [`<xs:keyref name="k">${parts}</xs:keyref>`, 'refers to no key'],
    [
      `<xs:keyref name="k" refer="t:local">${parts}<xs:field xpath="@c"/></xs:keyref>`,
      'has not as many fields as its key',
    ],
  ] as const) {
    const { constraints, model } = await read(t, wrong);
    t.strictSame(constraints, [], wrong);
    t.match(model.warnings, [{ what: why, line: 12, column: 1 }]);
  }
});
