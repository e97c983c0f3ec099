import type { Client } from '../../access/client.js';
import { Refusal } from '../../core/index.js';
import { type DescribedOperation, fieldRights } from '../../graphql/index.js';
import { authorizeCall, mayMakeCall } from '../calls/authorize.js';
import type { GraphqlEndpoint } from './endpoint.js';

type Guarded = Pick<GraphqlEndpoint, 'services' | 'rights'>;

/** Throws `FORBIDDEN` where the client may not call an operation. */
export function authorizeDescribed(
  endpoint: Guarded,
  client: Client,
  described: DescribedOperation,
): void {
  const { service, name, bound } = described;
  authorizeCall(client, endpoint.services.get(service), bound.operation);
  if (isFieldForbidden(endpoint, client, described)) {
    throw new Refusal('FORBIDDEN', 'a field', { found: `${service}.${name}` });
  }
}

/** Whether `authorizeDescribed` lets the client pass. */
export const mayCall = (
  endpoint: Guarded,
  client: Client,
  described: DescribedOperation,
): boolean =>
  mayMakeCall(client, endpoint.services.get(described.service), described.bound.operation) &&
  !isFieldForbidden(endpoint, client, described);

const isFieldForbidden = (
  { rights }: Guarded,
  client: Client,
  { field }: DescribedOperation,
): boolean => rights?.of(client).forbids(fieldRights.ruleOf(field)) === true;
