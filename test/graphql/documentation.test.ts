import { printSchema, validateSchema } from 'graphql';
import t, { type Test } from 'tap';
import { deprecationIn } from '../../src/graphql/schema/types/description.js';
import { desk } from '../acceptance/desk.js';
import { builtOf } from './built.js';

async function sdlOf(t: Test, wsdl: string): Promise<string> {
  const { schema } = await builtOf(wsdl);
  t.same(validateSchema(schema), []);
  return printSchema(schema);
}

const told = (text: string): string =>
  `<xs:annotation><xs:documentation>${text}</xs:documentation></xs:annotation>`;

t.test('documentation with elements keeps its paragraphs, lines and lists', async (t) => {
  const text =
    '<p>First <b>word</b>s.</p><p>Second:</p><ul><li>one</li><li>\n' +
    '  two</li></ul>Line<br/>break<Summary>End.</Summary><table><tr><td>a</td><td>b</td></tr>' +
    '<tr><td>c</td></tr></table>';
  const sdl = await sdlOf(
    t,
    desk({
      reply:
        `<xs:element name="a" type="xs:int">${told(text)}</xs:element>` +
        '<xs:element name="b" type="xs:int"/>',
    }),
  );
  const [, description = ''] = /type GetResult \{\s+"""\s+([\s\S]*?)\s+"""/.exec(sdl) ?? [];
  t.equal(
    description.replace(/^ +/gm, ''),
    'First words.\n\nSecond:\n\n- one\n- two\n\nLine\nbreak\n\nEnd.\n\na b\nc',
  );
});

t.test('what documentation calls deprecated is so', async (t) => {
  const reply =
    `<xs:element name="a" type="xs:int" minOccurs="0">${told('DEPRECATED: use b.')}</xs:element>` +
    '<xs:element name="b" type="xs:int">' +
    `${told('It replaces a deprecated element.')}</xs:element>`;
  const sdl = await sdlOf(t, desk({ reply, request: reply }));
  t.match(sdl, /^ {2}a: Int @deprecated\(reason: "use b\."\)/m);
  t.match(sdl, /^ {2}b: Int!$/m);
  t.match(sdl, /a: Int @deprecated\(reason: "use b\."\)/, 'arguments too');
  const cases: readonly (readonly [string | null, string | null])[] = [
    [null, null],
    ['Deprecated. Use b.', 'Use b.'],
    ['deprecated', 'It is deprecated.'],
    ['Text.\n@deprecated since 5', 'since 5'],
    ['[Deprecated]', null],
    ['[deprecated] old', 'old'],
    ['Deprecated - gone', 'gone'],
    ['Deprecated items are listed', null],
    ['This is deprecated: no', null],
    ['undeprecated', null],
  ];
  for (const [text, reason] of cases) t.equal(deprecationIn(text), reason, String(text));
});

t.test('arguments that are a choice say so', async (t) => {
  const schemas = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">\
<xs:element name="Get"><xs:complexType><xs:choice><xs:element name="pull" type="xs:int"/>\
<xs:element name="push" type="xs:int"/></xs:choice></xs:complexType></xs:element>
<xs:element name="GetResponse"><xs:complexType><xs:sequence>\
<xs:element name="result" type="xs:string"/></xs:sequence></xs:complexType>\
</xs:element></xs:schema>`;
  const sdl = await sdlOf(t, desk({ schemas }));
  t.equal(sdl.match(/"""Exactly one of pull, push\."""/g)?.length, 2, sdl);
});
