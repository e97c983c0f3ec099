import type { Buffer } from 'node:buffer';
import { type CallerIdentity, type Client, claimsOf } from '../../access/client.js';
import type { Reach } from '../../compile/backend/reach.js';
import type { SoapService } from '../../compile/soap/service.js';
import { PathText } from '../../soap/index.js';
import type { Affinity } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { readRequest } from './read-request.js';

/** The most characters of a value that calls are spread by; longer ones are cut. */
const KEY_CHARS = 1024;

/**
 * Which address of a backend a call should go to; null where all are alike. `textAtPath` is the
 * text in the request that calls may be spread by; null where it has none, or none so far.
 */
export function affinityOf(
  { affinity }: Reach,
  headers: CallerIdentity['headers'],
  client: Pick<Client, 'id' | 'claims' | 'decided'> | null,
  textAtPath: string | null = null,
): Affinity | null {
  if (affinity === null) return null;
  const { by, name, cookie } = affinity;
  const value =
    by === 'path'
      ? textAtPath
      : by === 'client'
        ? client?.id
        : by === 'header'
          ? headers[name]
          : by === 'claim' && client !== null
            ? claimOf(client, name)
            : null;
  const key = value === null || value === undefined ? null : String(value).slice(0, KEY_CHARS);
  return { key, addressId: cookie === null ? null : cookieOf(headers['cookie'], cookie) };
}

function claimOf(client: Pick<Client, 'claims' | 'decided'>, name: string): unknown {
  const claims = claimsOf(client);
  return claims !== null && Object.hasOwn(claims, name) ? claims[name] : null;
}

/** The value of a cookie (RFC 6265 section 4.2); null where it is not sent. */
export function cookieOf(field: CallerIdentity['headers'][string], name: string): string | null {
  const text = typeof field === 'string' ? field : (field ?? []).join('; ');
  for (const pair of text.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/**
 * The text at a path of a request that is about to be sent; null where calls are not spread by one.
 */
export function textInRequest(
  service: SoapService,
  operation: Operation,
  message: Buffer,
): string | null {
  const steps = service.reach.affinity?.steps ?? [];
  if (steps.length === 0) return null;
  const text = new PathText(steps);
  readRequest(service, operation, message, text);
  return text.found;
}
