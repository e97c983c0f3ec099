import { getIntrospectionQuery } from 'graphql';

import type { Asked } from './graphql-kit.js';

/** Operations of group G, asked by every way that can carry them. */
export interface OperationVector extends Asked {
  readonly row: string;
  readonly case: string;
}

const list = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

/** The cases of a row by name: each a document, or one with its variables. */
const vectors = (
  row: string,
  cases: Readonly<Record<string, string | readonly [query: string, variables: unknown]>>,
): readonly OperationVector[] =>
  Object.entries(cases).map(([name, asked]) =>
    typeof asked === 'string'
      ? { row, case: name, query: asked }
      : { row, case: name, query: asked[0], variables: asked[1] },
  );

/** `article` and so many levels in all. */
const nested = (levels: number): string =>
  `{article${'{related'.repeat(levels - 2)}{sku}${'}'.repeat(levels - 2)}}`;
/** Levels below an article. */
const below = (levels: number): string =>
  `${'related{'.repeat(levels - 1)}sku${'}'.repeat(levels - 1)}`;

const DEPTH: readonly OperationVector[] = [
  ...vectors('G01', {
    '10 levels': nested(10),
    '11 levels': nested(11),
    'through a fragment': `{article{related{related{...F}}}} fragment F on Article{${below(8)}}`,
    'through inline fragments': `{article{...{related{...on Article{related{...{${below(8)}}}}}}}}`,
    'through both':
      '{article{...on Article{related{...F}}}} fragment F on ' +
      `Article{...{related{${below(8)}}}}`,
    '10 levels through both':
      '{article{...on Article{related{...F}}}} fragment F on ' +
      `Article{...{related{${below(7)}}}}`,
    'behind @include(if: false)': `query($no:Boolean=false){article{related@include(if:$no){${below(9)}}}}`,
  }),
  ...vectors('G02', {
    'a fragment named __schema': `{article{...__schema}} fragment __schema on Article{${below(10)}}`,
    'an operation named __schema': `query __schema{article{${below(10)}}}`,
    'an alias named __schema': `{__schema:article{${below(10)}}}`,
    'a fragment used twice, deeper the second time': `{article{...F related{related{...F}}}} \
fragment F on Article{${below(8)}}`,
    'the same, not too deep': `{article{...F related{...F}}} fragment F on Article{${below(8)}}`,
    '__type below the root': `{article{__type{${'ofType{'.repeat(9)}name${'}'.repeat(9)}}}}`,
  }),
];

const doubling = (count: number): string =>
  `{article{...F0}} ${list(
    count,
    (at) => `fragment F${at} on \
Article{a${at}:related{...F${at + 1}} ...F${at + 1}}`,
  )} ` + `fragment F${count} on Article{sku}`;

const wide = (count: number): string =>
  '{article{...F0}} ' +
  `${list(count, (at) => `fragment F${at} on Article{${`...F${at + 1} `.repeat(30)}}`)} ` +
  `fragment F${count} on Article{sku}`;

const FRAGMENTS: readonly OperationVector[] = [
  ...vectors('G03', {
    'a fragment in itself': '{article{...A}} fragment A on Article{sku ...A}',
    'two in each other':
      '{article{...A}} fragment A on Article{...B} fragment B on Article{related{...A}}',
    'a ring nobody uses': '{article{sku}} fragment A on Article{...B} fragment B on Article{...A}',
    '2^30 by doubling': doubling(30),
    '2^60 by doubling': doubling(60),
    '30^7 by width': wide(7),
    'a chain of 21':
      `{article{...F0}} ${list(20, (at) => `fragment F${at} on Article{...F${at + 1}}`)} ` +
      'fragment F20 on Article{sku}',
    'a chain of 20':
      `{article{...F0}} ${list(19, (at) => `fragment F${at} on Article{...F${at + 1}}`)} ` +
      'fragment F19 on Article{sku}',
    '21 inline fragments within each other': `{article{${'...{'.repeat(21)}sku${'}'.repeat(21)}}}`,
  }),
];

const comments = (count: number): string => '#\n'.repeat(count);

const COUNTS: readonly OperationVector[] = [
  ...vectors('G04', {
    '15': `{article{${list(15, (at) => `a${at}:sku`)}}}`,
    '16': `{article{${list(16, (at) => `a${at}:sku`)}}}`,
    '16 of __typename': `{article{${list(16, (at) => `a${at}:__typename`)}}}`,
    '16 that are called as the field': `{article{${list(16, () => 'sku:sku')}}}`,
    '8 in a fragment that is used twice': `{article{...F related{...F}}} fragment F on \
Article{${list(8, (at) => `a${at}:sku`)}}`,
  }),
  ...vectors('G05', {
    '5': `{${list(5, (at) => `a${at}:article{sku}`)}}`,
    '6': `{${list(6, (at) => `a${at}:article{sku}`)}}`,
    '6 of __typename': `{${list(6, (at) => `a${at}:__typename`)}}`,
    '6 without aliases': `{${list(6, () => 'article{sku}')}}`,
    '6 through fragments':
      '{...F ...on Query{c:article{sku}...F}} fragment F on Query{a:article{sku} ' +
      'b:article{sku} ...{d:__typename}}',
  }),
  ...vectors('G06', {
    '50': `{article{${list(50, () => 'sku@skip(if:false)')}}}`,
    '51': `{article{${list(51, () => 'sku@skip(if:false)')}}}`,
    '51 on one field': `{article{sku${'@skip(if:false)'.repeat(51)}}}`,
    '51 on a variable': `query($a:String${'@a'.repeat(51)}){article(sku:$a){sku}}`,
    '51 on an operation': `query ${'@a'.repeat(51)}{article{sku}}`,
    '51 on a fragment': `{article{...F}} fragment F on Article${'@a'.repeat(51)}{sku}`,
    '26 in a fragment that is used twice':
      '{article{...F related{...F}}} fragment F on ' +
      `Article{${list(26, () => 'sku@skip(if:false)')}}`,
  }),
  ...vectors('G07', {
    '1,000 tokens': `{article{${'sku '.repeat(300)}sku${comments(694)}}}`,
    '1,001 tokens': `{article{${'sku '.repeat(300)}sku${comments(695)}}}`,
    '1,001 tokens, no comments': `{article{${'sku '.repeat(996)}}}`,
  }),
  {
    row: 'G12',
    case: '5 operations',
    query: list(5, (at) => `query Q${at}{article{sku}}`),
    operationName: 'Q1',
  },
  ...vectors('G12', {
    '6 operations': list(6, (at) => `query Q${at}{article{sku}}`),
    'the tokens of all': `query A{article{sku}} query B{article{${'sku '.repeat(990)}}}`,
  }),
];

const COST: readonly OperationVector[] = [
  ...vectors('G08', {
    'a literal': '{search(first:100){related{sku} parts{sku}}}',
    'a variable': ['query($n:Int){search(first:$n){related{sku} parts{sku}}}', { n: 100 }],
    'a variable, less': ['query($n:Int){search(first:$n){related{sku} parts{sku}}}', { n: 10 }],
    'the default of a variable': 'query($n:Int=100){search(first:$n){related{sku} parts{sku}}}',
    'the default of an argument': '{newest{related{sku} parts{sku}} more:newest{parts{sku}}}',
    'nested input': '{search(page:{size:100}){related{sku} parts{sku}}}',
    'nested input by a variable': [
      'query($p:Page){search(page:$p){related{sku} parts{sku}}}',
      {
        p: { size: 100 },
      },
    ],
    'a variable inside nested input': [
      'query($n:Int){search(page:{size:$n}){related{sku} parts{sku}}}',
      {
        n: 100,
      },
    ],
    'first and last': '{newest(first:1 last:100){related{sku} parts{sku}}}',
    'lists within lists of one reply': '{articles{parts{parts{sku}}}}',
    'aliases of lists within lists': `{articles{${list(10, (at) => `a${at}:parts{parts{sku}}`)}}}`,
  }),
  ...vectors('G09', {
    missing: '{search{sku}}',
    null: '{search(first:null){sku}}',
    zero: '{search(first:0){sku}}',
    negative: '{search(first:-1){sku}}',
    '100': '{search(first:100){sku}}',
    '101': '{search(first:101){sku}}',
    '1e9 by a variable': ['query($n:Int){search(first:$n){sku}}', { n: 1_000_000_000 }],
    '2^31': '{search(first:2147483648){sku}}',
  }),
  ...vectors('G10', {
    '@skip that hides nothing':
      'query($no:Boolean=false){search(first:100){related{sku} parts@skip(if:$no){sku}}}',
    '@include by a variable': [
      'query($yes:Boolean!){search(first:100){related{sku} parts@include(if:$yes){sku}}}',
      {
        yes: true,
      },
    ],
    '@include that leaves it out': [
      'query($yes:Boolean!){search(first:100){related{sku} parts@include(if:$yes){sku}}}',
      { yes: false },
    ],
    '@skip of a fragment': [
      'query($no:Boolean!){search(first:100){related{sku} ...F@skip(if:$no)}} fragment F ' +
        'on Article{parts{sku}}',
      { no: false },
    ],
  }),
  ...vectors('G11', {
    '300 times the same field': `{article{${'sku '.repeat(300)}}}`,
    '100 times the same object': `{article{${'related{sku} '.repeat(100)}}}`,
    'with different arguments': '{article(id:1){sku} article(id:2){sku}}',
    'fragments that repeat each other':
      `{article{${list(9, (at) => `...F${at}`)}}} ` +
      `${list(9, (at) => `fragment F${at} on Article{${'related{related{sku name}} '.repeat(5)}}`)}`,
  }),
];

const INTROSPECTION: readonly OperationVector[] = [
  ...vectors('G16', {
    'what tools send, where it is on': getIntrospectionQuery({
      specifiedByUrl: true,
      inputValueDeprecation: true,
      schemaDescription: true,
    }),
    'lists within lists within lists':
      '{__schema{types{fields{type{fields{type{fields{name}}}}}}}}',
    'the same many times over': `{__schema{${list(12, (at) => `a${at}:types{fields{type{fields{name type{name} args{name}}}}}`)}}}`,
  }),
];

/** Values of variables, and what is no value of theirs. */
const typed = (name: string, type: string, argument: string, value: unknown): OperationVector => ({
  row: 'G23',
  case: name,
  query: `query($v:${type}){article(${argument}:$v){sku}}`,
  variables: { v: value },
});

const VALUES: readonly OperationVector[] = [
  typed('a list for an object', 'Filter', 'filter', [1]),
  typed('an object for a string', 'String', 'sku', { a: 1 }),
  typed('a number for a string', 'String', 'sku', 1),
  typed('a string for an Int', 'Int', 'id', '1'),
  typed('a Boolean for an Int', 'Int', 'id', true),
  typed('2^53 as an Int', 'Int', 'id', 9_007_199_254_740_992),
  typed('2^53 as a Long', 'Long', 'serial', 9_007_199_254_740_992),
  typed('2^53 + 1 as a string for a Long', 'Long', 'serial', '9007199254740993'),
  typed('half an Int', 'Int', 'id', 1.5),
  typed('NaN as a string', 'Int', 'id', 'NaN'),
  typed('an enumeration value that is none', 'Colour', 'colour', 'SECRETIV'),
  typed('a field that is none', 'Filter', 'filter', { hiddenFlg: 1 }),
  typed('a name of Object.prototype', 'Filter', 'filter', { constructor: 1 }),
  typed('null in a list of what is none', 'Filter', 'filter', { and: [null] }),
  typed('one for a list of one', '[String]', 'tags', 'a'),
  ...vectors('G23', {
    'one that is missing': ['query($v:Int!){article(id:$v){sku}}', {}],
    '1,001 items': ['query($v:[String]){article(tags:$v){sku}}', { v: Array(1001).fill('a') }],
    '1,000 items': ['query($v:[String]){article(tags:$v){sku}}', { v: Array(1000).fill('a') }],
  }),
  ...vectors('G22', {
    '51 levels': ['query($v:Filter){article(filter:$v){sku}}', { v: filters(26) }],
    '51 levels in the document': `{article(filter:${literalFilters(26)}){sku}}`,
    '51 levels, half in the document': [
      `query($v:Filter!){article(filter:${literalFilters(14, '$v')}){sku}}`,
      { v: filters(13) },
    ],
    '1,001 members': [
      'query($v:Filter){article(filter:$v){sku}}',
      {
        v: { and: Array(500).fill({ inStock: true, colour: 'RED' }) },
      },
    ],
  }),
];

/** So many objects within lists within each other. */
function filters(count: number): unknown {
  let made: unknown = { inStock: true };
  for (let at = 1; at < count; at++) made = { and: [made] };
  return made;
}

function literalFilters(count: number, innermost = '{inStock:true}'): string {
  return `${'{and:['.repeat(count - 1)}${innermost}${']}'.repeat(count - 1)}`;
}

export const OPERATIONS: readonly OperationVector[] = [
  ...DEPTH,
  ...FRAGMENTS,
  ...COUNTS,
  ...COST,
  ...INTROSPECTION,
  ...VALUES,
];

/** Documents with a mistake that a helpful server would correct. */
export const TYPOS: readonly (readonly [string, string, unknown?])[] = [
  ['a field', '{articl{sku}}'],
  ['a field of an object', '{article{secretPar{sku}}}'],
  ['an argument', '{article(colou:RED){sku}}'],
  ['an argument of a directive', '{article{sku@skip(i:true)}}'],
  ['a directive', '{article{sku@skp(if:true)}}'],
  ['an enumeration value', '{article(colour:SECRETIV){sku}}'],
  ['an enumeration value in quotes', '{article(colour:"SECRETIV"){sku}}'],
  ['an input field', '{article(filter:{hiddenFla:1}){sku}}'],
  ['an input field deep inside', '{article(filter:{and:[{hiddenFla:1}]}){sku}}'],
  ['a value of another type', '{article(filter:{hiddenFlag:"x"}){sku}}'],
  ['a type', '{article{...on Articl{sku}}}'],
  ['the type of a variable', 'query($f:Filtr){article(filter:$f){sku}}'],
  ['a variable of another type', 'query($f:Int){article(filter:$f){sku}}'],
  ['a fragment that cannot apply', '{article{...on Query{__typename}}}'],
  ['no selection', '{article}'],
  ['a selection of a leaf', '{article{sku{a}}}'],
  ['a required argument', 'mutation{rename(name:"a"){sku}}'],
  ['fields that conflict', '{article{a:sku a:price}}'],
  [
    'a variable, unknown field',
    'query($f:Filter){article(filter:$f){sku}}',
    { f: { hiddenFla: 1 } },
  ],
  ['a variable, enumeration', 'query($c:Colour){article(colour:$c){sku}}', { c: 'SECRETIV' }],
  [
    'a variable, deep inside',
    'query($f:Filter){article(filter:$f){sku}}',
    { f: { and: [{ hiddenFlag: 'x' }] } },
  ],
];

/** What only the schema knows of what stands in `TYPOS`. */
export const SECRETS = [
  /did you mean/i,
  /SECRETIVE/,
  /secretPart\b/,
  /hiddenFlag\b(?!")/,
  /colour"/,
  /"(Article|Query|Mutation|Filter|Colour|Int|String|Float)[!"]/,
];
