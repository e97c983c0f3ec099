import { type DescribedOperation, namedOperations } from '../../graphql/index.js';

/** The forms that an answer may have, with their media types. */
export const MEDIA_TYPES = {
  json: 'application/json; charset=utf-8',
  bytes: 'application/octet-stream',
  lines: 'application/x-ndjson',
} as const;

/**
 * The header field, or trailer field, that lists the parts of an answer which are null for an
 * error.
 */
export const ERRORS = 'soapstone-errors';

export type RestForm = keyof typeof MEDIA_TYPES;

/**
 * The first form that Accept names and the operation has, else JSON. Weights do not count, as in
 * GraphQL.
 */
export function formOf(described: DescribedOperation, accept: string | undefined): RestForm {
  if (accept === undefined || accept === '*/*') return 'json';
  for (const range of accept.split(',')) {
    const [type = ''] = range.split(';');
    const name = type.trim().toLowerCase();
    if (name === 'application/json' || name === '*/*' || name === 'application/*') return 'json';
    if (name === MEDIA_TYPES.bytes && namedOperations.isBinaryAnswer(described)) return 'bytes';
    if (name === MEDIA_TYPES.lines && namedOperations.isListAnswer(described)) return 'lines';
  }
  return 'json';
}
