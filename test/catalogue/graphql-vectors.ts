import { getIntrospectionQuery } from 'graphql';

import type { Asked } from './graphql-kit.js';

/** Operations of group G, asked by every way that can carry them. */
export interface OperationVector extends Asked {
  readonly row: string;
  readonly case: string;
}

const list = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

const vector = (row: string, name: string, query: string, variables?: unknown): OperationVector => ({
  row,
  case: name,
  query,
  ...(variables === undefined ? {} : { variables }),
});

/** `article` and so many levels in all. */
const nested = (levels: number): string => `{article${'{related'.repeat(levels - 2)}{sku}${'}'.repeat(levels - 2)}}`;
/** Levels below an article. */
const below = (levels: number): string => `${'related{'.repeat(levels - 1)}sku${'}'.repeat(levels - 1)}`;

const DEPTH: readonly OperationVector[] = [
  vector('G01', '10 levels', nested(10)),
  vector('G01', '11 levels', nested(11)),
  vector('G01', 'through a fragment', `{article{related{related{...F}}}} fragment F on Article{${below(8)}}`),
  vector('G01', 'through inline fragments', `{article{...{related{...on Article{related{...{${below(8)}}}}}}}}`),
  vector(
    'G01',
    'through both',
    `{article{...on Article{related{...F}}}} fragment F on Article{...{related{${below(8)}}}}`,
  ),
  vector(
    'G01',
    '10 levels through both',
    `{article{...on Article{related{...F}}}} fragment F on Article{...{related{${below(7)}}}}`,
  ),
  vector(
    'G01',
    'behind @include(if: false)',
    `query($no:Boolean=false){article{related@include(if:$no){${below(9)}}}}`,
  ),
  vector('G02', 'a fragment named __schema', `{article{...__schema}} fragment __schema on Article{${below(10)}}`),
  vector('G02', 'an operation named __schema', `query __schema{article{${below(10)}}}`),
  vector('G02', 'an alias named __schema', `{__schema:article{${below(10)}}}`),
  vector(
    'G02',
    'a fragment used twice, deeper the second time',
    `{article{...F related{related{...F}}}} fragment F on Article{${below(8)}}`,
  ),
  vector('G02', 'the same, not too deep', `{article{...F related{...F}}} fragment F on Article{${below(8)}}`),
  vector('G02', '__type below the root', `{article{__type{${'ofType{'.repeat(9)}name${'}'.repeat(9)}}}}`),
];

const doubling = (count: number): string =>
  `{article{...F0}} ${list(count, (at) => `fragment F${at} on Article{a${at}:related{...F${at + 1}} ...F${at + 1}}`)} fragment F${count} on Article{sku}`;

const wide = (count: number): string =>
  `{article{...F0}} ${list(count, (at) => `fragment F${at} on Article{${`...F${at + 1} `.repeat(30)}}`)} fragment F${count} on Article{sku}`;

const FRAGMENTS: readonly OperationVector[] = [
  vector('G03', 'a fragment in itself', '{article{...A}} fragment A on Article{sku ...A}'),
  vector(
    'G03',
    'two in each other',
    '{article{...A}} fragment A on Article{...B} fragment B on Article{related{...A}}',
  ),
  vector('G03', 'a ring nobody uses', '{article{sku}} fragment A on Article{...B} fragment B on Article{...A}'),
  vector('G03', '2^30 by doubling', doubling(30)),
  vector('G03', '2^60 by doubling', doubling(60)),
  vector('G03', '30^7 by width', wide(7)),
  vector(
    'G03',
    'a chain of 21',
    `{article{...F0}} ${list(20, (at) => `fragment F${at} on Article{...F${at + 1}}`)} fragment F20 on Article{sku}`,
  ),
  vector(
    'G03',
    'a chain of 20',
    `{article{...F0}} ${list(19, (at) => `fragment F${at} on Article{...F${at + 1}}`)} fragment F19 on Article{sku}`,
  ),
  vector('G03', '21 inline fragments within each other', `{article{${'...{'.repeat(21)}sku${'}'.repeat(21)}}}`),
];

const comments = (count: number): string => '#\n'.repeat(count);

const COUNTS: readonly OperationVector[] = [
  vector('G04', '15', `{article{${list(15, (at) => `a${at}:sku`)}}}`),
  vector('G04', '16', `{article{${list(16, (at) => `a${at}:sku`)}}}`),
  vector('G04', '16 of __typename', `{article{${list(16, (at) => `a${at}:__typename`)}}}`),
  vector('G04', '16 that are called as the field', `{article{${list(16, () => 'sku:sku')}}}`),
  vector(
    'G04',
    '8 in a fragment that is used twice',
    `{article{...F related{...F}}} fragment F on Article{${list(8, (at) => `a${at}:sku`)}}`,
  ),
  vector('G05', '5', `{${list(5, (at) => `a${at}:article{sku}`)}}`),
  vector('G05', '6', `{${list(6, (at) => `a${at}:article{sku}`)}}`),
  vector('G05', '6 of __typename', `{${list(6, (at) => `a${at}:__typename`)}}`),
  vector('G05', '6 without aliases', `{${list(6, () => 'article{sku}')}}`),
  vector(
    'G05',
    '6 through fragments',
    `{...F ...on Query{c:article{sku}...F}} fragment F on Query{a:article{sku} b:article{sku} ...{d:__typename}}`,
  ),
  vector('G06', '50', `{article{${list(50, () => 'sku@skip(if:false)')}}}`),
  vector('G06', '51', `{article{${list(51, () => 'sku@skip(if:false)')}}}`),
  vector('G06', '51 on one field', `{article{sku${'@skip(if:false)'.repeat(51)}}}`),
  vector('G06', '51 on a variable', `query($a:String${'@a'.repeat(51)}){article(sku:$a){sku}}`),
  vector('G06', '51 on an operation', `query ${'@a'.repeat(51)}{article{sku}}`),
  vector('G06', '51 on a fragment', `{article{...F}} fragment F on Article${'@a'.repeat(51)}{sku}`),
  vector(
    'G06',
    '26 in a fragment that is used twice',
    `{article{...F related{...F}}} fragment F on Article{${list(26, () => 'sku@skip(if:false)')}}`,
  ),
  vector('G07', '1,000 tokens', `{article{${'sku '.repeat(300)}sku${comments(694)}}}`),
  vector('G07', '1,001 tokens', `{article{${'sku '.repeat(300)}sku${comments(695)}}}`),
  vector('G07', '1,001 tokens, no comments', `{article{${'sku '.repeat(996)}}}`),
  { row: 'G12', case: '5 operations', query: list(5, (at) => `query Q${at}{article{sku}}`), operationName: 'Q1' },
  vector(
    'G12',
    '6 operations',
    list(6, (at) => `query Q${at}{article{sku}}`),
  ),
  vector('G12', 'the tokens of all', `query A{article{sku}} query B{article{${'sku '.repeat(990)}}}`),
];

const COST: readonly OperationVector[] = [
  vector('G08', 'a literal', '{search(first:100){related{sku} parts{sku}}}'),
  vector('G08', 'a variable', 'query($n:Int){search(first:$n){related{sku} parts{sku}}}', { n: 100 }),
  vector('G08', 'a variable, less', 'query($n:Int){search(first:$n){related{sku} parts{sku}}}', { n: 10 }),
  vector('G08', 'the default of a variable', 'query($n:Int=100){search(first:$n){related{sku} parts{sku}}}'),
  vector('G08', 'the default of an argument', '{newest{related{sku} parts{sku}} more:newest{parts{sku}}}'),
  vector('G08', 'nested input', '{search(page:{size:100}){related{sku} parts{sku}}}'),
  vector('G08', 'nested input by a variable', 'query($p:Page){search(page:$p){related{sku} parts{sku}}}', {
    p: { size: 100 },
  }),
  vector('G08', 'a variable inside nested input', 'query($n:Int){search(page:{size:$n}){related{sku} parts{sku}}}', {
    n: 100,
  }),
  vector('G08', 'first and last', '{newest(first:1 last:100){related{sku} parts{sku}}}'),
  vector('G08', 'lists within lists of one reply', '{articles{parts{parts{sku}}}}'),
  vector('G08', 'aliases of lists within lists', `{articles{${list(10, (at) => `a${at}:parts{parts{sku}}`)}}}`),
  vector('G09', 'missing', '{search{sku}}'),
  vector('G09', 'null', '{search(first:null){sku}}'),
  vector('G09', 'zero', '{search(first:0){sku}}'),
  vector('G09', 'negative', '{search(first:-1){sku}}'),
  vector('G09', '100', '{search(first:100){sku}}'),
  vector('G09', '101', '{search(first:101){sku}}'),
  vector('G09', '1e9 by a variable', 'query($n:Int){search(first:$n){sku}}', { n: 1_000_000_000 }),
  vector('G09', '2^31', '{search(first:2147483648){sku}}'),
  vector(
    'G10',
    '@skip that hides nothing',
    'query($no:Boolean=false){search(first:100){related{sku} parts@skip(if:$no){sku}}}',
  ),
  vector(
    'G10',
    '@include by a variable',
    'query($yes:Boolean!){search(first:100){related{sku} parts@include(if:$yes){sku}}}',
    {
      yes: true,
    },
  ),
  vector(
    'G10',
    '@include that leaves it out',
    'query($yes:Boolean!){search(first:100){related{sku} parts@include(if:$yes){sku}}}',
    { yes: false },
  ),
  vector(
    'G10',
    '@skip of a fragment',
    'query($no:Boolean!){search(first:100){related{sku} ...F@skip(if:$no)}} fragment F on Article{parts{sku}}',
    { no: false },
  ),
  vector('G11', '300 times the same field', `{article{${'sku '.repeat(300)}}}`),
  vector('G11', '100 times the same object', `{article{${'related{sku} '.repeat(100)}}}`),
  vector('G11', 'with different arguments', '{article(id:1){sku} article(id:2){sku}}'),
  vector(
    'G11',
    'fragments that repeat each other',
    `{article{${list(9, (at) => `...F${at}`)}}} ${list(9, (at) => `fragment F${at} on Article{${'related{related{sku name}} '.repeat(5)}}`)}`,
  ),
];

const INTROSPECTION: readonly OperationVector[] = [
  vector(
    'G16',
    'what tools send, where it is on',
    getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true, schemaDescription: true }),
  ),
  vector('G16', 'lists within lists within lists', '{__schema{types{fields{type{fields{type{fields{name}}}}}}}}'),
  vector(
    'G16',
    'the same many times over',
    `{__schema{${list(12, (at) => `a${at}:types{fields{type{fields{name type{name} args{name}}}}}`)}}}`,
  ),
];

/** Values of variables, and what is no value of theirs. */
const typed = (name: string, type: string, argument: string, value: unknown): OperationVector =>
  vector('G23', name, `query($v:${type}){article(${argument}:$v){sku}}`, { v: value });

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
  vector('G23', 'one that is missing', 'query($v:Int!){article(id:$v){sku}}', {}),
  vector('G23', '1,001 items', 'query($v:[String]){article(tags:$v){sku}}', { v: Array(1001).fill('a') }),
  vector('G23', '1,000 items', 'query($v:[String]){article(tags:$v){sku}}', { v: Array(1000).fill('a') }),
  vector('G22', '51 levels', 'query($v:Filter){article(filter:$v){sku}}', { v: filters(26) }),
  vector('G22', '51 levels in the document', `{article(filter:${literalFilters(26)}){sku}}`),
  vector(
    'G22',
    '51 levels, half in the document',
    `query($v:Filter!){article(filter:${literalFilters(14, '$v')}){sku}}`,
    { v: filters(13) },
  ),
  vector('G22', '1,001 members', 'query($v:Filter){article(filter:$v){sku}}', {
    v: { and: Array(500).fill({ inStock: true, colour: 'RED' }) },
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
  ['a variable, unknown field', 'query($f:Filter){article(filter:$f){sku}}', { f: { hiddenFla: 1 } }],
  ['a variable, enumeration', 'query($c:Colour){article(colour:$c){sku}}', { c: 'SECRETIV' }],
  ['a variable, deep inside', 'query($f:Filter){article(filter:$f){sku}}', { f: { and: [{ hiddenFlag: 'x' }] } }],
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
