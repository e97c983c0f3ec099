import { readFileSync } from 'node:fs';
import t from 'tap';
import { CODEC_LIMITS, type CodecLimits } from '../../../src/codec/plan/limits.js';
import type {
  Decoded,
  FieldSlot,
  ReplyPlan,
  ValuePlan,
} from '../../../src/codec/plan/reply/reply-plan.js';
import { ReplyDecoder } from '../../../src/codec/read/decode.js';
import { EncodedReply } from '../../../src/codec/read/encoded.js';
import { defaultsOf } from '../../../src/core/limit.js';
import { Refusal } from '../../../src/core/refusals/refusal.js';
import { EnvelopeValidator } from '../../../src/soap/envelope.js';
import { readXml } from '../../kit/read-xml.js';
import { ENVELOPE_RULES } from '../../soap/rules.js';
import { name, object, reply, shown, slot } from '../plans.js';

const RULES = {
  ...ENVELOPE_RULES,
  header: { ...ENVELOPE_RULES.header, enforce: false, checksAddressing: false },
  headerBlocksMax: 10,
  idsMax: 100,
  multiRef: true,
};

const NAMES =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:m="urn:m"';

const envelope = (body: string): string =>
  `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" ${NAMES}><E:Body>` +
  `${body}</E:Body></E:Envelope>`;

function decodeBytes(
  plan: ReplyPlan,
  chunks: readonly Buffer[],
  limits: Partial<CodecLimits>,
): Decoded {
  const all = { ...defaultsOf(CODEC_LIMITS), ...limits };
  const encoded = new EncodedReply(new ReplyDecoder(plan, all), all);
  const observer = { onHeadValid() {}, openBody: () => encoded, openMultiRef: () => encoded };
  readXml(new EnvelopeValidator(RULES, null, 'no detail', observer), chunks);
  return encoded.finish();
}

/** The same answer however the bytes are cut. */
function decode(plan: ReplyPlan, message: string, limits: Partial<CodecLimits> = {}): Decoded {
  const bytes = Buffer.from(message);
  const whole = decodeBytes(plan, [bytes], limits);
  t.same(
    decodeBytes(
      plan,
      Array.from(bytes, (byte) => Buffer.of(byte)),
      limits,
    ),
    whole,
  );
  return whole;
}

const local = (key: string, type: string, inner: ValuePlan | null = null): FieldSlot =>
  slot(key, { from: 'child', name: name(key, ''), default: null }, type, inner);
const array = (key: string, type: string, inner: ValuePlan | null = null): FieldSlot =>
  slot(key, { from: 'wrapped list', name: name(key, ''), item: null, default: null }, type, inner);

const item = object(local('sku', 'string'), local('qty', 'int'), array('tags', '[string]'));
const result = (inner: FieldSlot): ReplyPlan => reply(object(inner), 'unwrap');

t.test('PHP: types stand on everything, arrays name their items', async (t) => {
  const message = readFileSync('test/codec/fixtures/php-encoded.xml', 'utf8');
  const all = object(
    ...['sku', 'price', 'unit'].map((key) => local(key, 'string')),
    array('tags', '[string]'),
  );
  const plan = result(
    local(
      'return',
      'T',
      object(
        local('sku', 'string'),
        local('counted', 'dateTime'),
        array('tags', '[string]'),
        local('substitute', 'T', all),
      ),
    ),
  );
  t.strictSame(shown(decode(plan, message)), {
    value: {
      sku: 'S3',
      counted: '2003-05-01T08:00:00+02:00',
      tags: ['a', 'b&c', 'é'],
      substitute: { sku: 'S2', price: '9.99', unit: 'kg', tags: ['a', 'b&c'] },
    },
    errors: [],
  });
});

t.test(
  'Axis: even numbers stand behind references, after the answer and out of order',
  async (t) => {
    const plan = result(local('getItemReturn', 'T', item));
    const message = envelope(
      '<m:getItemResponse><getItemReturn href="#id0"/></m:getItemResponse>' +
        '<multiRef id="id2" enc:root="0" xsi:type="xsd:int">7</multiRef>' +
        '<multiRef id="id0" enc:root="0" xsi:type="m:Item"><sku xsi:type="enc:string">A1</sku>' +
        '<qty href="#id2"/>' +
        '<tags xsi:type="enc:Array" enc:arrayType="xsd:string[3]"><tags>x</tags>' +
        '<tags href="#id3"/><tags xsi:nil="true"/></tags>' +
        '</multiRef><multiRef id="id3" xsi:type="xsd:string">y&amp;</multiRef>',
    );
    t.strictSame(shown(decode(plan, message)), {
      value: { sku: 'A1', qty: 7, tags: ['x', 'y&', null] },
      errors: [],
    });
  },
);

t.test('names in content mean what they meant where they stood', async (t) => {
  const plan = result(
    local('r', 'T', object(local('q', '[QName]'), local('x', 'XML', { kind: 'opaque' }))),
  );
  const message = envelope(
    '<m:x><r><q xmlns:p="urn:p" xsi:type="xsd:QName">p:l</q><q href="#1"/><q>m:<!-- -->l</q>' +
      '<x href="#2"/></r></m:x>' +
      '<n id="1" xmlns:p="urn:other" xmlns="urn:d" xsi:type="xsd:QName">p:l</n>' +
      '<n id="2" xsi:type="xsd:QName">m:l</n>',
  );
  const { value, errors } = shown(decode(plan, message));
  t.strictSame(errors, []);
  t.match(value, {
    q: ['{urn:p}l', '{urn:other}l', '{urn:m}l'],
    x: /^<x xmlns:m="urn:m" .*>m:l<\/x>$/,
  });
});

t.test('an element that many refer to stands in each of their places', async (t) => {
  const plan = result(array('r', '[T]', object(local('sku', 'string'))));
  const message = envelope(
    '<m:x><r><a href="#1"/><b id="1"><sku>S</sku></b><c href="#1"/></r></m:x>',
  );
  t.strictSame(shown(decode(plan, message)), {
    value: [{ sku: 'S' }, { sku: 'S' }, { sku: 'S' }],
    errors: [],
  });
});

t.test('SOAP 1.2 refers by ref to id of its encoding', async (t) => {
  const plan = result(local('r', 'T', item));
  const message =
    '<E:Envelope xmlns:E="http://www.w3.org/2003/05/soap-envelope" ' +
    `xmlns:n="http://www.w3.org/2003/05/soap-encoding" ${NAMES}>` +
    '<E:Body><m:x><r n:ref="q"/></m:x><any n:id="q"><sku>S</sku></any></E:Body></E:Envelope>';
  t.strictSame(shown(decode(plan, message)).value, { sku: 'S', qty: null, tags: null });
});

t.test(
  'a graph that leads back to itself is read as far as it is asked for; XML ends where it does',
  async (t) => {
    let node = object(local('v', 'int'));
    for (let level = 0; level < 5; level++)
      node = object(local('v', 'int'), local('next', 'T', node));
    const cycle =
      '<m:x><r href="#1"/></m:x><n id="1"><v>1</v><next href="#2"/></n><n id="2">' +
      '<v>2</v><next href="#1"/></n>';
    const { value, errors } = shown(decode(result(local('r', 'T', node)), envelope(cycle)));
    t.same(errors, []);
    t.match(JSON.stringify(value).replace(/[^\d]/g, ''), /^121212$/);
    const both = object(
      local('v', 'int'),
      local('next', 'T', object(local('next', 'XML', { kind: 'opaque' }))),
    );
    const within = decode(result(local('r', 'T', both)), envelope(cycle));
    t.match(within, {
      errors: [],
      value: { next: { next: /<v>1<\/v><next><v>2<\/v><next\/><\/next><\/next>$/ } },
    });
    const nowhere = decode(
      result(local('r', 'XML', { kind: 'opaque' })),
      envelope('<m:x><r href="#9"/></m:x>'),
    );
    t.strictSame(shown(nowhere), {
      value: null,
      errors: [': a reference to an element that is not there'],
    });
    const chain = '<m:x><r href="#1"/></m:x><n id="1" href="#2"/><n id="2" href="#1"/>';
    t.strictSame(shown(decode(result(local('r', 'T', node)), envelope(chain))).errors, [
      ': a reference to an element it stands in',
    ]);
    const many = `<m:x><r href="#1"/></m:x><n id="1"><v>1</v>${'<n href="#1"/>'.repeat(10)}</n>`;
    let wide = object(local('v', 'int'));
    for (let level = 0; level < 9; level++)
      wide = object(slot('n', { from: 'child', name: name('n', ''), default: null }, '[T]', wide));
    t.throws(() => decode(result(local('r', 'T', wide)), envelope(many)), {
      code: 'UPSTREAM_INVALID_RESPONSE',
    });
  },
);

t.test(
  'a reference to nothing, one to two elements and one to references are errors at their places',
  async (t) => {
    const node = object(
      local('v', 'int'),
      local('next', 'T', object(local('v', 'int'), local('next', 'T', object(local('v', 'int'))))),
    );
    const plan = result(local('r', 'T', node));
    const cycle =
      '<m:x><r href="#1"/></m:x><n id="1"><v>1</v><next href="#2"/></n><n id="2">' +
      '<v>2</v><next href="#1"/></n>';
    t.equal(
      decode(plan, envelope('<m:x><r href="#9"/></m:x>')).errors[0]?.code,
      'UPSTREAM_INVALID_RESPONSE',
    );
    t.strictSame(shown(decode(plan, envelope('<m:x><r><v href="#9"/></r></m:x>'))), {
      value: { v: null, next: null },
      errors: ['v: a reference to an element that is not there'],
    });
    t.strictSame(
      shown(
        decode(plan, envelope('<m:x><r><v href="#9"/></r></m:x><a id="9">1</a><a id="9">2</a>')),
      ).errors,
      ['v: a reference to an id that two elements have'],
    );
    t.strictSame(
      shown(decode(plan, envelope('<m:x><r href="http://h/#9"/></m:x><a id="9"/>'))).errors,
      [': a reference to an element that is not there'],
    );
    t.strictSame(shown(decode(plan, envelope('<m:x href="#1"/><a id="1" href="#1"/>'))).errors, [
      ': a reference to an element it stands in',
    ]);
    const xml = result(local('r', 'XML', { kind: 'opaque' }));
    t.match(
      decode(xml, envelope(cycle)).value,
      /^<r.*<v>1<\/v><next><v>2<\/v><next\/><\/next><\/r>$/,
      'nor is XML endless',
    );
  },
);

t.test('references and what they make of a reply are bounded', async (t) => {
  const refusal = (code: string, run: () => unknown): void => {
    try {
      run();
      t.fail('not refused');
    } catch (caught) {
      t.equal(caught instanceof Refusal ? caught.code : caught, code);
    }
  };
  const many = envelope(`<m:x>${'<a href="#1"/>'.repeat(11)}</m:x><r id="1"/>`);
  const plan = result(array('x', '[string]'));
  refusal('UPSTREAM_INVALID_RESPONSE', () => decode(plan, many, { references: 10 }));
  refusal('UPSTREAM_RESPONSE_LIMIT', () => decode(plan, many, { encodedBytes: 500 }));
  const text = envelope(`<m:x><r>${'y'.repeat(1000)}</r></m:x>`);
  t.equal(
    decode(result(local('r', 'string')), text, { encodedBytes: 3000 }).value,
    'y'.repeat(1000),
  );
  const xml = result(local('r', 'XML', { kind: 'opaque' }));
  const laughs = Array.from(
    { length: 20 },
    (_, n) => `<l id="${n}"><a href="#${n + 1}"/><a href="#${n + 1}"/></l>`,
  );
  const bomb = envelope(`<m:x><r href="#0"/></m:x>${laughs.join('')}<l id="20">ha</l>`);
  refusal('UPSTREAM_INVALID_RESPONSE', () => decode(xml, bomb, { references: 1000 }));
  refusal('UPSTREAM_RESPONSE_LIMIT', () => decode(xml, bomb, { encodedBytes: 1e5 }));
  t.strictSame(shown(decode(xml, bomb)), { value: null, errors: [': more XML than allowed'] });
});

t.test('the result is the first child, whatever it is called', async (t) => {
  const plan = result(local('return', 'int'));
  t.equal(
    decode(plan, envelope('<m:x xmlns="urn:m"><s-gensym3 xsi:type="xsd:int">5</s-gensym3></m:x>'))
      .value,
    5,
  );
  t.equal(decode(plan, envelope('<m:x><out>4</out><return>5</return></m:x>')).value, 5);
});

t.test('nil as drafts of XML Schema wrote it, and types by it', async (t) => {
  const plan = result(array('r', '[string]'));
  const draft = 'xmlns:i="http://www.w3.org/1999/XMLSchema-instance"';
  t.strictSame(
    decode(
      plan,
      envelope(`<m:x ${draft}><r><a i:null="1"/><a i:null="0">x</a><a xsi:null="true"/></r></m:x>`),
    ).value,
    [null, 'x', null],
  );
  const types = (i: string, x: string) =>
    `xmlns:i="http://www.w3.org/${i}" xmlns:x="http://www.w3.org/${x}"`;
  for (const namespaces of [
    types('1999/XMLSchema-instance', '1999/XMLSchema'),
    types('2000/10/XMLSchema-instance', '2000/10/XMLSchema'),
  ]) {
    const message =
      `<m:x ${namespaces}><r i:type="enc:Array" enc:arrayType="x:string[3]">` +
      '<a i:type="x:string">y</a><a i:type="x:base64Binary">w6k=</a><a i:null="1"/></r></m:x>';
    t.strictSame(decode(plan, envelope(message)).value, ['y', 'é', null], namespaces);
  }
});

t.test('an array that is sent in part says where its items stand', async (t) => {
  const plan = result(array('r', '[int]'));
  t.strictSame(
    decode(plan, envelope('<m:x><r enc:offset="[2]"><a>1</a><a>2</a></r></m:x>')).value,
    [null, null, 1, 2],
  );
  t.strictSame(
    decode(
      plan,
      envelope('<m:x><r><a enc:position="[1]">1</a><a enc:position="[3]">3</a></r></m:x>'),
    ).value,
    [null, 1, null, 3],
  );
  const far = envelope('<m:x><r enc:offset="[999999999]"><a>1</a></r></m:x>');
  t.strictSame(shown(decode(plan, far, { listItems: 100 })).errors, [': more items than allowed']);
  const items = result(local('r', 'T', object(slot('items', { from: 'items' }, '[int]!'))));
  t.strictSame(shown(decode(items, envelope('<m:x><r><a>1</a><b>2</b></r></m:x>'))).value, {
    items: [1, 2],
  });
  t.strictSame(shown(decode(items, envelope('<m:x><r/></m:x>'))).value, { items: [] });
});

t.test('SOAP::Lite: text that is not ASCII comes as base64, whatever the type says', async (t) => {
  const plan = result(
    local(
      'r',
      'T',
      object(local('s', 'string'), local('b', 'base64Binary'), array('l', '[string]')),
    ),
  );
  const type = 'xsi:type="xsd:base64Binary"';
  const message = envelope(
    `<m:x><r><s ${type}>w6nigqw=</s><b ${type}>w6nigqw=</b><l>` +
      `<i xsi:type="enc:base64">w6k=</i><i ${type}>/w==</i><i>w6k=</i></l></r></m:x>`,
  );
  t.strictSame(shown(decode(plan, message)).value, {
    s: 'é€',
    b: 'w6nigqw=',
    l: ['é', '/w==', 'w6k='],
  });
});
