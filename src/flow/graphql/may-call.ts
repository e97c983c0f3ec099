import type { Client } from '../../access/client.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import { ruleOf } from '../../graphql/rights/field-rule.js';
import { authorizeCall } from '../calls/authorize.js';
import type { GraphqlEndpoint } from './endpoint.js';

/** Throws `FORBIDDEN` where the client may not call an operation. */
export function authorizeDescribed(
  { services, rights }: Pick<GraphqlEndpoint, 'services' | 'rights'>,
  client: Client,
  { service, name, field, bound }: DescribedOperation,
): void {
  authorizeCall(client, services.get(service), bound.operation);
  if (rights?.of(client).forbids(ruleOf(field)) === true)
    throw new Refusal('FORBIDDEN', 'a field', { found: `${service}.${name}` });
}

export function mayCall(...asked: Parameters<typeof authorizeDescribed>): boolean {
  try {
    authorizeDescribed(...asked);
    return true;
  } catch (caught) {
    if (caught instanceof Refusal) return false;
    throw caught;
  }
}
