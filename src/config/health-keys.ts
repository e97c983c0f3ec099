import { boolean, closed, integer, optional, string } from './key-types.js';

const times = (description: string, initial: number) =>
  integer({ description, unit: 'count', minimum: 1, maximum: 100, default: initial });

/** Active health checks of the addresses of a service. */
export const HEALTH = closed(
  {
    everyMillis: integer({
      description: 'How often each process checks each address, give or take a fifth.',
      unit: 'millis',
      minimum: 100,
      maximum: 3_600_000,
      default: 5_000,
    }),
    timeoutMillis: integer({
      description: 'How long a check may take.',
      unit: 'millis',
      minimum: 10,
      maximum: 60_000,
      default: 2_000,
    }),
    path: optional(
      string({
        description: 'Path and query that are asked for by GET; a status below 400 is healthy.',
        pattern: '^/[^\\s#]{0,2047}$',
        hint: 'Begin it with `/`; no fragment or blank.',
      }),
    ),
    tcp: optional(boolean({ description: 'Whether a connection is enough, of TLS at an https address.' })),
    up: times('Checks in a row that succeed before an address is called again.', 2),
    down: times('Checks in a row that fail before an address is no longer called.', 3),
  },
  { description: 'Checks of the addresses, whether they are called or not: `path` or `tcp`.' },
);
