import { isHttpUrl } from '../config/address.js';
import { isGatewayField } from '../config/gateway-fields.js';
import type { SourceOptions } from './import-source.js';

/** Keys of a service for every call to its backend; `${NAME}` stands for variables. */
export interface BackendKeys {
  readonly basic: { readonly username: string; readonly password: string } | null;
  readonly headers: ReadonlyMap<string, string>;
}

/** The keys for what `--user` and `--header` fetched the WSDL with; null where there is nothing to write. */
export function backendKeys({ user, headers }: SourceOptions): BackendKeys | null {
  const colon = user?.indexOf(':') ?? -1;
  const basic = user === null || colon < 0 ? null : { username: user.slice(0, colon), password: user.slice(colon + 1) };
  const fields = new Map<string, string>();
  for (const line of headers) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    if (isGatewayField(name) || (basic !== null && name === 'authorization')) continue;
    fields.set(name, line.slice(at + 1).trim());
  }
  return basic === null && fields.size === 0 ? null : { basic, headers: fields };
}

/** Whether a backend may have what was given for the host of the WSDL: a WSDL in a file has none. */
export function isSameHost(location: string, address: string | null): boolean {
  if (!isHttpUrl(location)) return true;
  if (address === null || !isHttpUrl(address)) return false;
  const [home, backend] = [new URL(location), new URL(address)];
  return backend.host === home.host && (home.protocol === backend.protocol || backend.protocol === 'https:');
}
