import type { Client } from '../access/client.js';
import { Refusal } from '../base/refusal.js';
import type { Budgets, Denied } from '../budget/budget.js';
import type { SoapService } from '../compile/service.js';
import type { Operation } from '../wsdl/model.js';

/** Who is calling, and what its points are taken from. */
export interface Purse {
  readonly client: Client;
  readonly budgets: Budgets;
}

/**
 * Lets one SOAP call pass, once: the client may call the operation, and its budget has the points. Asked as soon as the
 * operation is known, and before the backend hears of it.
 */
export class Turnstile {
  readonly #purse: Purse;
  readonly #service: SoapService;
  #hasPassed = false;

  constructor(purse: Purse, service: SoapService) {
    this.#purse = purse;
    this.#service = service;
  }

  /** Null for an operation that is not known. Throws `FORBIDDEN` or `RATE_LIMITED`. */
  pass(operation: Operation | null): void {
    if (this.#hasPassed) return;
    const { client, budgets } = this.#purse;
    permit(client, this.#service.name, operation?.name ?? null);
    if (client.budget !== null) {
      const taken = budgets.take(client, this.#service.weightOf(operation));
      if (!taken.isGranted) throw rateLimited(taken);
    }
    this.#hasPassed = true;
  }
}

/** Throws `FORBIDDEN`. The operation is the one that will be called, whatever the request called it. */
export function permit(client: Client, service: string, operation: string | null): void {
  const { rights } = client;
  if (!rights.permitsAll && !rights.permits(service, operation)) throw new Refusal('FORBIDDEN');
}

/** What a client without points hears. Whole seconds: clients do not understand less (RFC 9110 section 10.2.3). */
export function rateLimited({ retryAfterMillis }: Denied): Refusal {
  const retryAfter = retryAfterMillis === null ? null : String(Math.max(1, Math.ceil(retryAfterMillis / 1000)));
  return new Refusal('RATE_LIMITED', null, { retryAfter });
}
