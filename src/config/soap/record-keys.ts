import { closed, list, number, oneOf, string, text } from '../keys/key-types.js';

/** Keys of a service about the exchanges that are recorded: the part of the table for them. */
export const RECORD_KEYS = closed(
  {
    folder: text('The folder that exchanges are written to.', { minLength: 1, maxLength: 4096 }),
    share: number({
      description: 'Share of the exchanges that are recorded, from 0 to 1.',
      minimum: 0,
      maximum: 1,
      default: 1,
    }),
    operations: list(
      string({ pattern: '^[^\\s{}:]{1,256}$', hint: 'Write the name of an operation.' }),
      'Operations that are recorded; none: all.',
      { maxItems: 1000, uniqueItems: true, default: [] },
    ),
    values: oneOf(
      ['replace', 'keep'],
      '`replace` writes other values of the same class and length, the same value always the ' +
        'same way; `keep` writes the values of callers and backends.',
      'replace',
    ),
  },
  'Records exchanges with the backend as files, for `soapstone replay` and `soapstone mock`.',
);
