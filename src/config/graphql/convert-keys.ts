import { GRAPHQL_NAME } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  optional,
  type StaticOf,
  text,
  whole,
} from '../keys/key-types.js';

/**
 * Keys of a field or an argument about the texts of its values: the part of the table of keys for
 * them.
 */

const WIRE = {
  maxLength: 1024,
  hint: 'Write the text as the backend has it, in quotes: "1".',
} as const;

const PATTERN_HINT = 'Write fields of Unicode: yyyyMMdd, HHmmss, yyyyMMddHHmmss.';
const pattern = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 64, hint: PATTERN_HINT }));

const CONVERT = closed({
  boolean: optional(
    closed(
      {
        true: text('The text of true.', WIRE),
        false: text('The text of false.', WIRE),
      },
      'Two texts as Boolean: `{ true: J, false: N }`.',
    ),
  ),
  enum: optional(
    mapOf(
      `^${GRAPHQL_NAME}$`,
      text('Its text.', WIRE),
      'Texts as an enumeration: `{ OPEN: "1", SHIPPED: "2" }`. ' +
        'It is named after the type and the field.',
      {
        names: 'Write GraphQL names: letters, digits and _, no digit first.',
        minProperties: 1,
        maxProperties: 5000,
      },
    ),
  ),
  date: pattern('Texts of this pattern as Date: `yyyyMMdd`, `dd.MM.yy`, `yyyyDDD`.'),
  time: pattern('Texts of this pattern as Time: `HHmmss`.'),
  dateTime: pattern(
    'Texts of this pattern as DateTime: `yyyyMMddHHmmss`. It needs `zone`, or an offset ' +
      'in the pattern (`XXX`).',
  ),
  zone: optional(
    text(
      'The time zone of `dateTime`, of the IANA database, or an offset: `Europe/Zurich`, `+01:00`.',
      { minLength: 1, maxLength: 64, hint: 'Write a time zone: Europe/Zurich.' },
    ),
  ),
  decimal: optional(
    whole(
      'Digits without a point as Decimal, the last so many behind the point: ' +
        'with 2, `0001990` is 19.90.',
      [0, 18],
    ),
  ),
  integer: optional(
    flag(
      '`true`: padded digits as a whole number: `000042` is 42. ' +
        'Int up to nine `digits`, else Long or BigInt.',
    ),
  ),
  digits: optional(
    whole(
      'The width of `decimal` or `integer`: arguments are padded with zeros to it, ' +
        'and longer ones are refused.',
      [1, 38],
    ),
  ),
  trim: optional(flag('White space at both ends is no part of the value.')),
  nullWhen: optional(
    list(
      text('A text.', { maxLength: 1024, hint: 'Write it in quotes.' }),
      'Texts that stand for null, compared after `trim`. The field may be null then; ' +
        'the first text is written for null.',
      { minItems: 1, maxItems: 64, uniqueItems: true },
    ),
  ),
});

export type ConvertKeys = StaticOf<typeof CONVERT>;

/** How the texts of values are shown. */
export const CONVERT_KEY = optional({
  ...CONVERT,
  description:
    'What the texts of its values mean, in replies and requests: one of `boolean`, `enum`, ' +
    '`date`, `time`, `dateTime`, `decimal` and `integer`, and what stands beside it. ' +
    'Of lists, of each item.',
});
