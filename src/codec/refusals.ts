import type { refusals } from '../core/index.js';

/** Refusals of values and errors in replies. */
export const CODEC_REFUSALS = {
  VALUE_NOT_REPRESENTABLE: {
    blame: 'us',
    level: 'warn',
    text: 'A value of the service is none that the type of its field can have.',
  },
  GRAPHQL_UPSTREAM_ERROR: {
    blame: 'upstream',
    level: 'info',
    text: 'The service answered with an error.',
  },
} as const satisfies Record<string, refusals.RefusalKind>;

type CodecRefusals = typeof CODEC_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends CodecRefusals {}
}
