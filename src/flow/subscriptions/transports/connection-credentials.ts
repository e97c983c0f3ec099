import type { RequestContext } from '../../../codec/index.js';
import { isRecord, Refusal } from '../../../core/index.js';

type Headers = RequestContext['headers'];
type Params = Readonly<Record<string, unknown>>;

/** Members of `connectionParams`, and of `headers` in them, that are looked at. */
const MEMBERS_MAX = 100;

/**
 * The header fields of a WebSocket with the credentials of its first message, as browsers cannot
 * send them otherwise: `{ authorization }`, or `{ headers: { authorization } }` as clients of
 * Apollo write it. Only the fields in `names`, in lower case, are taken; they win over those of the
 * upgrade. Throws `UNAUTHENTICATED` for two values of one field.
 */
export function withConnectionParams(
  headers: Headers,
  params: Params = {},
  names: ReadonlySet<string>,
): Headers {
  const nested = Object.hasOwn(params, 'headers') ? params['headers'] : null;
  const found = new Map<string, string>();
  for (const source of [params, isRecord(nested) ? nested : {}]) {
    const entries = Object.entries(source);
    if (entries.length > MEMBERS_MAX) {
      throw new Refusal('UNAUTHENTICATED', 'too many connection parameters');
    }
    for (const [key, value] of entries) {
      const name = key.toLowerCase();
      if (typeof value !== 'string' || !names.has(name)) continue;
      if (found.has(name) && found.get(name) !== value) {
        throw new Refusal('UNAUTHENTICATED', 'two values of a credential');
      }
      found.set(name, value);
    }
  }
  return found.size === 0 ? headers : { ...headers, ...Object.fromEntries(found) };
}
