import { invalid } from '../../config/keys/finding.js';
import type { BackendPlan } from '../../config/plans/backend-plan.js';
import type { ServiceConfig } from '../../config/schema.js';
import { currentText, type RotatingText } from '../../gateway/rotating-text.js';
import { authentication, type dial } from '../../upstream/index.js';

type RouteTo = (url: URL) => dial.Route;
type AuthConfig = NonNullable<ServiceConfig['auth']>;

/**
 * Throws `FindingsError` where a proxy is asked for pages: it may use its connections for
 * several clients.
 */
export function checkConnections({ name, config }: BackendPlan, routeTo: RouteTo): void {
  if (config.urls.every((url) => routeTo(new URL(url)).forwarder === null)) return;
  const what =
    `Service \`${name}\`: NTLM and Negotiate authenticate connections, and a proxy may ` +
    'share those to an http address.';
  const remedy = 'Use https, which the proxy gives a tunnel, or leave the proxy out.';
  throw invalid(['proxy'], what, remedy);
}

/** The credentials of `auth.ntlm`. Without a text, the password is that of the keys. */
export const compileNtlm = (
  { username, password, domain }: NonNullable<AuthConfig['ntlm']>,
  rotating: RotatingText | null,
): authentication.Ntlm =>
  new authentication.Ntlm({
    username,
    domain: domain ?? null,
    password: () => (rotating === null ? password : currentText(rotating)),
  });

/**
 * The variable by which the Kerberos of the system finds the keys of a client. It is one for the
 * whole process.
 */
const KEYTAB_VARIABLE = 'KRB5_CLIENT_KTNAME';

/**
 * Throws `FindingsError` without the package, and where the keys are not those of the process.
 */
export async function compileNegotiate(
  service: string,
  { principal, keytab }: NonNullable<AuthConfig['negotiate']>,
  file: string | null,
): Promise<authentication.Negotiate> {
  if (keytab !== undefined) {
    if (file === null) {
      throw invalid(
        ['auth', 'negotiate', 'keytab'],
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
      throw invalid(['auth', 'negotiate', 'keytab'], what, remedy);
    }
  }
  const kerberos = await authentication.loadKerberos();
  if (typeof kerberos === 'string') {
    const what =
      `Service \`${service}\`: \`auth.negotiate\` needs the package ` +
      `\`kerberos\`, which ${kerberos}.`;
    throw invalid(['auth', 'negotiate'], what, 'Run `npm install kerberos` beside the gateway.');
  }
  return new authentication.Negotiate(principal, kerberos);
}
