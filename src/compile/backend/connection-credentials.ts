import { ConfigurationError } from '../../base/diagnostic.js';
import { RotatingFile } from '../../base/rotating-file.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ServiceConfig } from '../../config/schema.js';
import { loadKerberos, Negotiate } from '../../upstream/credentials/negotiate.js';
import { Ntlm } from '../../upstream/credentials/ntlm.js';
import type { Route } from '../../upstream/dial/dial.js';

type RouteTo = (url: URL) => Route;
type AuthConfig = NonNullable<ServiceConfig['auth']>;

/** Throws `ConfigurationError` where a proxy is asked for pages: it may use its connections for several clients. */
export function checkConnections(loaded: LoadedConfig, name: string, urls: readonly string[], routeTo: RouteTo): void {
  if (urls.every((url) => routeTo(new URL(url)).forwarder === null)) return;
  const what = `Service \`${name}\`: NTLM and Negotiate authenticate connections, and a proxy may share those to an http address.`;
  const remedy = 'Use https, which the proxy gives a tunnel, or leave the proxy out.';
  throw new ConfigurationError([diagnosticAt(loaded, ['services', name, 'proxy'], what, remedy)]);
}

export function compileNtlm(
  loaded: LoadedConfig,
  name: string,
  { username, password, domain }: NonNullable<AuthConfig['ntlm']>,
): Ntlm {
  const file = loaded.fileAt(['services', name, 'auth', 'ntlm', 'password']);
  const rotating = file === null ? null : new RotatingFile(file, password);
  return new Ntlm({ username, domain: domain ?? null, password: () => rotating?.content ?? password });
}

/** The variable by which the Kerberos of the system finds the keys of a client. It is one for the whole process. */
const KEYTAB_VARIABLE = 'KRB5_CLIENT_KTNAME';

/** Throws `ConfigurationError` without the package, and where the keys are not those of the process. */
export async function compileNegotiate(
  loaded: LoadedConfig,
  name: string,
  { principal, keytab }: NonNullable<AuthConfig['negotiate']>,
): Promise<Negotiate> {
  const path = ['services', name, 'auth', 'negotiate'];
  const wrong = (key: readonly string[], what: string, remedy: string): ConfigurationError =>
    new ConfigurationError([diagnosticAt(loaded, [...path, ...key], what, remedy)]);
  if (keytab !== undefined) {
    const file = loaded.fileAt([...path, 'keytab']);
    if (file === null) throw wrong(['keytab'], `Service \`${name}\`: a keytab is a file.`, 'Write { file: path }.');
    const known = process.env[KEYTAB_VARIABLE] ?? `FILE:${file}`;
    process.env[KEYTAB_VARIABLE] = known;
    if (known !== file && known !== `FILE:${file}`) {
      const what = `Service \`${name}\`: Kerberos takes one keytab for the whole process, and has another one already.`;
      const remedy = `Put the keys into one file, and restart the gateway; ${KEYTAB_VARIABLE} of its environment counts first.`;
      throw wrong(['keytab'], what, remedy);
    }
  }
  const kerberos = await loadKerberos();
  if (kerberos === null) {
    const what = `Service \`${name}\`: \`auth.negotiate\` needs the package \`kerberos\`, which is not installed or cannot be loaded.`;
    throw wrong([], what, 'Run `npm install kerberos` beside the gateway.');
  }
  return new Negotiate(principal, kerberos);
}
