import t from 'tap';

import { modelMemory } from '../../src/xml/models/memory.js';
import { caseOf, compare, echo, reports, schemaOf } from './model-outcomes.js';
import { mutant } from './mutants.js';
import { randomSchema } from './random-schema.js';
import { Random } from './random-values.js';

/**
 * Content that is validated in WebAssembly comes out as by events: the same violations, the same
 * places, the same counts of elements, however the message is cut.
 */

const SEED = Number(process.env['SEED'] ?? 20_010_502);

/** One byte of a document is another, is left out, or comes twice. */
function misprint(document: string, random: Random): string {
  const at = random.upTo(document.length);
  const behind = document.slice(at + 1);
  const letters = '<>/&;\'" =:-.0129axtZT\n\r\t\u00e9]!?';
  const changed = random.of(['', document.charAt(at).repeat(2), random.of([...letters])]);
  return `${document.slice(0, at)}${changed}${behind}`;
}

t.test('random documents, whole and with mistakes, come out as by events', async (t) => {
  let [documents, invalid, elements] = [0, 0, 0];
  reports.count = 0;
  for (let index = 0; index < 16; index++) {
    const random = new Random(SEED + index);
    const chance = (): number => random.upTo(1 << 20) / (1 << 20);
    const { xsd, instances } = randomSchema(SEED + index, 2 + (index % 6));
    const c = await caseOf(xsd);
    for (const document of instances(6)) {
      const found = compare(c, document, false);
      elements += found.elements;
      for (let mistake = 0; mistake < 16; mistake++) {
        const wrong = mistake % 2 === 0 ? mutant(document, chance) : misprint(document, random);
        const { violations, refusal } = compare(c, wrong, false);
        compare({ ...c, refuses: true, options: { isThorough: false } }, wrong, false);
        documents++;
        if (violations.length > 0 || refusal !== null) invalid++;
      }
    }
  }
  t.ok(invalid > documents / 10, `seed ${SEED}: ${invalid} of ${documents} are not valid`);
  t.ok(elements > 500, `${elements} elements of valid ones`);
});

t.test('at every split a document comes out as a whole', async (t) => {
  for (let index = 0; index < 5; index++) {
    const random = new Random(SEED + index);
    const { xsd, instances } = randomSchema(SEED + index, 2 + (index % 6));
    const c = { ...(await caseOf(xsd)), refuses: true };
    for (const document of instances(2)) {
      if (document.length > 900) continue;
      compare(c, document, true);
      compare(c, misprint(document, random), true);
    }
  }
  t.pass();
});

/** All forms of texts, attributes, repeated groups, an optional tail. */
const ROWS = schemaOf(`<xs:sequence>
<xs:element name="row" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
<xs:element name="id" type="xs:int"/><xs:element name="sum"><xs:complexType><xs:simpleContent>
<xs:extension base="xs:decimal"><xs:attribute name="currency" use="required"><xs:simpleType>
<xs:restriction base="xs:string"><xs:enumeration value="CHF"/><xs:enumeration value="EUR"/>
</xs:restriction></xs:simpleType></xs:attribute></xs:extension></xs:simpleContent></xs:complexType>
</xs:element><xs:element name="day" type="xs:date" minOccurs="0"/>
<xs:element name="at" type="xs:dateTime" minOccurs="0"/><xs:element name="done" type="xs:boolean"/>
<xs:element name="code" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string">
<xs:minLength value="2"/><xs:maxLength value="5"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="note" type="xs:string" minOccurs="0" nillable="true"/>
<xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="tag" type="xs:token"/>
<xs:element name="mark"><xs:complexType/></xs:element></xs:choice>
</xs:sequence><xs:attribute name="no" type="xs:int" use="required"/>
<xs:attribute name="ratio" type="xs:double"/></xs:complexType></xs:element>
<xs:element name="tail" type="xs:string" minOccurs="0"/></xs:sequence>`);

const row = (n: number, more = ''): string =>
  `<t:row no="${n}" ratio="${n}.5"><t:id>${100 + n}</t:id><t:sum currency="CHF">${n}.50</t:sum>` +
  `<t:day>2024-02-${10 + (n % 20)}</t:day><t:at>2024-03-11T08:15:0${n % 10}Z</t:at>` +
  `<t:done>true</t:done><t:code>A${n}</t:code><t:note>a &amp; b \u00e9</t:note>` +
  `<t:tag>x</t:tag><t:mark/><t:tag>y</t:tag>${more}</t:row>`;

const rows = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, n) => row(from + n)).join('');

t.test('valid content of a model is not reported, and all of it is counted', async (t) => {
  const c = await caseOf(ROWS);
  compare(c, echo(rows(3)), false);
  reports.count = 0;
  const { elements, violations } = compare(c, echo(rows(50)), false);
  t.same(violations, []);
  t.equal(elements, 1 + 50 * 11);
  t.ok(reports.count < 20, `${reports.count} are reported`);
});

t.test('a mistake in any text, name or attribute is found at its path', async (t) => {
  const c = await caseOf(ROWS);
  const wrong: readonly (readonly [string, string, string])[] = [
    ['<t:id>107</t:id>', '<t:id>1o7</t:id>', '/Echo/row[8]/id'],
    ['<t:id>107</t:id>', '<t:id>99999999999</t:id>', '/Echo/row[8]/id'],
    ['<t:id>107</t:id>', '', '/Echo/row[8]/sum'],
    ['<t:id>107</t:id>', '<t:id>107</t:id><t:id>107</t:id>', '/Echo/row[8]/id'],
    ['<t:id>107</t:id>', '<id>107</id>', '/Echo/row[8]/*[1]'],
    ['<t:id>107</t:id>', 'text<t:id>107</t:id>', '/Echo/row[8]'],
    ['no="7" ', '', '/Echo/row[8]/@no'],
    ['no="7" ', 'no="x" ', '/Echo/row[8]/@no'],
    ['no="7" ', 'no="7" more="1" ', '/Echo/row[8]/@*'],
    ['ratio="7.5"', 'ratio="7.5.1"', '/Echo/row[8]/@ratio'],
    ['"CHF">7.50', '"USD">7.50', '/Echo/row[8]/sum/@currency'],
    [' currency="CHF">7.50', '>7.50', '/Echo/row[8]/sum/@currency'],
    ['<t:day>2024-02-17', '<t:day>2023-02-29', '/Echo/row[8]/day'],
    ['2024-03-11T08:15:07Z', '2024-03-11T08:75:07Z', '/Echo/row[8]/at'],
    ['<t:code>A7', '<t:code>A', '/Echo/row[8]/code'],
    ['<t:code>A7', '<t:code>A77777', '/Echo/row[8]/code'],
    ['<t:mark/>', '<t:mark> </t:mark>', '/Echo/row[1]/mark[1]'],
    ['<t:tag>y</t:tag>', '<t:other/>', '/Echo/row[1]/*[10]'],
    ['<t:tag>y</t:tag>', '<t:tag>y</t:tag><t:note/>', '/Echo/row[1]/note'],
  ];
  for (const [from, to, path] of wrong) {
    const document = echo(rows(20));
    const changed = document.replace(from, to);
    t.not(changed, document, from);
    const { violations } = compare(c, changed, false);
    t.match(violations[0] ?? '', ` ${path} `, `${to} instead of ${from}`);
    compare({ ...c, refuses: true }, changed, false);
  }
});

t.test('an element that is nil is passed over where it may be, and is empty', async (t) => {
  const c = await caseOf(ROWS);
  const note = '<t:note>a &amp; b \u00e9</t:note>';
  const nil = (written: string): string => echo(rows(30)).replaceAll(note, written);
  for (const written of [
    '<t:note xsi:nil="true"/>',
    '<t:note xsi:nil="1"></t:note>',
    '<t:note xsi:nil="true"></t:note>',
  ]) {
    compare(c, nil(written), false);
    reports.count = 0;
    t.same(compare(c, nil(written), false).violations, []);
    t.ok(reports.count < 20, `${reports.count} are reported`);
  }
  const others: readonly (readonly [string, string | null])[] = [
    ['<t:note xsi:nil="true"> </t:note>', 'must be empty'],
    ['<t:note xsi:nil="true">a</t:note>', 'must be empty'],
    ['<t:note xsi:nil="true" xsi:nil="true"/>', null],
    ['<t:note xsi:nil="maybe"/>', 'must be true or false'],
    ['<t:note xsi:nil="false"/>', null],
    ['<t:note xsi:nil=" true "/>', null],
    ['<t:note xsi:nul="true"/>', 'is not declared'],
    ['<t:note t:nil="true"/>', 'is not declared'],
    ['<t:note nil="true"/>', 'is not declared'],
    ['<t:note xmlns:n="http://www.w3.org/2001/XMLSchema-instance" n:nil="true"/>', null],
    ['<t:note xmlns:n="urn:n" n:nil="true"/>', 'is not declared'],
  ];
  for (const [written, what] of others) {
    const { violations, refusal } = compare(c, nil(written), false);
    compare({ ...c, refuses: true }, nil(written), false);
    if (what !== null) t.match(violations[0] ?? '', what, written);
    else t.same([violations, refusal === null], [[], !written.includes('nil="true" xsi')], written);
  }
  const isNotNillable = echo(rows(30)).replace('<t:id>107</t:id>', '<t:id xsi:nil="true"/>');
  t.match(compare(c, isNotNillable, false).violations[0] ?? '', 'must not be nil');
});

t.test('limits refuse at the same element', async (t) => {
  const c = { ...(await caseOf(ROWS)), refuses: true };
  const document = echo(rows(12));
  const least = { elements: 133, children: 12, depth: 3, nameChars: 9, attributes: 2 };
  t.equal(compare({ ...c, limits: least }, document, false).refusal, null);
  for (const [key, most] of Object.entries(least)) {
    const limits = { ...least, [key]: most - 1 };
    t.not(compare({ ...c, limits }, document, false).refusal, null, key);
  }
});

t.test('indented content, comments and other prefixes come out as by events', async (t) => {
  const c = await caseOf(ROWS);
  const documents = [
    echo(rows(5)).replaceAll('><', '>\r\n\t <'),
    echo(rows(5)).replaceAll('</t:row>', '<!-- between --></t:row>'),
    echo(rows(5)).replaceAll('t:', '').replace('xmlns=', 'xmlns:u="urn:u" xmlns='),
    echo(rows(5)).replaceAll('<t:row ', '<t:row xmlns:u="urn:t" '),
    echo(rows(5)).replaceAll('<t:row ', '<t:row xmlns:t="urn:other" '),
    echo(rows(5)).replaceAll('<t:note>a &amp; b \u00e9</t:note>', '<t:note xsi:nil="true"/>'),
    echo(rows(5)).replaceAll('<t:note>a', '<t:note><![CDATA[<a>]]>'),
    echo(`${rows(5)}<t:tail>${'long '.repeat(20_000)}</t:tail>`),
  ];
  for (const document of documents) {
    compare(c, document, false);
    compare({ ...c, refuses: true }, document.replace('<t:id>103', '<t:id>x'), false);
  }
  compare(c, echo(rows(2)).replaceAll('><', '>\r\n<'), true);
  t.equal(compare(c, documents[0] ?? '', false).violations.length, 0);
});

t.test('names written as before are others where their prefix is bound to another', async (t) => {
  const c = await caseOf(ROWS);
  const withoutPrefix = echo(rows(20)).replaceAll('t:', '').replace('xmlns:t', 'xmlns');
  for (const document of [echo(rows(20)), withoutPrefix]) {
    for (let time = 0; time < 2; time++) {
      t.same(compare(c, document, false).violations, []);
      const other = document.replace('"urn:t"', '"urn:other"');
      t.match(compare(c, other, false).violations[0] ?? '', '/Echo/*[1] is not declared here');
    }
  }
});

t.test('models that are emptied from the memory are put there anew', async (t) => {
  const c = await caseOf(ROWS);
  const other = await caseOf(ROWS);
  const { epoch } = modelMemory;
  while (modelMemory.addState(true, 0) !== 0);
  compare(other, echo(rows(10)), false);
  t.equal(modelMemory.epoch, epoch, 'a full memory is kept for a while');
  while (modelMemory.epoch === epoch) modelMemory.begin();
  for (const each of [c, other, c]) {
    reports.count = 0;
    compare(each, echo(rows(40)), false);
    t.ok(reports.count < 20, `${reports.count} are reported`);
  }
});
