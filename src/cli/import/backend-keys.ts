import { resolve } from 'node:path';
import { isGatewayField } from '../../config/backend/gateway-fields.js';
import { isHttpUrl } from '../../config/keys/address.js';
import type { SourceOptions } from './import-source.js';

/** Keys of a service for every call to its backend; `${NAME}` stands for variables. */
export interface BackendKeys {
  readonly basic: { readonly username: string; readonly password: string } | null;
  readonly headers: ReadonlyMap<string, string>;
  readonly proxy: string | null;
  /** Absolute paths. */
  readonly tls: ReadonlyMap<'ca' | 'cert' | 'key', string>;
  readonly passphrase: string | null;
}

const TLS_FILES = ['ca', 'cert', 'key'] as const;

/** The keys for what the options fetched the WSDL with; null where there is nothing to write. */
export function backendKeys({ user, headers, route }: SourceOptions): BackendKeys | null {
  const colon = user?.indexOf(':') ?? -1;
  const basic =
    user === null || colon < 0
      ? null
      : { username: user.slice(0, colon), password: user.slice(colon + 1) };
  const fields = new Map<string, string>();
  for (const line of headers) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    if (isGatewayField(name) || (basic !== null && name === 'authorization')) continue;
    fields.set(name, line.slice(at + 1).trim());
  }
  const { proxy, passphrase } = route;
  const tls = new Map(
    TLS_FILES.flatMap((part): ['ca' | 'cert' | 'key', string][] => {
      const file = route[part];
      return file === null ? [] : [[part, resolve(file)]];
    }),
  );
  const isNothing = basic === null && fields.size === 0 && proxy === null && tls.size === 0;
  return isNothing ? null : { basic, headers: fields, proxy, tls, passphrase };
}

/**
 * Whether a backend may have what was given for the host of the WSDL: a WSDL in a file has none.
 */
export function isSameHost(location: string, address: string | null): boolean {
  if (!isHttpUrl(location)) return true;
  if (address === null || !isHttpUrl(address)) return false;
  const [home, backend] = [new URL(location), new URL(address)];
  return (
    backend.host === home.host &&
    (home.protocol === backend.protocol || backend.protocol === 'https:')
  );
}
