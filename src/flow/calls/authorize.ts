import type { Client } from '../../access/client.js';
import { Refusal } from '../../base/refusal.js';
import type { Budgets, Denied } from '../../budget/budget.js';
import type { KnownOperation } from '../../compile/request-group.js';
import type { SoapService } from '../../compile/service.js';
import type { Operation } from '../../wsdl/model.js';

/** The client of a request, and the budgets. */
export interface Caller {
  readonly client: Client;
  readonly budgets: Budgets;
}

/**
 * Lets one SOAP call pass, once: the client may call the operation, and its budget has the points. Called as soon as the
 * operation is known, and before anything is sent to the backend.
 */
export class CallGuard {
  readonly #caller: Caller;
  readonly #service: SoapService;
  #hasPassed = false;

  constructor(caller: Caller, service: SoapService) {
    this.#caller = caller;
    this.#service = service;
  }

  /** There are operations of the service that the client may not call. */
  get isRestricted(): boolean {
    return !this.#caller.client.rights.permits(this.#service.name, null);
  }

  /** Null for an operation that is not known. Throws `FORBIDDEN` or `RATE_LIMITED`. */
  authorizeAndCharge(known: KnownOperation | null): void {
    if (this.#hasPassed) return;
    const { name, weightOf } = this.#service;
    authorizeMessage(this.#caller.client, name, known);
    charge(this.#caller, known === null ? weightOf(null) : Math.max(...known.candidates.map(weightOf)));
    this.#hasPassed = true;
  }
}

/** Throws `FORBIDDEN`. The operation is the one that will be called, whatever the request called it. */
export function authorize({ rights }: Client, service: string, operation: string | null): void {
  if (rights.permitsAll || rights.permits(service, operation)) return;
  throw new Refusal('FORBIDDEN', null, { found: operation === null ? service : `${service}.${operation}` });
}

/** The same for a message: a right to each operation is needed that the backend may read in it. */
function authorizeMessage(client: Client, service: string, known: KnownOperation | null): void {
  if (known === null) authorize(client, service, null);
  else for (const { name } of known.candidates) authorize(client, service, name);
}

/** The same for a GraphQL field: it calls one operation, which the backend may take for another. */
export function authorizeCall(client: Client, service: SoapService | undefined, operation: Operation): void {
  if (service === undefined) throw new Error('an operation of a service that is not there');
  authorizeMessage(client, service.name, service.requests.called(operation));
}

/** Points of a request that calls no operation: a plain route, a WSDL, a page. */
const OTHER_POINTS = 1;

/** Lets a request pass that calls no operation. Throws `FORBIDDEN` or `RATE_LIMITED`. */
export function authorizeAndChargeOther(caller: Caller, isPermitted: boolean): void {
  if (!isPermitted) throw new Refusal('FORBIDDEN');
  charge(caller, OTHER_POINTS);
}

/** Throws `RATE_LIMITED`. */
function charge({ client, budgets }: Caller, points: number): void {
  if (client.budget === null) return;
  const taken = budgets.take(client, points);
  if (!taken.isGranted) throw rateLimited(taken);
}

/** The refusal of a client without points. Whole seconds: clients do not understand less (RFC 9110 section 10.2.3). */
export function rateLimited({ retryAfterMillis }: Denied): Refusal {
  const retryAfter = retryAfterMillis === null ? null : String(Math.max(1, Math.ceil(retryAfterMillis / 1000)));
  return new Refusal('RATE_LIMITED', null, { retryAfter });
}
