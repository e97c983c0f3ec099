import type { RotatingText } from '../../gateway/rotating-text.js';
import type { AnyService, ServiceConfig } from '../schema.js';
import type { ConfigSection } from '../section.js';
import { readTls, type TlsPlan } from './tls-plan.js';

type AuthKeys = NonNullable<ServiceConfig['auth']>;
export type OAuthKeys = NonNullable<AuthKeys['oauth2']>;

/** How the backend of a service is reached. */
export interface BackendPlan {
  /** The name of the service. */
  readonly name: string;
  readonly config: AnyService;
  readonly tls: TlsPlan | null;
  readonly auth: AuthPlan;
}

/** The secrets of `auth`; null where another kind of credentials is configured. */
export interface AuthPlan {
  readonly bearerToken: RotatingText | null;
  readonly ntlmPassword: RotatingText | null;
  /** The file of the keys of `negotiate`; null also where they are no file. */
  readonly keytabFile: string | null;
  readonly oauth2: OAuthPlan | null;
}

/** `auth.oauth2`; null for secrets that are not configured. */
export interface OAuthPlan {
  readonly keys: OAuthKeys;
  readonly clientSecret: RotatingText | null;
  readonly key: RotatingText | null;
}

export const readBackend = (section: ConfigSection<AnyService>): BackendPlan => ({
  name: section.name,
  config: section.value,
  tls: readTls(section),
  auth: readAuth(section),
});

/** Reads the secrets of `auth` of a section. */
export function readAuth(section: ConfigSection<Pick<AnyService, 'auth'>>): AuthPlan {
  const { bearer, ntlm, negotiate, oauth2 } = section.value.auth ?? {};
  const textAt = (text: string | undefined, ...path: readonly string[]): RotatingText | null =>
    text === undefined ? null : section.textAt(['auth', ...path], text);
  return {
    bearerToken: textAt(bearer?.token, 'bearer', 'token'),
    ntlmPassword: textAt(ntlm?.password, 'ntlm', 'password'),
    keytabFile: negotiate === undefined ? null : section.fileAt(['auth', 'negotiate', 'keytab']),
    oauth2:
      oauth2 === undefined
        ? null
        : {
            keys: oauth2,
            clientSecret: textAt(oauth2.clientSecret, 'oauth2', 'clientSecret'),
            key: textAt(oauth2.key, 'oauth2', 'key'),
          },
  };
}
