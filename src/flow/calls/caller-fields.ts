import type { CallerIdentity } from '../../access/client.js';
import { FORWARDING_FIELDS } from '../../access/network/forwarding.js';
import type { SoapService } from '../../compile/soap/service.js';
import { authenticatesConnection } from '../../upstream/bound-upstreams.js';
import type { UpstreamRequest } from '../../upstream/reply.js';
import { isPrintable } from './reply-head.js';

/** Adds the header fields of a GraphQL caller's request that go on with a call. */
export function pushCallerFields(
  headers: string[],
  { callerFields }: SoapService,
  caller: CallerIdentity,
): void {
  // Without an address there is no request: a poll is made for many subscribers, that have in common what varies.
  const isRequest = caller.address !== '';
  pushNamed(headers, isRequest ? callerFields.ofGraphql : callerFields.varying, caller.headers);
  if (isRequest && callerFields.forwarding !== null)
    headers.push(...callerFields.forwarding.fields(caller));
}

/**
 * Adds those of the named header fields that a request has. `isBound`: NTLM and Negotiate go on as well, which
 * authenticate the connection to the backend. Any other is used for several callers.
 */
export function pushNamed(
  headers: string[],
  names: readonly string[],
  from: CallerIdentity['headers'],
  isBound = false,
): void {
  for (const name of names) {
    const value = from[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    if (!isBound && name === 'authorization' && authenticatesConnection(text)) continue;
    if (isPrintable(text)) headers.push(name, text);
  }
}

/** The request without the fields that tell where it came from: a call for all clients comes from none of them. */
export function withoutOrigin(request: UpstreamRequest): UpstreamRequest {
  const headers = request.headers.filter((_, at, all) => !ORIGIN.has(all[at - (at % 2)] ?? ''));
  return { ...request, headers };
}

const ORIGIN: ReadonlySet<string> = new Set(FORWARDING_FIELDS);

/** The values of a request that may change a reply; null for none. */
export function varyingValues(
  { callerFields }: SoapService,
  from: CallerIdentity['headers'],
): readonly unknown[] | null {
  const { varying } = callerFields;
  return varying.length === 0 ? null : varying.map((name) => from[name] ?? null);
}
