import type { CallerIdentity } from '../../access/client.js';
import { FORWARDING_FIELDS } from '../../access/network/forwarding.js';
import type { SoapService } from '../../compile/soap/service.js';
import { httpFields } from '../../core/index.js';
import { authenticatesConnection, type UpstreamRequest } from '../../upstream/index.js';
import { isPrintable } from '../reply/reply-head.js';

/**
 * Adds the header fields of a GraphQL caller's request that go on with a call; returns their
 * spellings.
 */
export function pushCallerFields(
  headers: string[],
  { callerFields }: SoapService,
  caller: CallerIdentity & { readonly rawHeaders: RawFields },
): httpFields.FieldSpellings | null {
  // Without an address there is no request: a poll is made for many subscribers, that have in
  // common what varies.
  const isRequest = caller.address !== '';
  const names = isRequest ? callerFields.ofGraphql : callerFields.varying;
  const fields = withoutOwnCookie(caller.headers, callerFields);
  const spellings = pushNamed(headers, names, fields, caller.rawHeaders);
  const { via } = callerFields;
  if (via !== null) {
    headers.push('via', via.next(isRequest ? caller.headers['via'] : undefined));
  }
  if (isRequest && callerFields.forwarding !== null) {
    headers.push(...callerFields.forwarding.fields(caller));
  }
  return spellings;
}

/** The fields of a caller without the cookie that the gateway has given it. */
export function withoutOwnCookie(
  headers: CallerIdentity['headers'],
  { ownCookie }: SoapService['callerFields'],
): CallerIdentity['headers'] {
  const { cookie } = headers;
  if (ownCookie === null || cookie === undefined) return headers;
  const pairs = String(cookie).split(';');
  const others = pairs.filter((pair) => pair.split('=', 1)[0]?.trim() !== ownCookie);
  if (others.length === pairs.length) return headers;
  const rest = others.join(';').trim();
  return { ...headers, cookie: rest === '' ? undefined : rest };
}

/**
 * Names, as they came, and values in turn; null where the request has no such list: fields then go
 * on in the usual case.
 */
export type RawFields = readonly string[] | null;

/**
 * Adds those of the named header fields that a request has; returns the spellings of those whose
 * names came in another than the usual one, null for none. `isBound`: NTLM and Negotiate go on as
 * well, which authenticate the connection to the backend. Any other is used for several callers.
 */
export function pushNamed(
  headers: string[],
  names: readonly string[],
  from: CallerIdentity['headers'],
  raw: RawFields,
  isBound = false,
): httpFields.FieldSpellings | null {
  let spellings: Map<string, string> | null = null;
  for (const name of names) {
    const value = from[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    if (!isBound && name === 'authorization' && authenticatesConnection(text)) continue;
    if (!isPrintable(text)) continue;
    headers.push(name, text);
    const spelling = raw === null ? undefined : httpFields.spellingIn(raw, name);
    if (spelling === undefined || spelling === httpFields.usualName(name)) continue;
    spellings ??= new Map();
    spellings.set(name, spelling);
  }
  return spellings;
}

/**
 * The request without the fields that tell where it came from: a call for all clients comes from
 * none of them.
 */
export function withoutOrigin(request: UpstreamRequest): UpstreamRequest {
  const headers = request.headers.filter((_, at, all) => !ORIGIN.has(all[at - (at % 2)] ?? ''));
  return { ...request, headers };
}

const ORIGIN: ReadonlySet<string> = new Set(FORWARDING_FIELDS);
