import fc from 'fast-check';
import t from 'tap';
import { CODEC_LIMITS } from '../../../src/codec/plan/limits.js';
import type { Decoded, FieldSlot, ObjectPlan } from '../../../src/codec/plan/reply/reply-plan.js';
import type { Scalar } from '../../../src/codec/plan/scalar.js';
import { ReplyDecoder } from '../../../src/codec/read/decode.js';
import { EncodedReply } from '../../../src/codec/read/encoded.js';
import { listScalarOf } from '../../../src/codec/values/scalars.js';
import { defaultsOf } from '../../../src/core/limit.js';
import { plainSimpleType } from '../../../src/wsdl/plain.js';
import { ALL, SKIP, type StartTag, type XmlHandler } from '../../../src/xml/events.js';
import { XML_LIMITS } from '../../../src/xml/limits.js';
import { XmlReader } from '../../../src/xml/reader.js';
import { syntheticTag } from '../../../src/xml/synthetic-tag.js';
import { readXml } from '../../kit/read-xml.js';
import {
  attribute,
  child,
  name,
  object,
  read,
  readDocument,
  reply,
  scalar,
  shown,
  slot,
  text,
  typed,
  URI,
  wrapped,
} from '../plans.js';

const MISSING = 'missing where a value is required';
const NIL = 'xsi:nil="true"';

t.test('keys come in the order of the plan, not of the elements', async (t) => {
  const plan = reply(object(child('b', 'int'), child('a', 'string'), child('c', 'string')));
  const { value } = read(plan, '<a>1</a><x><b>9</b></x><b>2</b>');
  t.equal(JSON.stringify(value), '{"b":2,"a":"1","c":null}');
});

t.test('text in several pieces is one value', async (t) => {
  const plan = reply(object(child('a', 'string'), child('n', 'int')));
  t.strictSame(
    shown(read(plan, '<a>x&amp;<!-- c --><![CDATA[<y>]]>ü😀&#13;</a><n> 1<!-- -->2 </n>')),
    {
      value: { a: 'x&<y>ü😀\r', n: 12 },
      errors: [],
    },
  );
});

t.test('what is not asked for is skipped, so that no string is made for it', async (t) => {
  const decoder = new ReplyDecoder(reply(object(child('a', 'string'))), { listItems: 10 });
  const tag = (local: string) => syntheticTag({ uri: URI, local }, 1);
  t.not(decoder.open(tag('r')), SKIP);
  t.equal(decoder.open(tag('b')), SKIP);
  decoder.close();
  t.not(decoder.open(tag('a')), SKIP);
  decoder.text('v');
  decoder.close();
  decoder.close();
  t.strictSame(shown(decoder.finish()).value, { a: 'v' });
});

t.test(
  'strings that look like numbers stay strings, numbers keep every digit (case 14)',
  async (t) => {
    const plan = reply(
      object(
        child('zip', 'string'),
        child('id', 'long'),
        child('n', 'integer'),
        child('d', 'decimal'),
      ),
    );
    t.strictSame(
      shown(
        read(
          plan,
          '<zip>00123</zip><id>9007199254740993</id><n>123456789012345678901</n><d>12.3400</d>',
        ),
      ),
      {
        value: { zip: '00123', id: '9007199254740993', n: '123456789012345678901', d: '12.3400' },
        errors: [],
      },
    );
  },
);

t.test('dates keep their offset and get no time zone (case 13)', async (t) => {
  const plan = reply(object(child('a', 'date'), child('b', 'dateTime')));
  t.strictSame(shown(read(plan, '<a>2015-03-26+01:00</a><b>2015-03-26T10:00:00</b>')).value, {
    a: '2015-03-26+01:00',
    b: '2015-03-26T10:00:00',
  });
});

t.test('a list of one is a list, of none is empty (case 11)', async (t) => {
  const plan = reply(
    object(
      child('a', '[string]!'),
      wrapped('w', '[int!]'),
      wrapped('o', '[T]', object(child('x', 'int'))),
    ),
  );
  t.strictSame(
    shown(read(plan, '<a>1</a><w><item>1</item></w><o><item><x>1</x></item></o>')).value,
    {
      a: ['1'],
      w: [1],
      o: [{ x: 1 }],
    },
  );
  t.strictSame(shown(read(plan, '<w/><o></o>')), { value: { a: [], w: [], o: [] }, errors: [] });
  t.strictSame(shown(read(plan, `<w ${NIL}/>`)), {
    value: { a: [], w: null, o: null },
    errors: [],
  });
  t.strictSame(shown(read(plan, `<a/><a ${NIL}/><o><item ${NIL}/><other/><item/></o>`)).value, {
    a: ['', null],
    w: null,
    o: [null, { x: null }],
  });
});

t.test('items of a list may stand apart', async (t) => {
  const plan = reply(object(child('a', '[int]'), child('b', 'int')));
  t.strictSame(shown(read(plan, '<a>1</a><b>5</b><a>2</a>')).value, { a: [1, 2], b: 5 });
});

t.test('empty, absent and nil are decoded differently (case 12)', async (t) => {
  const complex = object(
    child('x', 'string'),
    attribute('k', 'string', 'dflt'),
    child('l', '[int]'),
  );
  const plan = reply(object(child('s', 'string'), child('i', 'int'), child('c', 'C', complex)));
  t.strictSame(shown(read(plan, '<s/><i/><c/>')), {
    value: { s: '', i: null, c: { x: null, k: 'dflt', l: [] } },
    errors: [],
  });
  t.strictSame(shown(read(plan, '')), { value: { s: null, i: null, c: null }, errors: [] });
  t.strictSame(shown(read(plan, `<s ${NIL}/><i xsi:nil=" 1 "/><c ${NIL}/>`)), {
    value: { s: null, i: null, c: null },
    errors: [],
  });
  t.strictSame(shown(read(plan, '<s xsi:nil="false">v</s>')).value, { s: 'v', i: null, c: null });
});

t.test('a default is the value of an empty element, not of an absent one', async (t) => {
  const plan = reply(object(slot('i', { from: 'child', name: name('i'), default: '7' }, 'int')));
  t.strictSame(shown(read(plan, '<i/>')).value, { i: 7 });
  t.strictSame(shown(read(plan, '')).value, { i: null });
});

t.test('INF and NaN break no contract: GraphQL has no such Float', async (t) => {
  const plan = reply(object(child('a', '[double]'), child('b', 'float')));
  const decoded = read(plan, '<a>INF</a><a>1e3</a><a>NaN</a><b>inf</b>');
  t.same(shown(decoded).value, { a: [null, 1000, null], b: null });
  t.match(decoded.errors, [
    { code: 'VALUE_NOT_REPRESENTABLE', path: ['a', 0], rule: /type: String/ },
    { code: 'VALUE_NOT_REPRESENTABLE', path: ['a', 2] },
    { code: 'UPSTREAM_SCHEMA_INVALID', path: ['b'] },
  ]);
});

t.test(
  'a nil element that has attributes is an object with them, where it may have nothing else',
  async (t) => {
    const gone = object(
      child('x', 'int'),
      child('l', '[int]!'),
      attribute('why', 'string'),
      attribute('d', 'int', '3'),
    );
    const plan = reply(
      object(
        child('a', 'A', gone),
        child('b', '[A]', gone),
        wrapped('w', '[A]', gone),
        child('c', 'C', object(child('x', 'int!'), attribute('why', 'string'))),
      ),
    );
    const nil =
      `<a ${NIL} why="gone"/><b ${NIL}/><b ${NIL} why="w"/><b ${NIL} other="o"/>` +
      `<w ${NIL} why="w"/><c ${NIL} why="lost"/>`;
    t.strictSame(shown(read(plan, nil)), {
      value: {
        a: { x: null, l: [], why: 'gone', d: 3 },
        b: [null, { x: null, l: [], why: 'w', d: 3 }, null],
        w: null,
        c: null,
      },
      errors: [],
    });
    t.strictSame(shown(read(reply(gone), '', `${NIL} why="gone"`)).value, {
      x: null,
      l: [],
      why: 'gone',
      d: 3,
    });
    t.strictSame(shown(read(reply(gone), '', NIL)).value, null);
    t.strictSame(
      shown(read(reply(object(child('a', 'A', object(child('x', 'int'))))), nil)).value,
      { a: null },
      'not asked for',
    );
  },
);

t.test('a default is also that of items, and of the text of simple content', async (t) => {
  const price = object(text('value', 'int!'), attribute('u', 'string', 'kg'));
  const source = { from: 'child', name: name('p'), default: '42' } as const;
  const plan = reply(
    object(
      slot(
        'w',
        { from: 'wrapped list', name: name('w'), item: name('item'), default: '5' },
        '[int]',
      ),
      slot('p', source, 'P', price),
      slot('q', { ...source, name: name('q') }, '[P]', price),
      slot(
        'l',
        { from: 'wrapped list', name: name('l'), item: name('item'), default: '7' },
        '[P]',
        price,
      ),
    ),
  );
  const content =
    `<w><item/><item>1</item><item ${NIL}/></w><p/><q u="g"/><q>1</q>` +
    `<q ${NIL}/><l><item/></l>`;
  t.strictSame(shown(read(plan, content)), {
    value: {
      w: [5, 1, null],
      p: { value: 42, u: 'kg' },
      q: [{ value: 42, u: 'g' }, { value: 1, u: 'kg' }, null],
      l: [{ value: 7, u: 'kg' }],
    },
    errors: [],
  });
  t.strictSame(shown(read(plan, '<w/>')).value, { w: [], p: null, q: [], l: null });
});

t.test('attributes and the text of simple content have one shape (case 15)', async (t) => {
  const price = object(
    text('value', 'decimal!'),
    attribute('currency', 'string', 'EUR'),
    attribute('vat', 'int'),
  );
  const plan = reply(object(child('p', 'P', price), child('q', '[P]', price)));
  t.strictSame(shown(read(plan, '<p vat="20">1.50</p><q currency="USD"> 2 </q>')), {
    value: {
      p: { value: '1.50', currency: 'EUR', vat: 20 },
      q: [{ value: '2', currency: 'USD', vat: null }],
    },
    errors: [],
  });
  t.strictSame(shown(read(plan, '<p vat="x">1</p>')), {
    value: { p: { value: '1', currency: 'EUR', vat: null }, q: [] },
    errors: ['p.vat: must be an integer from -2147483648 to 2147483647'],
  });
  t.strictSame(shown(read(plan, '<p/>')), {
    value: { p: null, q: [] },
    errors: ['p.value: empty where a value is required'],
  });
  t.strictSame(shown(read(reply(object(attribute('k', 'string!'))), '')), {
    value: null,
    errors: [`k: ${MISSING}`],
  });
});

t.test('two aliases of one element are both filled', async (t) => {
  const item = (...keys: readonly string[]): ObjectPlan =>
    object(...keys.map((key) => child(key, 'int!', null, 'n')));
  const plan = reply(
    object(
      child('a', 'string', null, 's'),
      child('b', 'string', null, 's'),
      child('c', '[T]', item('x'), 'o'),
      child('d', '[T]', item('y', 'z'), 'o'),
      slot(
        'e',
        { from: 'wrapped list', name: name('w'), item: name('item'), default: null },
        '[int]',
      ),
      slot(
        'f',
        { from: 'wrapped list', name: name('w'), item: name('item'), default: null },
        '[int!]',
      ),
    ),
  );
  t.strictSame(
    shown(read(plan, `<s>v</s><o><n>1</n></o><o><n>2</n></o><w><item>1</item><item ${NIL}/></w>`)),
    {
      value: {
        a: 'v',
        b: 'v',
        c: [{ x: 1 }, { x: 2 }],
        d: [
          { y: 1, z: 1 },
          { y: 2, z: 2 },
        ],
        e: [1, null],
        f: null,
      },
      errors: ['f.1: nil where a value is required'],
    },
  );
});

t.test('nulls propagate to the nearest nullable ancestor', async (t) => {
  const rows: readonly (readonly [string, ObjectPlan, string, unknown, readonly string[]])[] = [
    [
      'nullable field',
      object(child('a', 'int'), child('b', 'int')),
      '<a>x</a><b>1</b>',
      { a: null, b: 1 },
      ['a'],
    ],
    ['non-null field', object(child('a', 'int!'), child('b', 'int')), '<b>1</b>', null, ['a']],
    ['lexical error in a non-null field', object(child('a', 'int!')), '<a>x</a>', null, ['a']],
    ['nil in a non-null field', object(child('a', 'int!')), `<a ${NIL}/>`, null, ['a']],
    ['empty non-null number', object(child('a', 'int!')), '<a/>', null, ['a']],
    [
      'object in a nullable field',
      object(child('o', 'T', object(child('a', 'int!')))),
      '<o/>',
      { o: null },
      ['o.a'],
    ],
    [
      'object in a non-null field',
      object(child('o', 'T!', object(child('a', 'int!')))),
      '<o/>',
      null,
      ['o.a'],
    ],
    [
      'object that is absent',
      object(child('o', 'T!', object(child('a', 'int!')))),
      '',
      null,
      ['o'],
    ],
    [
      'object that is nil',
      object(child('o', 'T!', object(child('a', 'int')))),
      `<o ${NIL}/>`,
      null,
      ['o'],
    ],
    [
      'item of [T]',
      object(child('l', '[int]')),
      '<l>1</l><l>x</l><l>3</l>',
      { l: [1, null, 3] },
      ['l.1'],
    ],
    [
      'item of [T!]',
      object(child('l', '[int!]'), child('b', 'int')),
      '<l>1</l><l>x</l><l>3</l><b>1</b>',
      { l: null, b: 1 },
      ['l.1'],
    ],
    ['item of [T!]!', object(child('l', '[int!]!')), '<l>1</l><l>x</l><l>y</l>', null, ['l.1']],
    ['item of [T]!', object(child('l', '[int]!')), '<l>x</l>', { l: [null] }, ['l.0']],
    [
      'object item of [T!]',
      object(child('l', '[T!]', object(child('a', 'int!')))),
      '<l><a>1</a></l><l/>',
      { l: null },
      ['l.1.a'],
    ],
    [
      'object item of [T]',
      object(child('l', '[T]', object(child('a', 'int!')))),
      '<l/><l><a>1</a></l>',
      { l: [null, { a: 1 }] },
      ['l.0.a'],
    ],
    [
      'wrapped item of [T!]',
      object(wrapped('w', '[int!]')),
      '<w><item>x</item><item>1</item></w>',
      { w: null },
      ['w.0'],
    ],
    [
      'wrapped item of [T!]!',
      object(wrapped('w', '[int!]!')),
      '<w><item>x</item></w>',
      null,
      ['w.0'],
    ],
    ['absent wrapper of [T]!', object(wrapped('w', '[int]!')), '', null, ['w']],
    ['nil wrapper of [T]!', object(wrapped('w', '[int]!')), `<w ${NIL}/>`, null, ['w']],
    [
      'wrapped object items',
      object(wrapped('w', '[T!]', object(child('a', 'int!')))),
      '<w><item/></w>',
      { w: null },
      ['w.0.a'],
    ],
  ];
  for (const [title, plan, content, expected, paths] of rows) {
    const decoded = read(reply(plan), content);
    t.strictSame(shown(decoded).value, expected, title);
    t.strictSame(
      decoded.errors.map((error) => error.path.join('.')),
      paths,
      `${title}: error paths`,
    );
  }
});

t.test('the shape of the reply decides the answer and where paths begin', async (t) => {
  const list = object(child('l', '[T]', object(child('a', 'int'))));
  t.strictSame(shown(read(reply(list, 'unwrap'), '<l><a>x</a></l>')), {
    value: [{ a: null }],
    errors: ['0.a: must be an integer from -2147483648 to 2147483647'],
  });
  t.strictSame(shown(read(reply(list, 'whole'), '<l><a>x</a></l>')).value, { l: [{ a: null }] });
  t.strictSame(shown(read(reply(list, 'done'), '<l><a>x</a></l>')), { value: true, errors: [] });
  t.strictSame(shown(read(reply(object(child('s', 'string!')), 'unwrap', true), '')), {
    value: null,
    errors: [`: ${MISSING}`],
  });
  t.strictSame(shown(read(reply(object(child('s', 'string')), 'unwrap', false), '')), {
    value: null,
    errors: [],
  });
  t.strictSame(shown(read(reply(list, 'whole', true), '', NIL)), {
    value: null,
    errors: [`: ${MISSING}`],
  });
  t.strictSame(
    shown(new ReplyDecoder(reply(list, 'whole', true), { listItems: 1 }).finish()).errors,
    [`: ${MISSING}`],
  );
  t.strictSame(
    shown(read(reply(object(slot('k', { from: 'constant', value: 'R' }, 'string!'))), '<a/>'))
      .value,
    {
      k: 'R',
    },
  );
});

t.test('xsi:type is resolved by QName under any prefix (case 17)', async (t) => {
  const dog = {
    slots: [
      child('name', 'string'),
      child('legs', 'int'),
      slot('__typename', { from: 'constant', value: 'Dog' }, 'string!'),
    ],
  };
  const base = {
    slots: [
      child('name', 'string'),
      slot('__typename', { from: 'constant', value: 'Pet' }, 'string!'),
    ],
  };
  const pet = typed(base, { '{urn:pets}Dog': dog, '{urn:test}Pet': base });
  const plan = reply(object(child('p', 'Pet', pet)));
  const content = '<name>Rex</name><legs>4</legs>';
  const asDog = { p: { name: 'Rex', legs: 4, __typename: 'Dog' } };
  const asPet = { p: { name: 'Rex', __typename: 'Pet' } };
  t.strictSame(
    shown(read(plan, `<p xmlns:q7="urn:pets" xsi:type=" q7:Dog ">${content}</p>`)).value,
    asDog,
  );
  t.strictSame(
    shown(
      read(
        plan,
        '<q:p xmlns:q="urn:test" xmlns="urn:pets" xsi:type="Dog"><q:name>Rex</q:name>' +
          '<q:legs>4</q:legs></q:p>',
      ),
    ).value,
    asDog,
  );
  t.strictSame(shown(read(plan, `<p xsi:type="Dog">${content}</p>`)), { value: asPet, errors: [] });
  t.strictSame(shown(read(plan, `<p xsi:type="undeclared:Dog">${content}</p>`)).value, asPet);
  t.strictSame(shown(read(plan, `<p>${content}</p>`)).value, asPet);

  const held = reply(object(child('p', '[Pet]', { ...pet, declaredType: '{urn:test}Pet' })));
  const unknown = 'an xsi:type that is not declared for the element';
  t.strictSame(
    shown(
      read(
        held,
        `<p xmlns:q="urn:pets" xsi:type="q:Cat">${content}</p><p xsi:type="none:Dog"/>` +
          '<p xmlns:s="http://schemas.xmlsoap.org/soap/encoding/" xsi:type="s:Struct">' +
          `${content}</p><p xmlns:q="urn:pets" xsi:type="q:Dog">${content}</p>` +
          `<p xmlns:u="urn:test" xsi:type="u:Pet">${content}</p>`,
      ),
    ),
    {
      value: { p: [null, null, asPet.p, asDog.p, asPet.p] },
      errors: [`p.0: ${unknown}`, `p.1: ${unknown}`],
    },
  );
  const abstract = typed(null, { '{urn:pets}Dog': dog });
  const rule = 'an abstract type without a known xsi:type';
  t.strictSame(
    shown(
      read(
        reply(object(child('p', '[Pet]', abstract))),
        `<p/><p xsi:type="Cat"/><p xmlns:d="urn:pets" xsi:type="d:Dog"/>`,
      ),
    ),
    {
      value: { p: [null, null, { name: null, legs: null, __typename: 'Dog' }] },
      errors: [`p.0: ${rule}`, `p.1: ${rule}`],
    },
  );
  t.strictSame(shown(read(reply(object(child('p', 'Pet!', abstract))), '<p/>')), {
    value: null,
    errors: [`p: ${rule}`],
  });
  t.strictSame(shown(read(reply(abstract), '')), { value: null, errors: [`: ${rule}`] });
});

t.test('a group that exists in GraphQL only reads the same element', async (t) => {
  const group = object(child('x', 'int!'), attribute('k', 'string'), text('t', 'string'));
  const self = (type: string) => slot('g', { from: 'self' }, type, group);
  t.strictSame(
    shown(read(reply(object(child('y', 'int'), self('G'))), '<x>1</x><y>2</y>', 'k="v"')),
    {
      value: { y: 2, g: { x: 1, k: 'v', t: '' } },
      errors: [],
    },
  );
  t.strictSame(shown(read(reply(object(child('y', 'int'), self('G'))), '<y>2</y>')), {
    value: { y: 2, g: null },
    errors: [`g.x: ${MISSING}`],
  });
  t.strictSame(
    shown(read(reply(object(child('o', '[T]', object(self('G!'))))), '<o/><o><x>3</x></o>')),
    {
      value: { o: [null, { g: { x: 3, k: null, t: '' } }] },
      errors: [`o.0.g.x: ${MISSING}`],
    },
  );
});

t.test(
  'names are matched by namespace, and by local name alone where stacks get qualification wrong',
  async (t) => {
    const plan = reply(object(child('a', 'string')));
    t.strictSame(shown(readDocument(plan, '<p:r xmlns:p="urn:test"><p:a>v</p:a></p:r>')).value, {
      a: 'v',
    });
    t.strictSame(shown(readDocument(plan, '<p:r xmlns:p="urn:test"><a>v</a></p:r>')).value, {
      a: 'v',
    });
    t.strictSame(
      shown(readDocument(plan, '<r xmlns="urn:test"><a xmlns="urn:other">v</a></r>')).value,
      { a: null },
    );
    t.strictSame(shown(readDocument(plan, '<r xmlns="urn:parent"><a>v</a></r>')).value, { a: 'v' });
    const two = reply(
      object(
        slot('q', { from: 'child', name: name('a', 'urn:test'), default: null }, 'string'),
        slot('u', { from: 'child', name: name('a', ''), default: null }, 'string'),
      ),
    );
    t.strictSame(shown(readDocument(two, '<p:r xmlns:p="urn:test"><a>1</a><p:a>2</p:a></p:r>')), {
      value: { q: '2', u: '1' },
      errors: [],
    });
  },
);

t.test('of an element that may occur once the first counts', async (t) => {
  const plan = reply(object(child('a', 'int'), child('o', 'T', object(child('x', 'int')))));
  const once = 'present more than once';
  t.strictSame(shown(read(plan, '<a>1</a><a>2</a><a>3</a><o><x>1</x></o><o><x>2</x></o>')), {
    value: { a: 1, o: { x: 1 } },
    errors: [`a: ${once}`, `o: ${once}`],
  });
});

t.test('elements inside a simple value are an error', async (t) => {
  t.strictSame(
    shown(
      read(reply(object(child('a', 'string'), child('b', 'string'))), '<a>x<y>z</y></a><b>1</b>'),
    ),
    {
      value: { a: null, b: '1' },
      errors: ['a: elements where a simple value is expected'],
    },
  );
});

t.test('a list that is too long is null with its own code', async (t) => {
  const items = '<l>1</l>'.repeat(4);
  const decoded = read(
    reply(object(child('l', '[int]'), child('b', 'int'))),
    `${items}<b>1</b>`,
    '',
    3,
  );
  t.strictSame(shown(decoded).value, { l: null, b: 1 });
  t.strictSame(decoded.errors, [
    { code: 'UPSTREAM_RESPONSE_LIMIT', path: ['l'], rule: 'more items than allowed' },
  ]);
  t.strictSame(shown(read(reply(object(child('l', '[int]'))), items, '', 4)).value, {
    l: [1, 1, 1, 1],
  });
  const wrapper = '<w><item>1</item><item>2</item></w>';
  t.strictSame(shown(read(reply(object(wrapped('w', '[int]'))), wrapper, '', 1)), {
    value: { w: null },
    errors: ['w: more items than allowed'],
  });
  t.strictSame(shown(read(reply(object(wrapped('w', '[int]!'))), wrapper, '', 1)).value, null);
  t.strictSame(
    shown(read(reply(object(child('l', '[int]!')), 'unwrap'), items, '', 1)).value,
    null,
  );
});

t.test('errors are listed up to ten and counted beyond', async (t) => {
  const decoded = read(reply(object(child('l', '[int]'))), '<l>x</l>'.repeat(25));
  t.equal(decoded.errors.length, 10);
  t.equal(decoded.furtherErrors, 15);
  t.notOk(JSON.stringify(decoded.errors).includes('x"'), 'no value in them');
});

t.test('names of the prototype are plain names', async (t) => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const content = names.map((key) => `<${key}>v</${key}>`).join('');
  const unknown = read(
    reply(object(child('a', 'string'))),
    content,
    '__proto__="v" constructor="v"',
  );
  t.equal(JSON.stringify(unknown.value), '{"a":null}');
  const asked = read(reply(object(...names.map((key) => child(key, 'string')))), content);
  t.equal(JSON.stringify(asked.value), `{${names.map((key) => `"${key}":"v"`).join()}}`);
  const nested = read(
    reply(object(child('__proto__', 'T', object(child('polluted', 'string'))))),
    '<__proto__><polluted>y</polluted></__proto__>',
  );
  t.equal(JSON.stringify(nested.value), '{"__proto__":{"polluted":"y"}}');
  t.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  t.notOk('polluted' in {});
  t.equal(Object.getPrototypeOf(Object.getPrototypeOf(nested.value)), null);
});

t.test('one plan serves many replies', async (t) => {
  const plan = reply(object(child('a', '[int]')));
  t.strictSame(shown(read(plan, '<a>1</a>')).value, { a: [1] });
  t.strictSame(shown(read(plan, '<a>2</a>')).value, { a: [2] });
});

t.test('a deep reply is read without recursion', async (t) => {
  let plan: ObjectPlan = object(child('a', 'int'));
  for (let level = 0; level < 90; level++) plan = object(child('a', 'T', plan));
  const decoded = read(reply(plan), `${'<a>'.repeat(91)}7${'</a>'.repeat(91)}`);
  t.match(JSON.stringify(decoded.value), /^(\{"a":){91}7\}{91}$/);
});

t.test('content that is not modelled is XML text that stands alone', async (t) => {
  const opaque = { kind: 'opaque' } as const;
  const plan = reply(
    object(child('x', 'string', opaque), child('l', '[string]', opaque), child('b', 'int')),
  );
  const decoded = read(
    plan,
    '<x k="1&amp;&#10;" xml:lang="en" xmlns:p="urn:p" p:q="v">a&lt;<y xmlns=""/>' +
      `<p:z xsi:type="p:T">t</p:z> b</x><l/><l ${NIL}/><b>1</b>`,
  );
  const [xsi, outer] = ['http://www.w3.org/2001/XMLSchema-instance', `xmlns="${URI}"`];
  t.strictSame(shown(decoded), {
    value: {
      x:
        `<x ${outer} k="1&amp;&#10;" xml:lang="en" xmlns:_2="urn:p" _2:q="v">a&lt;<y xmlns=""/>` +
        `<z xmlns="urn:p" xmlns:_0="${xsi}" xmlns:_t="urn:p" _0:type="_t:T">t</z> b</x>`,
      l: [`<l ${outer}/>`, null],
      b: 1,
    },
    errors: [],
  });
  const long = `<x>${'<y>text</y>'.repeat(10_000)}</x><b>1</b>`;
  const tooLong = read(plan, long);
  t.strictSame(shown(tooLong).value, { x: null, l: [], b: 1 });
  t.strictSame(tooLong.errors, [
    { code: 'UPSTREAM_RESPONSE_LIMIT', path: ['x'], rule: 'more XML than allowed' },
  ]);
  const required = reply(object(child('x', 'string!', opaque), child('y', 'string', opaque, 'x')));
  t.strictSame(shown(read(required, long)), {
    value: null,
    errors: ['y: more XML than allowed', 'x: more XML than allowed'],
  });
});

t.test('XML keeps the bindings of prefixes that its texts and values may mean', async (t) => {
  const plan = reply(object(child('x', '[string]', { kind: 'opaque' })));
  const xml = (
    content: string,
    attributes = 'xmlns:p="urn:p" xmlns:q="urn:q" xmlns:_0="urn:0"',
  ): string => {
    const { value, errors } = shown(read(plan, content, attributes));
    t.same(errors, []);
    return (value as { x: string[] }).x.join();
  };
  const own = `<x xmlns="${URI}"`;
  t.equal(
    xml('<x r="p:y">q:z<!-- -->z</x>'),
    `${own} xmlns:p="urn:p" xmlns:q="urn:q" r="p:y">q:zz</x>`,
  );
  t.equal(
    xml('<x>http://p/ urn:p:x 12:30 xml:lang unbound:x p :q</x>'),
    `${own} xmlns:p="urn:p">http://p/ urn:p:x 12:30 xml:lang unbound:x p :q</x>`,
  );
  // In an XPath, in a list, behind a child, in pieces.
  t.equal(
    xml('<x>//<![CDATA[p]]>:a[@k]<y k="a q:b"/>p&#58;c</x>'),
    `${own} xmlns:p="urn:p" xmlns:q="urn:q">//p:a[@k]<y k="a q:b"/>p:c</x>`,
  );
  t.equal(
    xml('<x><y>p:a</y><y xmlns:p="urn:other">p:a<z>p:b</z></y>q:c</x>'),
    `${own} xmlns:q="urn:q"><y xmlns:p="urn:p">p:a</y><y xmlns:p="urn:other">p:a<z ` +
      'xmlns:p="urn:other">p:b</z></y>q:c</x>',
    'a prefix that means two things',
  );
  // What is declared for names of attributes must not hide what a text means.
  t.equal(
    xml('<x q:k="1">_0:a</x>'),
    `${own} xmlns:_0="urn:0" xmlns:__0="urn:q" __0:k="1">_0:a</x>`,
  );
  t.equal(
    xml('<x xmlns:e="urn:e" e:t="q:A[2]"/>'),
    `${own} xmlns:q="urn:q" xmlns:_0="urn:e" _0:t="q:A[2]"/>`,
  );
});

/** What a document means: names, values and texts with their prefixes resolved. */
function meaningOf(document: string): string {
  const meaning: string[] = [];
  const tags: StartTag[] = [];
  const words = (text: string): string =>
    text.replace(/(\w+):(?=\w)/g, (all, prefix: string) => {
      const uri = tags.at(-1)?.namespace(prefix) ?? null;
      return uri === null ? all : `{${uri}}`;
    });
  const handler: XmlHandler = {
    open(tag) {
      tags.push(tag);
      const attributes = Array.from({ length: tag.attributeCount }, (_, index) => {
        return (
          `${tag.attributeUri(index)} ${tag.attributeLocal(index)} ` +
          `${words(tag.attributeValue(index))}`
        );
      });
      meaning.push(`<${tag.uri} ${tag.local} ${attributes.sort().join()}>`);
      return ALL;
    },
    text: (piece) => void meaning.push(words(piece)),
    close() {
      tags.pop();
      meaning.push('</>');
    },
  };
  readXml(handler, document);
  return meaning.join('');
}

t.test('XML that is handed out means by itself what it meant in its message', async () => {
  const PREFIXES = ['p', 'q', '_0', '_t', '__0'];
  const word = fc.constantFrom('p:a', 'q:b', '_0:c', '_t:d', '__0:e', 'plain', 'none:x', ' ');
  const declared = fc.uniqueArray(
    fc.tuple(fc.constantFrom('p', 'q', '_0', '_t', '__0'), fc.constantFrom('urn:1', 'urn:2')),
    {
      selector: ([prefix]) => prefix,
      maxLength: 3,
    },
  );
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        fc.constantFrom('y', 'p:y', 'q:y'),
        declared,
        fc.uniqueArray(fc.tuple(fc.constantFrom('k', 'p:k', 'q:l', 'xsi:type'), word), {
          selector: ([name]) => name,
          maxLength: 3,
        }),
        fc.array(fc.oneof({ depthSize: 'small' }, word, tie('element')), { maxLength: 4 }),
      )
      .map(([name, namespaces, attributes, content]) => {
        const all = [
          ...namespaces.map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`),
          ...attributes.map(([n, v]) => `${n}="${v}"`),
        ];
        return `<${name} ${all.join(' ')}>${content.join('')}</${name}>`;
      }),
  }));
  const plan = reply(object(child('x', 'string', { kind: 'opaque' })));
  fc.assert(
    fc.property(fc.array(element, { maxLength: 3 }), (content) => {
      const namespaces = PREFIXES.map((prefix) => `xmlns:${prefix}="urn:${prefix}"`).join(' ');
      const whole = `<x>${content.join('')}</x>`;
      const { value } = shown(read(plan, whole, namespaces));
      const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
      const before = meaningOf(`<x xmlns="${URI}" ${xsi} ${namespaces}>${content.join('')}</x>`);
      const after = meaningOf((value as { x: string }).x);
      if (withoutTypes(before) !== withoutTypes(after)) throw new Error(`${before}\n${after}`);
    }),
  );
});

/** A type without a prefix, or with one that is not bound, is in no namespace: it is written so. */
const withoutTypes = (meaning: string): string =>
  meaning.replace(/XMLSchema-instance type [^,>]*/g, '');

/**
 * A plan of any nullability over the names a, b, c; and a document of the same names that keeps
 * none of its promises.
 */
const { anyPlan, anyContent } = fc.letrec<{
  anyPlan: ObjectPlan;
  anySlot: FieldSlot;
  anyContent: string;
}>((tie) => ({
  anyPlan: fc
    .uniqueArray(tie('anySlot'), { minLength: 1, maxLength: 4, selector: (each) => each.key })
    .map((slots) => object(...slots)),
  anySlot: fc
    .tuple(
      fc.constantFrom('a', 'b', 'c', 'w'),
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('int', 'int!', '[int]', '[int!]', '[int]!', '[int!]!'),
      fc.option(tie('anyPlan'), { depthSize: 'small', maxDepth: 4 }),
    )
    .map(([key, local, type, inner]) => {
      if (key === 'w') return wrapped('w', type.startsWith('[') ? type : `[${type}]`, inner);
      return child(key, type, inner, local);
    }),
  anyContent: fc
    .array(
      fc.tuple(
        fc.constantFrom('a', 'b', 'c', 'w', 'item', 'item'),
        fc.constantFrom('', '', '', '', NIL),
        fc.option(tie('anyContent'), { depthSize: 'small', maxDepth: 5 }),
        fc.constantFrom('1', '2', 'x', ''),
      ),
      { maxLength: 6 },
    )
    .map((elements) =>
      elements
        .map(([local, nil, inner, text]) => `<${local} ${nil}>${inner ?? text}</${local}>`)
        .join(''),
    ),
}));

t.test('whatever the reply holds, the answer keeps the promises of its type', async () => {
  fc.assert(
    fc.property(anyPlan, anyContent, (plan, content) => {
      const decoded = read(reply(plan, 'whole', true), content);
      const seen =
        decoded.value === null ? decoded.errors.length > 0 : keepsPromises(plan, decoded.value);
      return seen && decoded.errors.every((error) => isExplained(decoded, error));
    }),
    { numRuns: 2000 },
  );
});

t.test(
  'an answer that is complete early, and one that was recorded, are the same as ' +
    'that of the whole message',
  async (t) => {
    let early = 0;
    fc.assert(
      fc.property(anyPlan, anyContent, (inner, content) => {
        const plan = reply(inner, 'whole', true);
        const bytes = Buffer.from(
          `<r xmlns="${URI}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${content}</r>`,
        );
        const whole = new ReplyDecoder(plan, LIMITS);
        readXml(whole, [bytes]);
        const expected = whole.finish();
        const recorded = new EncodedReply(new ReplyDecoder(plan, LIMITS), LIMITS);
        readXml(recorded, [bytes]);
        const replayed = recorded.finish();
        const first = new ReplyDecoder(plan, LIMITS);
        const reader = new XmlReader(first, defaultsOf(XML_LIMITS));
        let at = 0;
        while (at < bytes.length && !first.isComplete) reader.write(bytes.subarray(at, ++at));
        if (at < bytes.length) early++;
        const answer = first.finish().value;
        return (
          JSON.stringify(expected) === JSON.stringify(replayed) &&
          JSON.stringify(answer) === JSON.stringify(expected.value)
        );
      }),
      { numRuns: 1000 },
    );
    t.ok(early > 50, `${early} were complete early`);
  },
);

const LIMITS = defaultsOf(CODEC_LIMITS);

function keepsPromises(plan: ObjectPlan, value: unknown): boolean {
  const slots = plan.declared?.slots ?? [];
  const entries = new Map(Object.entries(Object(value)));
  if ([...entries.keys()].join() !== slots.map((each) => each.key).join()) return false;
  return slots.every((each) => {
    const held = entries.get(each.key);
    if (held === null) return !each.nonNull;
    if (each.list !== Array.isArray(held)) return false;
    const items: readonly unknown[] = Array.isArray(held) ? held : [held];
    return items.every((item) => {
      if (item === null) return !each.itemNonNull;
      return each.value.kind === 'object'
        ? keepsPromises(each.value, item)
        : typeof item === 'number';
    });
  });
}

/**
 * An error is about a value that is null, or lies in one that is; but of a repeated element the
 * first is kept.
 */
function isExplained(decoded: Decoded, error: Decoded['errors'][number]): boolean {
  let at: unknown = decoded.value;
  for (const step of error.path) {
    if (at === null) return true;
    at = new Map(Object.entries(Object(at))).get(String(step));
  }
  return at === null || error.rule === 'present more than once';
}

t.test('a choice keeps the order of the elements, each the object of its branch', async (t) => {
  const constant = (type: string): FieldSlot =>
    slot('t', { from: 'constant', value: type }, 'string!');
  const self = (key: string, type: string, inner: ObjectPlan | null = null): FieldSlot =>
    slot(key, { from: 'self' }, type, inner);
  const branches = [
    { name: name('a'), value: object(constant('A'), self('v', 'int')) },
    {
      name: name('b'),
      value: object(
        constant('B'),
        self('b', 'T', object(child('x', 'string'), attribute('k', 'int'))),
      ),
    },
    { name: name('c'), value: object(constant('C'), self('v', 'int!')) },
  ];
  const plan = reply(
    object(slot('any', { from: 'choice', branches }, '[T]!'), child('z', 'string')),
  );
  t.strictSame(
    shown(
      read(plan, `<a>1</a><z>q</z><b k="2"><x>y</x></b><a>3</a><a ${NIL}/><b ${NIL}/><c ${NIL}/>`),
    ),
    {
      value: {
        any: [
          { t: 'A', v: 1 },
          { t: 'B', b: { x: 'y', k: 2 } },
          { t: 'A', v: 3 },
          { t: 'A', v: null },
          { t: 'B', b: null },
          null,
        ],
        z: 'q',
      },
      errors: ['any.5.v: nil where a value is required'],
    },
  );
  t.strictSame(shown(read(plan, '')).value, { any: [], z: null });
  const one = reply(object(slot('one', { from: 'choice', branches }, 'T')));
  t.strictSame(shown(read(one, '<b><x>y</x></b>')).value, {
    one: { t: 'B', b: { x: 'y', k: null } },
  });
  t.strictSame(shown(read(one, '')).value, { one: null });
});

t.test('what is asked for is all there as soon as nothing that follows can matter', async (t) => {
  /** The elements that are begun, of a document without text, when it is. */
  const completeAt = (plan: ReturnType<typeof reply>, content: string): string | null => {
    const whole = shown(read(plan, content));
    const decoder = new ReplyDecoder(plan, { listItems: 10 });
    const bytes = Buffer.from(`<r xmlns="${URI}">${content}</r>`);
    const reader = new XmlReader(decoder, defaultsOf(XML_LIMITS));
    for (let at = 0; at < bytes.length; at++) {
      reader.write(bytes.subarray(at, at + 1));
      if (!decoder.isComplete) continue;
      t.strictSame(shown(decoder.finish()), whole, 'and comes to the same');
      return bytes.subarray(bytes.indexOf('>') + 1, at + 1).toString();
    }
    return null;
  };
  const lines = child('l', '[T]', object(child('x', 'int')));
  const order = object(
    child('id', 'int'),
    attribute('k', 'int'),
    child('c', 'C', object(child('n', 'string'))),
  );
  const content = '<o k="1"><id>1</id><c><z/><n>a</n><m/></c><l><x>1</x></l><l/></o><p>1</p>';
  t.equal(
    completeAt(reply(object(child('o', 'O', order))), content),
    '<o k="1"><id>1</id><c><z/><n>a</n>',
  );
  t.equal(completeAt(reply(object(child('o', 'O', order), child('p', 'int'))), content), content);
  t.equal(
    completeAt(reply(object(child('o', 'O', object(lines)))), content),
    content.slice(0, -'<p>1</p>'.length),
  );
  t.equal(
    completeAt(reply(object(child('o', 'O', order), child('q', 'int'))), content),
    `${content}</r>`,
  );
  t.equal(
    completeAt(reply(object(wrapped('o', '[int]'))), '<o><item>1</item></o><z/>'),
    '<o><item>1</item></o>',
  );
  t.equal(completeAt(reply(object(text('v', 'string'))), '<z/>'), '<z/></r>');
  const ordered = (...slots: readonly FieldSlot[]): ReturnType<typeof reply> => {
    const names = [...'abcd'].map(
      (local, at) => [local, { first: at, last: local === 'a' ? 2 : at }] as const,
    );
    const { declared, ...rest } = object(...slots);
    return reply({ ...rest, declared: declared && { ...declared, order: new Map(names) } });
  };
  t.equal(
    completeAt(ordered(child('b', '[int]')), '<b>1</b><a/><b>2</b><c/><d/>'),
    '<b>1</b><a/><b>2</b><c/>',
  );
  t.equal(
    completeAt(ordered(child('b', 'int'), child('c', 'int')), '<d/><z/>'),
    '<d/>',
    'what is missing is',
  );
  t.equal(
    completeAt(ordered(child('a', '[int]')), '<a>1</a><c/><a>2</a><z/><d/>'),
    '<a>1</a><c/><a>2</a><z/><d/>',
  );
  t.equal(
    completeAt(ordered(child('b', '[int]'), child('d', 'int')), '<b>1</b><d>2</d>'),
    '<b>1</b><d>2</d>',
  );
  const nested = object(
    slot('g', { from: 'self' }, 'G', object(child('a', 'int'))),
    child('b', 'int'),
  );
  t.equal(completeAt(reply(nested), '<b>1</b><a>2</a><z/>'), '<b>1</b><a>2</a>');
  t.equal(
    completeAt(reply(object(child('o', 'int!'))), '<o>x</o><z/>'),
    '<o>x</o>',
    'lost is certain too',
  );
});

t.test(
  'a QName is decoded with its namespace, not with a prefix that means nothing elsewhere',
  async (t) => {
    const plan = reply(object(child('a', '[QName]'), attribute('k', 'QName')));
    const content =
      '<a>p:x</a><a xmlns:p="urn:inner"> p:y<!-- -->z </a><a>plain</a>' +
      '<a>unbound:x</a><a>p:1</a><a/>';
    t.strictSame(shown(read(plan, content, 'xmlns:p="urn:p" k="p:v"')), {
      value: {
        a: ['{urn:p}x', '{urn:inner}yz', `{${URI}}plain`, 'unbound:x', null, null],
        k: '{urn:p}v',
      },
      errors: ['a.4: must be a qualified name'],
    });
  },
);

t.test(
  'names without a prefix are in the default namespace (XSD 1.0 part 2 section 3.2.18)',
  async (t) => {
    const plan = reply(
      object(child('a', '[QName]'), child('o', 'O', object(attribute('k', 'QName')))),
    );
    t.strictSame(
      shown(read(plan, '<a>x</a><a xmlns:p="urn:p" xmlns="urn:test">x</a><o k="y"/>')).value,
      {
        a: [`{${URI}}x`, `{${URI}}x`],
        o: { k: `{${URI}}y` },
      },
    );
    const inner = `<p:r xmlns:p="${URI}"><p:a>x</p:a><p:a xmlns="urn:d">x</p:a><p:o k="y"/></p:r>`;
    t.strictSame(shown(readDocument(plan, inner)).value, { a: ['x', '{urn:d}x'], o: { k: 'y' } });
  },
);

t.test('QNames in lists and in simple content are decoded with their namespaces', async (t) => {
  const names: Scalar = listScalarOf(plainSimpleType(null, 'QName'), scalar('QName'));
  const list = { kind: 'scalar', scalar: names } as const;
  const plan = reply(
    object(
      child('l', 'QName', list),
      child('s', '[S]', object(text('value', 'QName!'), attribute('lang', 'string'))),
      child('n', 'N', object(slot('value', { from: 'text' }, 'QName', list))),
      slot('k', { from: 'attribute', name: name('k', ''), default: null }, 'QName', list),
    ),
  );
  const content =
    '<l xmlns="">p:a q:b &#112;:c d p:<!-- -->e unbound:x</l><s lang="x">p:b</s>' +
    '<s xmlns:p="urn:other"> p:c </s><n> p:a\n p:b </n>';
  t.strictSame(shown(read(plan, content, 'xmlns:p="urn:p" xmlns:q="urn:q" k="p:v w"')), {
    value: {
      l: ['{urn:p}a', '{urn:q}b', '{urn:p}c', 'd', '{urn:p}e', 'unbound:x'],
      s: [
        { value: '{urn:p}b', lang: 'x' },
        { value: '{urn:other}c', lang: null },
      ],
      n: { value: ['{urn:p}a', '{urn:p}b'] },
      k: ['{urn:p}v', `{${URI}}w`],
    },
    errors: [],
  });
});

t.test('a list type has as many items as any list may have', async (t) => {
  const ints: Scalar = listScalarOf(
    { ...plainSimpleType(null, 'int'), variety: 'list' },
    scalar('int'),
  );
  const plan = reply(
    object({ ...child('a', 'Int', { kind: 'scalar', scalar: ints }), list: false }),
  );
  t.strictSame(shown(read(plan, '<a>1 2 3</a>', '', 3)), { value: { a: [1, 2, 3] }, errors: [] });
  const { value, errors } = read(plan, '<a>1 2 3 4</a>', '', 3);
  t.strictSame(JSON.parse(JSON.stringify([value, errors])), [
    { a: null },
    [{ code: 'UPSTREAM_RESPONSE_LIMIT', path: ['a'], rule: 'more items than allowed' }],
  ]);
});
