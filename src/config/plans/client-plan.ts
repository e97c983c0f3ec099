import type { RotatingText } from '../../gateway/rotating-text.js';
import { type JwtConfig, jwtIssuers } from '../clients/token-keys.js';
import { printPath } from '../keys/config-path.js';
import type { Config } from '../schema.js';
import type { ConfigSection, SectionPlace } from '../section.js';
import { readTls, type TlsPlan } from './tls-plan.js';

type ClientsKeys = NonNullable<Config['clients']>;

/**
 * The parts of `clients` that ask others, or have secrets; null for those that are not configured.
 */
export interface ClientsPlan {
  readonly issuers: readonly IssuerPlan[];
  readonly introspection: IntrospectionPlan | null;
  readonly authorize: AuthorizePlan | null;
}

/** An issuer of `clients.jwt`. */
export interface IssuerPlan {
  readonly keys: JwtConfig;
  /** The key of the address of its key set, as text and as position. */
  readonly jwksUrl: { readonly name: string; readonly place: SectionPlace };
}

export interface IntrospectionPlan {
  readonly keys: NonNullable<ClientsKeys['introspection']>;
  readonly tls: TlsPlan | null;
  readonly clientSecret: RotatingText;
}

export interface AuthorizePlan {
  readonly keys: NonNullable<ClientsKeys['authorize']>;
  readonly tls: TlsPlan | null;
  readonly token: RotatingText | null;
}

export function readClients(root: ConfigSection<Pick<Config, 'clients'>>): ClientsPlan {
  const { clients } = root.value;
  if (clients === undefined) return { issuers: [], introspection: null, authorize: null };
  const section = root.at(clients, 'clients');
  return {
    issuers: jwtIssuers(clients.jwt).map(({ issuer, path }) => {
      const key = ['jwt', ...path, 'jwksUrl'];
      const name = printPath(['clients', ...key]);
      return { keys: issuer, jwksUrl: { name, place: section.placeOf(key) } };
    }),
    introspection: readIntrospection(section),
    authorize: readAuthorize(section),
  };
}

function readIntrospection(clients: ConfigSection<ClientsKeys>): IntrospectionPlan | null {
  const { introspection: keys } = clients.value;
  if (keys === undefined) return null;
  const section = clients.at(keys, 'introspection');
  const clientSecret = section.textAt(['clientSecret'], keys.clientSecret);
  return { keys, tls: readTls(section), clientSecret };
}

function readAuthorize(clients: ConfigSection<ClientsKeys>): AuthorizePlan | null {
  const { authorize: keys } = clients.value;
  if (keys === undefined) return null;
  const section = clients.at(keys, 'authorize');
  const token = keys.token === undefined ? null : section.textAt(['token'], keys.token);
  return { keys, tls: readTls(section), token };
}
