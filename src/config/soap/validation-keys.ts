import { oneOf, type StaticOf, section } from '../keys/key-types.js';

const level = (description: string, initial: 'off' | 'report') =>
  oneOf(['off', 'report', 'enforce'], description, initial);

/** `report` counts and logs what breaks the schema and lets it through; `enforce` refuses it. */
export type ValidationLevel = StaticOf<ReturnType<typeof level>>;

/** Keys of a service about the content of its Bodies: the part of the table of keys for it. */
export const VALIDATION_KEYS = section(
  'Whether Bodies are validated against the schema of the WSDL. Content that may be anything ' +
    'is looked into only with `enforce`. `mode: monitor` reports at most.',
  {
    requests: level(
      'Of callers: `off`; `report` counts and logs the first violation of each; ' +
        '`enforce` refuses them.',
      'off',
    ),
    replies: level(
      'Of the backend, alike. GraphQL checks all values that it reads; with `enforce` all of ' +
        'the reply is validated.',
      'report',
    ),
  },
);
