import { createHash } from 'node:crypto';
import { mayHoldCredentials } from '../../gateway/credential-fields.js';
import type { SecondBackendConfig } from '../backend/second-backend-keys.js';
import { sameOrigin } from '../backend/second-backend-rules.js';
import type { ServiceConfig } from '../schema.js';
import type { ConfigSection } from '../section.js';
import { type AuthPlan, type BackendPlan, readAuth } from './backend-plan.js';
import { readTls, type TlsPlan } from './tls-plan.js';

/** A second backend of a service: as the service is configured, but called elsewhere. */
export interface SecondBackendPlan extends BackendPlan {
  readonly config: ServiceConfig;
  /** It has the scheme, host and port of the service. */
  readonly isSameOrigin: boolean;
  /** It has credentials of its own, in place of those of the service. */
  readonly hasOwnAuth: boolean;
  /** Messages have the Security block that the gateway makes. */
  readonly hasMadeSecurity: boolean;
  /** A digest of its keys but the secrets: another one is another backend. */
  readonly digest: string;
}

/** The parts of `tls` that show who the gateway is, and how the service is called. */
const IDENTITY: ReadonlySet<string> = new Set(['cert', 'key', 'pfx', 'passphrase', 'servername']);
/** Keys whose values are secrets, or come with them. */
const SECRET: ReadonlySet<string> = new Set([...IDENTITY, 'password', 'token', 'clientSecret']);

/** Reads the second backend under this key of a service; null where it has none. */
export function readSecondBackend(
  section: ConfigSection<ServiceConfig>,
  key: 'canary' | 'shadow',
): SecondBackendPlan | null {
  const service = section.value;
  const second: SecondBackendConfig | undefined = service[key];
  if (second === undefined) return null;
  const isSameOrigin = service.urls.some((url) => sameOrigin(url, second.url));
  const config = configOf(section, second, isSameOrigin);
  const own = section.at(config, key);
  const inherited = section.at(config);
  const hasOwnAuth = second.auth !== undefined;
  const auth: AuthPlan = readAuth(hasOwnAuth ? own : inherited);
  const tls: TlsPlan | null = readTls(second.tls === undefined ? inherited : own);
  return {
    name: `${section.name}.${key}`,
    config,
    tls,
    auth,
    isSameOrigin,
    hasOwnAuth,
    hasMadeSecurity: second.security !== 'none',
    digest: digestOf(second),
  };
}

/** The keys of the service with those of its second backend in their place. */
function configOf(
  section: ConfigSection<ServiceConfig>,
  second: SecondBackendConfig,
  isSameOrigin: boolean,
): ServiceConfig {
  const {
    auth: serviceAuth,
    tls: serviceTls,
    balance: _balance,
    zone: _zone,
    health: _health,
    canary: _canary,
    shadow: _shadow,
    ...service
  } = section.value;
  const auth = second.auth ?? (isSameOrigin ? serviceAuth : undefined);
  const tls = second.tls ?? (isSameOrigin ? serviceTls : withoutIdentity(serviceTls));
  const { proxy = service.proxy, timeoutMillis = service.timeoutMillis } = second;
  return {
    ...service,
    urls: [second.url],
    addresses: [{ url: second.url, weight: 1, backup: false }],
    headers: second.headers ?? (isSameOrigin ? service.headers : withoutCredentials(section)),
    ...(auth === undefined ? {} : { auth }),
    ...(tls === undefined ? {} : { tls }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  };
}

function withoutCredentials(section: ConfigSection<ServiceConfig>): ServiceConfig['headers'] {
  const kept = Object.entries(section.value.headers).filter(
    ([name]) => !mayHoldCredentials(name) && !section.isForeign(['headers', name]),
  );
  return Object.fromEntries(kept);
}

function withoutIdentity(tls: ServiceConfig['tls']): ServiceConfig['tls'] {
  if (tls === undefined) return undefined;
  const { ca, minVersion, verify } = tls;
  return { minVersion, verify, ...(ca === undefined ? {} : { ca }) };
}

/** The values of secrets do not count: they are renewed, and their digest could be tried out. */
const digestOf = (second: SecondBackendConfig): string =>
  createHash('sha256')
    .update(
      JSON.stringify(second, (key, value: unknown) =>
        SECRET.has(key) ? '' : key === 'headers' ? Object.keys(Object(value)) : value,
      ),
    )
    .digest('base64url')
    .slice(0, DIGEST_CHARS);

const DIGEST_CHARS = 16;
