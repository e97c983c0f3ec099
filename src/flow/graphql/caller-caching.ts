import type { Client } from '../../access/client.js';
import type { Config } from '../../config/schema.js';

/**
 * How answers depend on their callers, for the caches of browsers and of proxies. Made once a
 * generation.
 */
export interface CallerCaching {
  /** An answer may differ from caller to caller: shared caches must not keep it. */
  readonly isPrivate: boolean;
  /** Fields of requests that tell callers apart, in lower case: those of Vary. */
  readonly fields: readonly string[];
}

/**
 * `goesOn`: the header fields of callers that reach backends. `isRuled`: fields have rights or
 * masks.
 */
export function compileCallerCaching(
  { clients }: Pick<Config, 'clients'>,
  goesOn: readonly string[],
  isRuled: boolean,
): CallerCaching {
  const own = clients === undefined ? [] : Object.values(FIELDS).map((of) => of(clients));
  const fields = [...own.filter((name) => name !== null), ...goesOn];
  const isKnown = clients?.classes !== undefined || clients?.authorize !== undefined;
  return {
    isPrivate: isKnown || isRuled || fields.length > 0,
    fields: [...new Set(fields.map((name) => name.toLowerCase()))],
  };
}

/**
 * Whether a cache can tell this caller from the next one by the fields of Vary. It cannot by an
 * address or a certificate, nor by what a browser adds on its own after it has looked into its
 * cache: a cookie, a password.
 */
export function canBeTold(
  { fields }: CallerCaching,
  { by }: Pick<Client, 'by'>,
  { authorization }: { readonly authorization?: string | undefined },
): boolean {
  if (BY_CONNECTION.has(by) || fields.includes('cookie')) return false;
  const isSentByScript = authorization === undefined || /^bearer /i.test(authorization);
  return isSentByScript || !fields.includes('authorization');
}

const BY_CONNECTION: ReadonlySet<Client['by']> = new Set(['basic', 'certificate', 'network']);

type Clients = NonNullable<Config['clients']>;

const authorization = (keys: object | undefined): string | null =>
  keys === undefined ? null : 'authorization';

/**
 * The header field that tells callers apart who are identified so; null: none, or the kind is not
 * configured.
 */
const FIELDS: Readonly<Record<Client['by'], (clients: Clients) => string | null>> = {
  apiKey: ({ apiKeys }) => apiKeys?.header ?? null,
  basic: ({ basic }) => authorization(basic),
  jwt: ({ jwt }) => authorization(jwt),
  introspection: ({ introspection }) => authorization(introspection),
  certificate: ({ certificate }) => certificate?.header ?? null,
  // SOAP alone, whose answers are kept by no cache.
  wsSecurity: () => null,
  network: () => null,
  address: () => null,
};
