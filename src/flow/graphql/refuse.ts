import type { ServerResponse } from 'node:http';
import type { Refusal, RefusalCode } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { lifecycle } from '../../graphql/index.js';
import { refuseHttp, refuseInForm } from '../http/refuse.js';
import { GRAPHQL_ACCEPTED } from '../http/sentence.js';

/** Parts of the gateway that are away, of which callers get an error of GraphQL. */
const TOLD_OF_US: ReadonlySet<RefusalCode> = new Set(['AUDIT_UNAVAILABLE', 'SCHEMA_UNAVAILABLE']);

/**
 * Answers a GraphQL request that is refused before its body is read: with an error where it is the
 * client that is refused, or a protection that is away.
 */
export function refuseGraphql(
  exchange: Exchange,
  response: ServerResponse,
  refusal: Refusal,
): void {
  const isTold = refusal.isOfCaller || TOLD_OF_US.has(refusal.code);
  if (!isTold || refusal.kind.httpStatus === undefined) {
    refuseHttp(exchange, response, refusal, GRAPHQL_ACCEPTED);
    return;
  }
  refuseInForm(exchange, response, refusal, 'application/json; charset=utf-8', () =>
    JSON.stringify({ errors: lifecycle.refusalErrors(refusal, exchange.id) }),
  );
}
