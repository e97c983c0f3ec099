import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProgram, startProgram } from './programs.js';

/**
 * Apache httpd in front of a backend, with one kind of credentials for each folder, and the KDC
 * that it trusts.
 */

const MODULES = [
  'mpm_worker',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_gssapi',
  'auth_digest',
  'headers',
  'proxy',
  'proxy_http',
];

export const REALM = 'CORP.EXAMPLE';
/** The name of the server in Kerberos. */
export const HOST = 'shop.corp.example';
const DIGEST_REALM = 'shop';

interface Accounts {
  readonly username: string;
  readonly password: string;
}

export interface ApacheOptions {
  /** For its files; everybody may read it. */
  readonly directory: string;
  readonly backend: string;
  readonly ntlm: readonly Accounts[];
  readonly digest: Accounts;
}

/** Starts Apache: `/ntlm`, `/negotiate` and `/digest` are passed on with the user as `x-user`. */
export function startApache({
  directory,
  backend,
  ntlm,
  digest,
}: ApacheOptions): Promise<RunningProgram> {
  const file = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    chmodSync(path, 0o644);
    return path;
  };
  const users = file(
    'ntlm',
    ntlm.map(({ username, password }) => `CORP:${username}:${password}\n`).join(''),
  );
  const { username, password } = digest;
  const hash = createHash('md5').update(`${username}:${DIGEST_REALM}:${password}`).digest('hex');
  const digests = file('digest', `${username}:${DIGEST_REALM}:${hash}\n`);
  const passed =
    `ProxyPass ${backend}/shop\n  RequestHeader set x-user expr=%{REMOTE_USER}\n` +
    '  Require valid-user';
  const gssapi = (mechanism: string): string =>
    `AuthType GSSAPI\n  AuthName shop\n  GssapiAllowedMech ${mechanism}`;
  const configuration = (port: number): string => `
ServerRoot ${directory}
ServerName ${HOST}
Listen 127.0.0.1:${port}
PidFile ${directory}/apache-${port}.pid
DefaultRuntimeDir ${directory}
ErrorLog ${directory}/apache.log
LogLevel auth_gssapi:info
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`).join('')}
StartServers 1
ServerLimit 1
ThreadsPerChild 32
MaxRequestWorkers 32
MinSpareThreads 1
MaxSpareThreads 32
<Location /ntlm>
  ${gssapi('ntlmssp')}
  GssapiConnectionBound On
  ${passed}
</Location>
<Location /negotiate>
  ${gssapi('krb5')}
  GssapiCredStore keytab:${directory}/http.keytab
  ${passed}
</Location>
<Location /digest>
  AuthType Digest
  AuthName ${DIGEST_REALM}
  AuthDigestProvider file
  AuthUserFile ${digests}
  AuthDigestNonceLifetime 1
  ${passed}
</Location>
`;
  return startProgram({
    command: (port) => [
      '/usr/sbin/apache2',
      '-f',
      file(`apache-${port}.conf`, configuration(port)),
      '-D',
      'FOREGROUND',
    ],
    environment: { NTLM_USER_FILE: users },
  });
}

export interface Kdc extends RunningProgram {
  /** Of `KRB5_CONFIG`. */
  readonly configuration: string;
  /** Of the user `web`. */
  readonly keytab: string;
}

/** Starts an MIT KDC with the user `web`, and writes the keys of `HTTP/HOST` to `http.keytab`. */
export async function startKdc(directory: string): Promise<Kdc> {
  const folder = join(directory, 'kdc');
  mkdirSync(folder);
  const configuration = join(directory, 'krb5.conf');
  const profile = join(folder, 'kdc.conf');
  const environment = { KRB5_CONFIG: configuration, KRB5_KDC_PROFILE: profile };
  const configure = (port: number): void => {
    writeFileSync(
      configuration,
      `[libdefaults]
  default_realm = ${REALM}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  udp_preference_limit = 1
  default_ccache_name = FILE:${folder}/tickets
[realms]
  ${REALM} = {
    kdc = 127.0.0.1:${port}
  }
`,
    );
    writeFileSync(
      profile,
      `[kdcdefaults]
  kdc_listen = ""
  kdc_tcp_listen = 127.0.0.1:${port}
[realms]
  ${REALM} = {
    database_name = ${folder}/principal
    key_stash_file = ${folder}/stash
    acl_file = ${folder}/acl
    supported_enctypes = aes256-cts:normal
  }
[logging]
  kdc = FILE:${folder}/log
`,
    );
  };
  const run = (program: string, ...args: readonly string[]): void => {
    execFileSync(program, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  };
  const keytab = join(directory, 'web.keytab');
  const served = join(directory, 'http.keytab');
  configure(0);
  run('/usr/sbin/kdb5_util', 'create', '-s', '-P', 'master', '-r', REALM);
  for (const [principal, keys] of [
    ['web', keytab],
    [`HTTP/${HOST}`, served],
  ] as const) {
    run('/usr/sbin/kadmin.local', '-q', `addprinc -randkey ${principal}`);
    run('/usr/sbin/kadmin.local', '-q', `ktadd -k ${keys} ${principal}`);
    chmodSync(keys, 0o644);
  }
  const running = await startProgram({
    command: (port) => {
      configure(port);
      return ['/usr/sbin/krb5kdc', '-n'];
    },
    environment,
  });
  return { ...running, configuration, keytab };
}
