import { closed, oneOf, optional, text } from '../keys/key-types.js';

/** Keys about the record of decisions. */
export const AUDIT_KEYS = closed(
  {
    file: optional(
      text(
        'Its file, relative to this one; by default standard output. A file that was renamed, ' +
          'as by logrotate, is opened anew within a second.',
        { minLength: 1, maxLength: 4096 },
      ),
    ),
    key: optional(
      text(
        'A secret: each line ends with its HMAC-SHA256, so that only who has it can write ' +
          'lines that `soapstone audit verify --key-file` accepts.',
        { minLength: 32, maxLength: 4096 },
      ),
    ),
    onFailure: oneOf(
      ['continue', 'refuse'],
      'While decisions cannot be recorded: requests are answered, or refused with ' +
        '`AUDIT_UNAVAILABLE` until a line is written again.',
      'continue',
    ),
  },
  'A record of each decision that denied a request or withheld or masked a field: ' +
    'JSON lines, each with the hash of the one before, which `soapstone audit verify` checks.',
);
