import type { Client, DecidedClaims, MessageSender } from '../../access/client.js';
import type { Budgets, Denied } from '../../budget/budget.js';
import type { KnownOperation } from '../../compile/soap/operations/request-group.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, scopeRules } from '../../core/index.js';
import type { fieldRights } from '../../graphql/index.js';
import type { Operation } from '../../wsdl/index.js';

/** The client of a request, and the budgets. */
export interface Caller {
  readonly client: Client;
  readonly budgets: Budgets;
}

/** The client of an HTTP request, which its message may name. */
export interface MessageCaller extends Caller {
  /**
   * Makes `client` the client of the sender, whose message is verified. Throws `FORBIDDEN`,
   * `RATE_LIMITED`.
   */
  becomeSender(sender: MessageSender): void;
  /** Has `decided` for what is done for this request from now on. */
  takeClaims(decided: DecidedClaims | null): void;
}

/** The caller of one operation, with what a decision point has said about it. */
export const withClaims = (caller: Caller, decided: DecidedClaims | null): Caller =>
  decided === null ? caller : { ...caller, client: { ...caller.client, decided } };

/**
 * Lets one SOAP call pass, once: the client may call the operation, and its budget has the points.
 * Called as soon as the operation is known, and before anything is sent to the backend.
 */
export class CallGuard {
  readonly #caller: MessageCaller;
  readonly #service: SoapService;
  readonly #closed: ReadonlyMap<string, fieldRights.FieldRule>;
  readonly #isConsulted: boolean;
  #hasPassed = false;

  /**
   * `closed`: by `service.operation`, what callers need for the replies. `isConsulted`: a decision
   * point is asked as well.
   */
  constructor(
    caller: MessageCaller,
    service: SoapService,
    closed: ReadonlyMap<string, fieldRights.FieldRule>,
    isConsulted: boolean,
  ) {
    this.#caller = caller;
    this.#closed = closed;
    this.#service = service;
    this.#isConsulted = isConsulted;
  }

  /** There are operations of the service that the client may not call. */
  get isRestricted(): boolean {
    const { client } = this.#caller;
    const { name, requirements } = this.#service;
    return (
      !client.rights.permits(name, null) ||
      (requirements.size > 0 && lacksSome(client, requirements)) ||
      this.#refusesReplies(null)
    );
  }

  /** The client is not known before the message is verified. */
  get awaitsSender(): boolean {
    return this.#caller.client.clientOfSender !== null;
  }

  /** The message has proved its sender. Throws `FORBIDDEN`, `RATE_LIMITED`. */
  becomeSender(sender: MessageSender): void {
    if (this.awaitsSender) {
      this.#caller.becomeSender(sender);
    }
  }

  /** The client surely has the right to the operation, so that a refusal may tell of it. */
  maySee({ name }: Operation): boolean {
    const { client } = this.#caller;
    const requirement = this.#service.requirements.get(name);
    if (this.#isConsulted || !client.rights.permits(this.#service.name, name)) return false;
    return requirement === undefined || scopeRules.isMet(requirement, client);
  }

  /** Null for an operation that is not known. Throws `FORBIDDEN` or `RATE_LIMITED`. */
  authorizeAndCharge(known: KnownOperation | null): void {
    if (this.#hasPassed) return;
    const { weightOf } = this.#service;
    authorizeMessage(this.#caller.client, this.#service, known);
    if (this.#refusesReplies(known)) {
      const { name } = this.#service;
      const found = known === null ? name : `${name}.${known.operation.name}`;
      throw new Refusal('FORBIDDEN', RESTRICTED_REPLY, { found });
    }
    charge(
      this.#caller,
      known === null ? weightOf(null) : Math.max(...known.candidates.map(weightOf)),
    );
    this.#hasPassed = true;
  }

  /** Whether the reply may hold a field that the client may not read as it is. */
  #refusesReplies(known: KnownOperation | null): boolean {
    if (this.#closed.size === 0) return false;
    const { client } = this.#caller;
    const { operations, name: service } = this.#service;
    return (known?.candidates ?? operations).some(({ name }) => {
      const rule = this.#closed.get(`${service}.${name}`);
      if (rule === undefined) return false;
      return (
        rule.masks.has(client.className) ||
        (rule.requires !== null && !scopeRules.isMet(rule.requires, client))
      );
    });
  }
}

/** For the log: the key that decides it, and why. */
const RESTRICTED_REPLY =
  'the reply may hold a field that needs a scope or is masked: schema.restrictedReplies is refuse';

const lacksSome = (client: Client, requirements: SoapService['requirements']): boolean =>
  [...requirements.values()].some((requirement) => !scopeRules.isMet(requirement, client));

/**
 * Throws `FORBIDDEN`. The operation is the one that will be called, whatever the request called it.
 */
export function authorize(client: Client, service: string, operation: string | null): void {
  if (!isPermitted(client, service, operation)) {
    throw new Refusal('FORBIDDEN', null, { found: nameOf(service, operation) });
  }
}

const isPermitted = ({ rights }: Client, service: string, operation: string | null): boolean =>
  rights.permitsAll || rights.permits(service, operation);

const nameOf = (service: string, operation: string | null): string =>
  operation === null ? service : `${service}.${operation}`;

/** A right that a client lacks, as facts of a refusal. */
interface MissingRight {
  readonly detail: 'scopes' | null;
  readonly found: string;
}

/**
 * Authorizes a message for each operation that the backend may read in it, and for what each
 * requires. An operation that is not known may be any of the service. Throws `FORBIDDEN`.
 */
function authorizeMessage(
  client: Client,
  service: SoapService,
  known: KnownOperation | null,
): void {
  const missing = missingRight(client, service, known);
  if (missing !== null) throw new Refusal('FORBIDDEN', missing.detail, { found: missing.found });
}

/** The first right that a message needs and the client lacks; null where it lacks none. */
function missingRight(
  client: Client,
  service: SoapService,
  known: KnownOperation | null,
): MissingRight | null {
  const names: readonly (string | null)[] =
    known === null ? [null] : known.candidates.map(({ name }) => name);
  for (const name of names) {
    if (!isPermitted(client, service.name, name)) {
      return { detail: null, found: nameOf(service.name, name) };
    }
  }
  const { requirements } = service;
  if (requirements.size === 0) return null;
  for (const [name, requirement] of requirements) {
    if ((known === null || names.includes(name)) && !scopeRules.isMet(requirement, client)) {
      return { detail: 'scopes', found: nameOf(service.name, name) };
    }
  }
  return null;
}

/**
 * Authorizes a GraphQL field: it calls one operation, which the backend may take for another.
 * Throws `FORBIDDEN`.
 */
export function authorizeCall(
  client: Client,
  service: SoapService | undefined,
  operation: Operation,
): void {
  const known = presentService(service);
  authorizeMessage(client, known, known.requests.called(operation));
}

/** Whether `authorizeCall` lets the client pass. */
export function mayMakeCall(
  client: Client,
  service: SoapService | undefined,
  operation: Operation,
): boolean {
  const known = presentService(service);
  return missingRight(client, known, known.requests.called(operation)) === null;
}

function presentService(service: SoapService | undefined): SoapService {
  if (service === undefined) throw new Error('an operation of a service that is not there');
  return service;
}

/** Points of a request that calls no operation: a plain route, a WSDL, a page. */
const OTHER_POINTS = 1;

/** Lets a request pass that calls no operation. Throws `FORBIDDEN` or `RATE_LIMITED`. */
export function authorizeAndChargeOther(caller: Caller, mayPass: boolean): void {
  if (!mayPass) throw new Refusal('FORBIDDEN');
  charge(caller, OTHER_POINTS);
}

/** Throws `RATE_LIMITED`. */
export function charge({ client, budgets }: Caller, points: number): void {
  if (client.budget === null) return;
  const taken = budgets.take(client, points);
  if (!taken.isGranted) throw rateLimited(taken);
}

/**
 * The refusal of a client without points. Whole seconds: clients do not understand less (RFC 9110
 * section 10.2.3).
 */
export function rateLimited({ retryAfterMillis }: Denied): Refusal {
  const retryAfter =
    retryAfterMillis === null ? null : String(Math.max(1, Math.ceil(retryAfterMillis / 1000)));
  return new Refusal('RATE_LIMITED', null, { retryAfter });
}
