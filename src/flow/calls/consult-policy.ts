import type { DecidedClaims } from '../../access/client.js';
import { type Policy, type PolicyInput, policyClient } from '../../access/policy.js';
import type { KnownOperation } from '../../compile/soap/operations/request-group.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { Caller } from './authorize.js';
import type { HttpExchange } from './http-exchange.js';

/**
 * Asks the decision point about a request, and resolves to what it says about the caller; null for
 * nothing. Rejects with `FORBIDDEN`.
 */
export async function consultPolicy(
  policy: Policy,
  { client }: Caller,
  exchange: Exchange,
  about: Omit<PolicyInput, 'client' | 'address' | 'method'>,
): Promise<DecidedClaims | null> {
  const { client: address, method, observer } = exchange;
  const { result, claims, reason } = await policy.decide(
    { client: policyClient(client), address, method, ...about },
    observer,
  );
  exchange.policyResults ??= [];
  exchange.policyResults.push(result);
  if (policy.permits(result)) return claims;
  throw new Refusal('FORBIDDEN', result === 'failed' ? 'no decision' : 'decision point', {
    found: 'clients.authorize',
    ...(reason === null ? {} : { text: reason }),
  });
}

/**
 * Asks about a request that calls no operation; `service` is null for a plain route. Rejects with
 * `FORBIDDEN`.
 */
export async function consultAboutPath(
  policy: Policy | null,
  { caller, exchange }: Pick<HttpExchange, 'caller' | 'exchange'>,
  service: string | null,
  path: string,
): Promise<void> {
  if (policy === null) return;
  const about = {
    protocol: 'http',
    service,
    operation: null,
    operations: [],
    fields: [],
    path,
  } as const;
  await consultPolicy(policy, caller, exchange, about);
}

/**
 * Asks about the operation of a SOAP message, and all others that the backend may read in it; null
 * without a policy.
 */
export const soapConsultation = (
  policy: Policy | null,
  { caller, exchange }: Pick<HttpExchange, 'caller' | 'exchange'>,
  { name: service }: SoapService,
): ((known: KnownOperation | null) => Promise<void>) | null =>
  policy === null
    ? null
    : async (known) => {
        const claims = await consultPolicy(policy, caller, exchange, {
          protocol: 'soap',
          service,
          operation: known?.operation.name ?? null,
          operations: known?.candidates.map(({ name }) => `${service}.${name}`) ?? [],
          fields: [],
        });
        caller.takeClaims(claims);
      };
