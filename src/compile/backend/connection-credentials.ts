import type { AnyService, ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { loadKerberos, Negotiate, Ntlm, type Route } from '../../upstream/index.js';

type RouteTo = (url: URL) => Route;
type AuthConfig = NonNullable<ServiceConfig['auth']>;

/**
 * Throws `ConfigurationError` where a proxy is asked for pages: it may use its connections for
 * several clients.
 */
export function checkConnections(service: ConfigSection<AnyService>, routeTo: RouteTo): void {
  if (service.value.urls.every((url) => routeTo(new URL(url)).forwarder === null)) return;
  const what =
    `Service \`${service.name}\`: NTLM and Negotiate authenticate connections, and a proxy may ` +
    'share those to an http address.';
  const remedy = 'Use https, which the proxy gives a tunnel, or leave the proxy out.';
  throw service.error(['proxy'], what, remedy);
}

/** `ntlm` is `auth.ntlm` of a service. */
export function compileNtlm(ntlm: ConfigSection<NonNullable<AuthConfig['ntlm']>>): Ntlm {
  const { username, password, domain } = ntlm.value;
  return new Ntlm({
    username,
    domain: domain ?? null,
    password: ntlm.text(['password'], password),
  });
}

/**
 * The variable by which the Kerberos of the system finds the keys of a client. It is one for the
 * whole process.
 */
const KEYTAB_VARIABLE = 'KRB5_CLIENT_KTNAME';

/**
 * Throws `ConfigurationError` without the package, and where the keys are not those of the process.
 */
export async function compileNegotiate(
  service: string,
  section: ConfigSection<NonNullable<AuthConfig['negotiate']>>,
): Promise<Negotiate> {
  const { principal, keytab } = section.value;
  if (keytab !== undefined) {
    const file = section.fileAt(['keytab']);
    if (file === null) {
      throw section.error(
        ['keytab'],
        `Service \`${service}\`: a keytab is a file.`,
        'Write { file: path }.',
      );
    }
    const known = process.env[KEYTAB_VARIABLE] ?? `FILE:${file}`;
    process.env[KEYTAB_VARIABLE] = known;
    if (known !== file && known !== `FILE:${file}`) {
      const what =
        `Service \`${service}\`: Kerberos takes one keytab for the whole process, ` +
        'and has another one already.';
      const remedy =
        `Put the keys into one file, and restart the gateway; ${KEYTAB_VARIABLE} of its ` +
        'environment counts first.';
      throw section.error(['keytab'], what, remedy);
    }
  }
  const kerberos = await loadKerberos();
  if (typeof kerberos === 'string') {
    const what =
      `Service \`${service}\`: \`auth.negotiate\` needs the package ` +
      `\`kerberos\`, which ${kerberos}.`;
    throw section.error([], what, 'Run `npm install kerberos` beside the gateway.');
  }
  return new Negotiate(principal, kerberos);
}
