import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Client } from '../../access/client.js';
import type { RequestContext } from '../../codec/index.js';
import type { GraphqlUpstream } from '../../compile/graphql/graphql-upstream.js';
import { asRefusal, type httpFields, Refusal } from '../../core/index.js';
import type { subschemas } from '../../graphql/index.js';
import { heads, postWhole } from '../../upstream/index.js';
import { affinityOf } from '../calls/affinity.js';
import { pushNamed, type RawFields } from '../calls/caller-fields.js';
import type { CallContext } from './call-context.js';

/** The parts that a call of a GraphQL upstream needs. */
export interface UpstreamCallContext
  extends Pick<CallContext, 'exchange' | 'signal' | 'headers' | 'rawHeaders'> {
  readonly service: GraphqlUpstream;
  readonly client: Client;
}

/** Sends one operation to a service that speaks GraphQL. Rejects with a `Refusal`. */
export async function sendOperation(
  request: subschemas.SubschemaRequest,
  context: UpstreamCallContext,
): Promise<subschemas.SubschemaReply> {
  const { exchange, service, client, signal, headers, rawHeaders = null } = context;
  const { query, variables, operation } = request;
  const { responseBytes, responseDepth, responseValues } = service.limits.remote;
  const startedMillis = performance.now();
  exchange.upstream.calls++;
  try {
    const passed = forwarded(service, headers, rawHeaders);
    const body = await postWhole(service.upstream, {
      headers: [...passed.fields, ...viaOf(service, headers['via']), ...JSON_HEADERS],
      spellings: passed.spellings,
      body: Buffer.from(JSON.stringify(hasMembers(variables) ? { query, variables } : { query })),
      isIdempotent: operation === 'query',
      affinity: affinityOf(service.reach, headers, client),
      className: client.className,
      caller: client.label,
      observer: exchange.observer?.call(service.name, operation) ?? null,
      maxBytes: responseBytes,
      maxBytesKey: 'limits.remote.responseBytes',
      signal,
      aborted: () => new Refusal('CLIENT_GONE'),
      checkHead(head) {
        heads.checkJsonHead(head);
        // A gateway answers fields that it refuses with 200.
        exchange.retryAfter ??= heads.secondsIn(head);
      },
    });
    return { text: textOf(body), limits: { depth: responseDepth, values: responseValues } };
  } catch (caught) {
    exchange.refuse(asRefusal(caught));
    exchange.graphql.failedCall = { service: service.name, operation };
    throw caught;
  } finally {
    exchange.upstream.millis += performance.now() - startedMillis;
  }
}

const JSON_HEADERS: readonly string[] = [
  ...['content-type', 'application/json'],
  ...['accept', 'application/graphql-response+json, application/json;q=0.9'],
];

/**
 * The header fields of a caller that are sent on, names and values in turn, and their spellings.
 */
export function forwarded(
  { forwardHeaders }: GraphqlUpstream,
  headers: RequestContext['headers'],
  rawHeaders: RawFields,
): { readonly fields: readonly string[]; readonly spellings: httpFields.FieldSpellings | null } {
  const fields: string[] = [];
  const spellings = pushNamed(fields, forwardHeaders, headers, rawHeaders);
  return { fields, spellings };
}

/** The field `Via` for a service; `received` is that of the caller. */
export const viaOf = (
  { via }: GraphqlUpstream,
  received: RequestContext['headers'][string],
): readonly string[] => (via === null ? [] : ['via', via.next(received)]);

const hasMembers = (object: object): boolean => Object.keys(object).length > 0;

function textOf(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'GraphQL: no UTF-8');
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
