import { createHash } from 'node:crypto';
import { jwtIssuers } from '../../config/clients/token-keys.js';
import type { Config } from '../../config/schema.js';
import type { GraphqlUpstream } from '../graphql/graphql-upstream.js';
import { rightsRules } from '../soap/rights.js';
import type { ConfiguredService } from '../soap/service.js';

/**
 * A digest of the rules that hold for all clients, whatever their class: what fields and operations
 * require, masks, the decision point, which tokens go on to backends, and which pages may open a
 * WebSocket. What began under other rules than the present ones must not go on.
 */
export function protectionOf(
  { clients, graphql, hosts, publicUrl }: Config,
  services: readonly ConfiguredService[],
  upstreams: readonly GraphqlUpstream[],
): string {
  const { rejectUnauthorized, origins, cors } = graphql;
  const rules = [
    ...services.map((service) => [service.name, rightsRules([service])]),
    ...upstreams.map(({ name, subschema }) => [name, subschema.rules]),
  ];
  const { authorize, maskKey, jwt, introspection } = clients ?? {};
  // Tokens that go on to backends do so with polls that have begun.
  const issuers = jwtIssuers(jwt).filter(({ issuer }) => issuer.forward);
  const forwarded = [issuers.map(({ issuer }) => issuer.issuer), introspection?.forward];
  // The token of the decision point is left out: it may rotate.
  const decisionPoint = [authorize?.url, authorize?.onError];
  const pages = [origins, cors?.origins, hosts, publicUrl];
  const parts = [rules, decisionPoint, forwarded, maskKey, rejectUnauthorized, pages];
  return createHash('sha256').update(JSON.stringify(parts, asLists)).digest('base64');
}

const asLists = (_name: string, value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value;
