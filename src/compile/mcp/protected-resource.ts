import { PROOF_ALGORITHMS } from '../../access/proof-algorithms.js';
import { jwtIssuers, proofDemands } from '../../config/clients/token-keys.js';
import { describedAt, resourceAt } from '../../config/mcp/mcp-rules.js';
import type { Config } from '../../config/schema.js';

/** The description of an endpoint for clients that look for its authorization server (RFC 9728). */
export interface ProtectedResource {
  /** Path of the description at the gateway. */
  readonly path: string;
  /** Address of the description for clients. */
  readonly url: string;
  readonly document: {
    readonly resource: string;
    readonly authorization_servers: readonly string[];
    readonly bearer_methods_supported: readonly string[];
    readonly resource_name: string;
    readonly dpop_signing_alg_values_supported?: readonly string[];
    readonly dpop_bound_access_tokens_required?: true;
    readonly tls_client_certificate_bound_access_tokens?: true;
  };
}

/**
 * Null without `publicUrl`, for a client takes only the description of the very address that it
 * calls, and where no token is of an issuer with an address.
 */
export function protectedResource(
  { publicUrl, clients }: Config,
  path: string,
): ProtectedResource | null {
  const issuers = [
    ...jwtIssuers(clients?.jwt).map(({ issuer }) => issuer.issuer),
    clients?.introspection?.issuer ?? '',
  ];
  const servers = [...new Set(issuers)].filter((issuer) => /^https?:\/\//i.test(issuer));
  if (publicUrl === undefined || servers.length === 0) return null;
  const resource = resourceAt(publicUrl, path);
  const described = describedAt(resource);
  return {
    path: described.pathname,
    url: described.href,
    document: {
      resource: resource.href,
      authorization_servers: servers,
      bearer_methods_supported: ['header'],
      resource_name: 'Soapstone',
      ...boundTokens(clients),
    },
  };
}

/** How tokens have to be bound to their clients (RFC 9728 section 2); empty where they need not. */
function boundTokens(clients: Config['clients']) {
  const demands = proofDemands(clients);
  const takes = (...wanted: typeof demands) => demands.some((demand) => wanted.includes(demand));
  return {
    ...(takes('dpop', 'either') ? { dpop_signing_alg_values_supported: PROOF_ALGORITHMS } : {}),
    ...(takes('none', 'mtls', 'either')
      ? {}
      : { dpop_bound_access_tokens_required: true as const }),
    ...(takes('mtls', 'either')
      ? { tls_client_certificate_bound_access_tokens: true as const }
      : {}),
  };
}
