import fc from 'fast-check';

/** One element of a generated document. */
export interface Element {
  readonly prefix: string;
  readonly local: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: readonly (string | Element)[];
}

const local = fc.constantFrom('a', 'Order', 'é', 'x-1', '__proto__', 'constructor', '商品', 'a.b');
const prefix = fc.constantFrom('', 'p', 'q', 'xml', 'unbound');
const written = fc.constantFrom(
  'text',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '&lt;',
  '&amp;',
  '&#65;',
  '&#x1F600;',
  '&#13;',
  'é€😀',
  ']',
  ']]',
  '&gt;',
  "'",
  '0',
);
const values = fc.array(written, { maxLength: 4 }).map((parts) => parts.join(''));
const content = fc.oneof(
  { weight: 5, arbitrary: values },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '<![CDATA[x<&]]>',
      '<![CDATA[]]]>',
      '<![CDATA[\r\n]]>',
      '<!-- c -->',
      '<!---->',
    ),
  },
  // What may be malformed.
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '>',
      '&',
      '<',
      ']]>',
      '--',
      '&nbsp;',
      '</a>',
      '<!--',
      '\u0001',
      '\ufffe',
    ),
  },
);
const declarations = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom('xmlns', 'xmlns:p', 'xmlns:q'),
    fc.constantFrom('urn:1', 'urn:2', 'u&amp;v'),
  ),
  { selector: ([name]) => name, maxLength: 3 },
);
const attributes = fc
  .tuple(declarations, fc.array(fc.tuple(fc.tuple(prefix, local), values), { maxLength: 4 }))
  .map(([declared, others]) => [
    ...declared,
    ...others.map(([[p, name], value]) => [p === '' ? name : `${p}:${name}`, value] as const),
  ]);
const { element } = fc.letrec<{ element: Element }>((tie) => ({
  element: fc.record({
    prefix: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('', 'p', 'q') }, prefix),
    local,
    attributes,
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(fc.oneof(content, tie('element')), { maxLength: 5 }),
    ),
  }),
}));
/** Documents, some malformed. Mostly bound prefixes, so that most are accepted. */
export const documents = element.map((one): Element => {
  const declared = new Set(one.attributes.map(([name]) => name));
  const missing = [
    ['xmlns:p', 'urn:p'],
    ['xmlns:q', 'urn:q'],
  ] as const;
  return {
    ...one,
    attributes: [...missing.filter(([name]) => !declared.has(name)), ...one.attributes],
  };
});

/** The text of a document. */
export function print(one: Element): string {
  const name = one.prefix === '' ? one.local : `${one.prefix}:${one.local}`;
  const list = one.attributes.map(([key, value]) => ` ${key}="${value}"`).join('');
  const inner = one.children
    .map((child) => (typeof child === 'string' ? child : print(child)))
    .join('');
  return inner === '' ? `<${name}${list}/>` : `<${name}${list}>${inner}</${name}>`;
}

/** Where to cut a message. */
export const places = fc.array(fc.nat(), { maxLength: 12 });
