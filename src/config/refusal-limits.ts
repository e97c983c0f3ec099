import type { LimitRow, LimitTable } from '../base/limit.js';
import type { RefusalCode } from '../base/refusals/refusals.js';
import { CODEC_LIMITS } from '../codec/plan/limits.js';
import { VALIDITY_LIMITS } from '../codec/validity/limits.js';
import { GRAPHQL_LIMITS } from '../graphql/limits.js';
import { SUBSCHEMA_LIMITS } from '../graphql/subschema/subschema-limits.js';
import { SUBSCRIPTION_LIMITS } from '../pubsub/limits.js';
import { SOAP_LIMITS } from '../soap/limits.js';
import { MIME_LIMITS } from '../soap/mime/mime-limits.js';
import { UPSTREAM_LIMITS } from '../upstream/limits.js';
import { XML_LIMITS } from '../xml/limits.js';
import { HTTP_LIMITS } from './listen/http-limits.js';

/** The tables of limits that refuse, by their key below `limits`. */
const TABLES: readonly (readonly [string, LimitTable])[] = [
  ['xml', XML_LIMITS],
  ['soap', SOAP_LIMITS],
  ['mime', MIME_LIMITS],
  ['codec', CODEC_LIMITS],
  ['validity', VALIDITY_LIMITS],
  ['graphql', GRAPHQL_LIMITS],
  ['subscriptions', SUBSCRIPTION_LIMITS],
  ['http', HTTP_LIMITS],
  ['upstream', UPSTREAM_LIMITS],
  ['remote', SUBSCHEMA_LIMITS],
];

/** A limit with its key in the configuration. */
export interface RefusingLimit {
  readonly key: string;
  readonly row: LimitRow;
}

/** The limits that a request is refused for with this code. */
export const limitsOfRefusal = (code: RefusalCode): readonly RefusingLimit[] =>
  TABLES.flatMap(([group, table]) =>
    Object.entries(table).flatMap(([name, row]) =>
      row.refusal === code ? [{ key: `limits.${group}.${name}`, row }] : [],
    ),
  );
