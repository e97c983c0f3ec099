import { createHash } from 'node:crypto';

import type { Config } from '../config/schema.js';
import type { GraphqlUpstream } from './graphql-upstream.js';
import { rulesOf } from './rights.js';
import type { SoapService } from './service.js';

/**
 * A digest of the rules that hold for all clients, whatever their class: what fields and operations require, masks, the
 * decision point, and which pages may open a WebSocket. What began under other rules than the present ones must not go on.
 */
export function protectionOf(
  { clients, graphql, hosts, publicUrl }: Config,
  services: readonly SoapService[],
  upstreams: readonly GraphqlUpstream[],
): string {
  const { rejectUnauthorized, origins, cors } = graphql;
  const rules = [
    ...services.map((service) => [service.name, rulesOf([service])]),
    ...upstreams.map(({ name, subschema }) => [name, subschema.rules]),
  ];
  const parts = [rules, clients?.authorize, clients?.maskKey, rejectUnauthorized, origins, cors, hosts, publicUrl];
  return createHash('sha256').update(JSON.stringify(parts, asLists)).digest('base64');
}

const asLists = (_name: string, value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value;
