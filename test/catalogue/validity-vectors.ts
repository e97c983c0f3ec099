import type { MessageVector } from './messages.js';
import { withBody } from './soap-parts.js';

/** Requests for `fixtures/validity.wsdl` with `validate: { requests: enforce }`. */

const MIB = 1024 * 1024;
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

export const ping = (content: string): string =>
  withBody(
    `<m:Ping xmlns:m="urn:m" ${XSI} xmlns:xs="http://www.w3.org/2001/XMLSchema">` +
      `${content}</m:Ping>`,
  );
const leaf = (name: string, text: string, attributes = ''): string =>
  `<m:${name} ${attributes}>${text}</m:${name}>`;
const part = (type: string): string =>
  ping(leaf('part', '<m:sku/><m:power>1</m:power>', type === '' ? '' : `xsi:type="${type}"`));

/** In groups, because no element has so many children. */
function items(count: number, attribute: string): string {
  const groups: string[] = [];
  for (let from = 0; from < count; from += 40_000) {
    const length = Math.min(40_000, count - from);
    groups.push(
      leaf(
        'items',
        Array.from(
          { length },
          (_, i) => `<m:item ${attribute}="a${(from + i).toString(36)}"/>`,
        ).join(''),
      ),
    );
  }
  return ping(groups.join(''));
}

const rows: readonly (readonly [row: string, name: string, message: string])[] = [
  ['X17', 'facets, 1 MiB', ping(leaf('short', 'x'.repeat(MIB)))],
  ['X17', 'facets, 1 MiB and one', ping(leaf('short', 'x'.repeat(MIB + 1)))],
  ['X17', 'no facets, 1 MiB and one', ping(leaf('free', 'x'.repeat(MIB + 1)))],
  ['X17', 'base64Binary, 2 MiB', ping(leaf('data', 'QUJD'.repeat(MIB / 2)))],
  [
    'X17',
    'base64Binary, 2 MiB, with one character that is none',
    ping(leaf('data', `${'QUJD'.repeat(MIB / 2)}QU.D`)),
  ],
  ['X26', 'as elements', ping('<__proto__/>')],
  ['X26', 'as elements', ping('<m:constructor/>')],
  ['X26', 'as elements', ping('<m:prototype/>')],
  ['X26', 'as elements', ping('<m:toString/>')],
  ['X26', 'as elements', ping('<m:hasOwnProperty/>')],
  ['X26', 'as attributes', ping('<m:free __proto__="1"/>')],
  ['X26', 'as attributes', ping('<m:free constructor="1"/>')],
  ['X26', 'as attributes', ping('<m:free xmlns:toString="urn:p" toString:prototype="1"/>')],
  [
    'X26',
    'as prefixes',
    ping('<__proto__:free xmlns:__proto__="urn:m"/><toString:free xmlns:toString="urn:m"/>'),
  ],
  ['X26', 'as the name of a type', part('__proto__')],
  ['X26', 'as the name of a type', part('constructor')],
  ['X26', 'as the name of a type', part('m:toString')],
  ['X27', 'an unrelated type', part('m:Other')],
  ['X27', 'an unrelated type', part('xs:string')],
  ['X27', 'an abstract type', part('m:Part')],
  ['X27', 'an abstract type', part('')],
  ['X27', 'a type that is not declared', part('m:Engines')],
  ['X27', 'a type that is not declared', part('nowhere:Engine')],
  ['X27', 'a derived type', part('m:Engine')],
  ['X27', 'nil where nothing may be', ping(leaf('long', '', 'xsi:nil="true"'))],
  ['X27', 'nil with content', ping(leaf('gap', '1', 'xsi:nil="true"'))],
  ['X27', 'nil', ping(leaf('gap', '', 'xsi:nil="true"'))],
  ['X29', '64 KiB that nearly match', ping(leaf('pattern', `${'a'.repeat(64 * 1024)}!`))],
  ['X29', '64 KiB that match', ping(leaf('pattern', 'a'.repeat(64 * 1024)))],
  ['X30', 'a decimal of a million digits', ping(leaf('decimal', '9'.repeat(1_000_000)))],
  ['X30', 'a long beyond 2^53', ping(leaf('long', '9007199254740993'))],
  ['X30', 'a long beyond 2^63', ping(leaf('long', '9223372036854775808'))],
  ['X30', 'NaN where a decimal is', ping(leaf('decimal', 'NaN'))],
  ['X30', 'INF where a decimal is', ping(leaf('decimal', 'INF'))],
  ['X30', 'NaN where a double is', ping(leaf('double', 'NaN'))],
  ['X31', 'the year 10^9', ping(leaf('dateTime', '1000000000-01-01T00:00:00Z'))],
  ['X31', '24:00:00', ping(leaf('dateTime', '2024-02-29T24:00:00'))],
  ['X31', '24:00:01', ping(leaf('dateTime', '2024-02-29T24:00:01'))],
  ['X31', 'a leap second', ping(leaf('dateTime', '2016-12-31T23:59:60Z'))],
  ['X31', '+14:00', ping(leaf('dateTime', '2024-01-01T00:00:00+14:00'))],
  ['X31', '+14:01', ping(leaf('dateTime', '2024-01-01T00:00:00+14:01'))],
  ['S17', 'as it should be', ping(leaf('line', '<m:sku>A</m:sku><m:quantity>2</m:quantity>'))],
  [
    'S17',
    'a part of the wrong type',
    ping(leaf('line', '<m:sku>A</m:sku><m:quantity>two</m:quantity>')),
  ],
  [
    'S17',
    'an element too many',
    ping(leaf('line', '<m:sku>A</m:sku><m:quantity>2</m:quantity><m:sku>B</m:sku>')),
  ],
  ['S17', 'an element that is not declared', ping('<m:line><m:sku/><m:price/></m:line>')],
  ['S17', 'behind the window', ping(`${leaf('free', 'x'.repeat(150_000))}${leaf('long', 'two')}`)],
  ['C06', 'maxOccurs 10^9', ping(leaf('counted', '<m:a/>'.repeat(1000)))],
  [
    'C06',
    'nested maxOccurs',
    ping(leaf('nested', `${'<m:a/>'.repeat(1000)}<m:b/><m:a/><m:b/>`.repeat(20))),
  ],
  ['C06', 'particles that compete', ping(leaf('competing', '<m:a/><m:a/><m:a/><m:a/>'))],
  ['C06', 'particles that compete', ping(leaf('competing', '<m:a/>'))],
  ['C06', 'a recursive type', ping('<m:node>'.repeat(90) + '</m:node>'.repeat(90))],
];

export const INVALID: readonly MessageVector[] = rows.map(([row, name, message]) => ({
  row,
  case: name,
  message,
}));

/**
 * At the default of the limit, in one dialect: each takes half a second. `FEW_VALUES` are sent in
 * all.
 */
export const MANY_VALUES: readonly MessageVector[] = [
  { row: 'X32', case: '100,000 IDs', message: items(100_000, 'id'), dialects: ['1.1'] },
  { row: 'X32', case: '100,001 IDs', message: items(100_001, 'id'), dialects: ['1.1'] },
  { row: 'X32', case: '100,001 keys', message: items(100_001, 'no'), dialects: ['1.1'] },
];

/** At a limit of ten. */
export const FEW_VALUES: readonly MessageVector[] = [
  { row: 'X32', case: 'as many IDs as a lower limit allows', message: items(10, 'id') },
  { row: 'X32', case: 'one ID more', message: items(11, 'id') },
  { row: 'X32', case: 'one key more', message: items(11, 'no') },
];
