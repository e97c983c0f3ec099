import { performance } from 'node:perf_hooks';
import { type Client, claimsOf } from '../../access/client.js';
import type { Policy } from '../../access/policy.js';
import type { Grant } from '../../budget/budget.js';
import { type Decoded, InputError, type RequestContext } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, Cancellation, type CancelSignal, Refusal } from '../../core/index.js';
import type { Exchange, FieldDecisions } from '../../gateway/exchange.js';
import {
  admission,
  type BoundField,
  costs,
  type FieldCall,
  type fieldRights,
  type lifecycle,
  run,
  subschemas,
} from '../../graphql/index.js';
import { clientNameIn } from '../../observe/client-name.js';
import type { AnswerLifetime } from '../calls/answer-lifetime.js';
import {
  authorize,
  authorizeCall,
  type Caller,
  rateLimited,
  withClaims,
} from '../calls/authorize.js';
import type { RawFields } from '../calls/caller-fields.js';
import { callerDigest, subjectOf } from '../calls/caller-parts.js';
import { ChosenBackends, markOf } from '../calls/chosen-backends.js';
import { consultPolicy } from '../calls/consult-policy.js';
import type { KeyGroup } from '../calls/declared-call.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { BatchPermits } from '../http/concurrency.js';
import { recordOf } from '../http/connection-record.js';
import { type TaskOwner, waitForTimeSlice } from '../http/fair-scheduler.js';
import { authorizeUpstream } from './authorize-upstream.js';
import { callOperation } from './call.js';
import type { KeyedFields } from './call-context.js';
import { checkCallArguments } from './call-message.js';
import type { GraphqlEndpoint } from './endpoint.js';
import { sendOperation } from './upstream-call.js';

/** How operations reach their backends. */
export interface BackendCalls {
  readonly callField: run.CallField;
  readonly sendToSubschema: subschemas.SendToSubschema;
}

export interface HostOptions {
  /** Aborted when the client has gone. */
  readonly signal: CancelSignal;
  /** Header fields of the caller's request. */
  readonly headers: RequestContext['headers'];
  /**
   * Names and values of these fields as they came; absent or null where they did not come with an
   * HTTP request.
   */
  readonly rawHeaders?: RawFields;
  /** The connection that a document is read from; absent where there is none. */
  readonly connection?: TaskOwner;
  /** Null or absent where the lifetime of the answer is not needed. */
  readonly lifetime?: AnswerLifetime | null;
  /**
   * The header fields came with this operation alone, or with its batch: an idempotency key in them
   * is for it. Absent: not, as those of a WebSocket, which brings many operations.
   */
  readonly isHttpRequest?: boolean;
  /** The name of the endpoint for the decision point; null or absent: GraphQL. */
  readonly protocol?: 'rest' | 'mcp' | null;
  /** Replaces calls that an event answers by itself. */
  answeredBy?(calls: BackendCalls): Partial<BackendCalls>;
}

/** The header field by which callers ask for the cost of each field. */
export const BREAKDOWN = 'soapstone-cost-breakdown';

export const maySeeBreakdown = ({ costBreakdown }: GraphqlEndpoint, { rights }: Client): boolean =>
  costBreakdown || rights.costBreakdown;

/** Connects one operation of a caller to the rest of the gateway, whatever transport carries it. */
export class CallerHost implements lifecycle.RequestHost, lifecycle.ItemHost, KeyedFields {
  readonly id: string;
  readonly signal: CancelSignal;
  readonly wantsBreakdown: boolean;
  readonly isRouter: boolean;
  readonly callField: run.CallField;
  readonly sendToSubschema: subschemas.SendToSubschema;
  readonly rights: fieldRights.FieldRights | null;
  readonly consult: ((admitted: admission.Admitted) => Promise<void>) | null;
  /** Set before the operation runs. */
  ownKey: string | null = null;
  readonly #endpoint: GraphqlEndpoint;
  #caller: Caller;
  readonly #exchange: Exchange;
  readonly #options: HostOptions;
  #grant: Grant | null = null;
  /** The operation that runs; null until it is authorized. */
  #admitted: admission.Admitted | null = null;
  /** The permits that the items of a batch share; null until a batch needs them. */
  #permits: BatchPermits | null;
  /** Null until it calls a service that has two backends. */
  #backends: ChosenBackends | null = null;
  /** The place of the operation in its batch; null without one. */
  readonly #place: run.BatchPlace | null;
  #readMillis = 0;
  #waitedMillis = 0;

  constructor(
    endpoint: GraphqlEndpoint,
    caller: Caller,
    exchange: Exchange,
    options: HostOptions,
    permits: BatchPermits | null = null,
    place: run.BatchPlace | null = null,
  ) {
    const { signal, headers, answeredBy } = options;
    this.id = exchange.id;
    this.signal = signal;
    this.wantsBreakdown = headers[BREAKDOWN] === '1' && maySeeBreakdown(endpoint, caller.client);
    this.isRouter = caller.client.className === endpoint.routerClass;
    this.rights = endpoint.rights?.of(caller.client) ?? null;
    const { policy } = endpoint;
    this.consult = policy === null ? null : (admitted) => this.#consult(policy, admitted);
    this.#endpoint = endpoint;
    this.#caller = caller;
    this.#exchange = exchange;
    this.#options = options;
    this.#permits = permits;
    this.#place = place;
    const calls: BackendCalls = {
      callField: (call) => this.#call(call),
      sendToSubschema: (request) => this.#send(request),
    };
    const { callField, sendToSubschema } =
      answeredBy === undefined ? calls : { ...calls, ...answeredBy(calls) };
    this.callField = callField;
    this.sendToSubschema = sendToSubschema;
  }

  /** The caller, with what a decision point has said about it. */
  get caller(): Caller {
    return this.#caller;
  }

  /** The request is read: from here on it takes time of the event loop. */
  startWork(): void {
    this.#readMillis = performance.now();
  }

  /**
   * The time of the event loop that a refused request took; waiting for a turn or a backend is no
   * work.
   */
  get workMillis(): number {
    const isWork = this.#readMillis > 0 && this.#exchange.upstream.calls === 0;
    return isWork ? performance.now() - this.#readMillis - this.#waitedMillis : 0;
  }

  async turn(): Promise<void> {
    const fromMillis = performance.now();
    await waitForTimeSlice(
      this.#options.connection ?? { address: this.#exchange.client, isPenalised: false },
    );
    this.#waitedMillis += performance.now() - fromMillis;
  }

  authorizeAndCharge(admitted: admission.Admitted): void {
    const exchange = this.#exchange;
    this.#admitted = admitted;
    const { operation, name } = admitted.operation;
    exchange.graphql.operationName = name?.value ?? '';
    this.#noteUse(admitted);
    const isFirst = exchange.operation === '' || exchange.operation === operation;
    exchange.operation = isFirst ? operation : 'batch';
    exchange.graphql.cost = (exchange.graphql.cost ?? 0) + admitted.cost;
    if (admitted.exceeded.size > 0) {
      exchange.measuredLimits = [...admitted.exceeded];
    }
    if (this.rights !== null) {
      this.#recordRules(admitted);
    }
    this.#authorize(admitted);
    this.#grant = this.#charge(admitted);
  }

  async #consult(policy: Policy, admitted: admission.Admitted): Promise<void> {
    const { built } = this.#endpoint.operations;
    // Nothing is asked about what the class may not call.
    this.#authorize(admitted);
    const fields = run.selectedFields(admitted, built);
    if (fields === null) {
      throw new Refusal('FORBIDDEN', 'too many fields for a decision', {
        found: 'clients.authorize',
      });
    }
    const claims = await consultPolicy(policy, this.#caller, this.#exchange, {
      protocol: this.#options.protocol ?? 'graphql',
      service: null,
      operation: admitted.operation.operation,
      operations: run.useOf(admitted, built).calls,
      fields,
    });
    this.#caller = withClaims(this.#caller, claims);
  }

  #recordRules(admitted: admission.Admitted): void {
    const { forbidden, masked } = run.selectedRules(admitted, this.#endpoint.operations.built);
    const found: FieldDecisions[] = [];
    if (forbidden.size > 0) {
      found.push({ decision: 'withheld', of: [...forbidden] });
    }
    if (masked.size > 0) {
      found.push({ decision: 'masked', of: [...masked] });
    }
    if (found.length > 0) {
      this.#exchange.graphql.decisions = [...(this.#exchange.graphql.decisions ?? []), ...found];
    }
  }

  /** For the report of usage. An event counts with its subscription. */
  #noteUse(admitted: admission.Admitted): void {
    const exchange = this.#exchange;
    const { headers } = this.#options;
    exchange.graphql.clientName = clientNameIn(
      headers['graphql-client-name'] ?? headers['apollographql-client-name'],
    );
    exchange.graphql.clientVersion = clientNameIn(
      headers['graphql-client-version'] ?? headers['apollographql-client-version'],
    );
    exchange.graphql.used ??= [];
    exchange.graphql.used.push(run.useOf(admitted, this.#endpoint.operations.built));
  }

  pay(points: number): boolean {
    const { client, budgets } = this.#caller;
    return client.budget === null || budgets.take(client, points).isGranted;
  }

  reconcile(actualCost: number): void {
    this.#exchange.graphql.actualCost = (this.#exchange.graphql.actualCost ?? 0) + actualCost;
    if (this.#grant !== null) {
      this.#caller.budgets.reconcile(this.#grant, actualCost);
    }
  }

  throttle(): run.Throttle | null {
    return this.#caller.budgets.status(this.#caller.client);
  }

  refused(refusal: Refusal): void {
    this.#exchange.refuse(refusal);
    this.#exchange.graphql.exceededLimit = admission.limitOf(refusal);
  }

  item(place: run.BatchPlace | null): lifecycle.ItemHost {
    this.#permits ??= this.#endpoint.concurrency.forBatch(this.#caller.client);
    return new CallerHost(
      this.#endpoint,
      this.#caller,
      this.#exchange,
      this.#options,
      this.#permits,
      place,
    );
  }

  async enter(): Promise<(() => void) | undefined> {
    return this.#permits?.acquire();
  }

  /**
   * Throws `FORBIDDEN` where the operation would call what the client may not: nothing of it runs
   * then.
   */
  #authorize(admitted: admission.Admitted): void {
    const { client } = this.#caller;
    const { built } = this.#endpoint.operations;
    if (this.#endpoint.rejectsUnauthorized) {
      const [field] = run.selectedRules(admitted, built).forbidden;
      if (field !== undefined) throw new Refusal('FORBIDDEN', 'a field', { found: field });
    }
    if (client.rights.permitsAll) return;
    // A call that only some values lead to is checked when it is made.
    for (const each of run.calledFields(admitted, built, false)) {
      if (subschemas.isSubschemaField(each)) {
        authorize(client, each.service, each.operation.name);
      } else {
        authorizeCall(client, this.#endpoint.services.get(each.service), each.operation);
      }
    }
  }

  /**
   * Throws `RATE_LIMITED`; a cost above the maximum is too expensive. Null where nothing is to be
   * paid.
   */
  #charge({ cost: points, estimate: { dearest }, isOpen }: admission.Admitted): Grant | null {
    const { client, budgets } = this.#caller;
    if (client.budget === null) return null;
    const taken = budgets.take(client, points);
    if (taken.isGranted) return taken;
    if (taken.retryAfterMillis !== null) throw rateLimited(taken);
    throw costs.costRefusal(
      { points, dearest, isOpen },
      { key: 'budget.maximum', value: client.budget.maximum },
    );
  }

  checkCall(field: run.CallToCheck): void {
    const { services, codec } = this.#endpoint;
    const service = services.get(field.bound.service);
    if (service === undefined) throw new Error('a field of a service that is not there');
    const { headers } = this.#options;
    checkCallArguments(field, {
      service,
      headers,
      claims: claimsOf(this.#caller.client),
      limits: codec,
    });
  }

  async #call(field: FieldCall): Promise<Decoded> {
    const { services, codec, observers, calls, addresses } = this.#endpoint;
    const { signal, headers, rawHeaders = null, lifetime = null } = this.#options;
    const { client } = this.#caller;
    const exchange = this.#exchange;
    const named = services.get(field.bound.service);
    if (named === undefined) throw new Error('a field of a service that is not there');
    try {
      // Admission has checked it. No call gets past this check, however it is made.
      authorizeCall(client, named, field.bound.operation);
      const { canary } = named;
      const service = canary === null ? named : await this.backends.called(named, canary);
      const claims = claimsOf(client);
      const sharing = { client, calls, lifetime };
      return await callOperation(field, {
        exchange,
        service,
        signal,
        headers,
        rawHeaders,
        claims,
        subject: subjectOf(service, client),
        limits: codec,
        observers,
        sharing,
        keyed: this.#options.isHttpRequest === true ? this : null,
        makeAddress:
          addresses === null ? null : addresses.maker(field, client, headers, markOf(service)),
      });
    } catch (caught) {
      lifetime?.part(0, true);
      // An argument that cannot be written is the caller's error: nothing was sent.
      if (!(caught instanceof InputError)) {
        exchange.refuse(asRefusal(caught));
        exchange.graphql.failedCall = {
          service: named.name,
          operation: field.bound.operation.name,
        };
      }
      throw caught;
    }
  }

  pageOwner(
    { service: name, operation }: BoundField,
    isOf: (owner: string | null) => boolean,
  ): string | null {
    const service = this.#endpoint.services.get(name);
    if (service === undefined) return null;
    const ownerAt = (called: SoapService): string =>
      callerDigest(
        'rows',
        { service: called, operation: operation.name },
        this.#caller.client,
        this.#options.headers,
      );
    const { canary } = service;
    if (canary === null) return ownerAt(service);
    // The rows behind a cursor are those of the backend that it came from.
    for (const each of [canary.byShare, service]) {
      if (isOf(ownerAt(each)) && this.backends.goOnAt(service, canary, markOf(each))) break;
    }
    return ownerAt(this.backends.of(service, canary));
  }

  /** The backends that its calls go to. */
  get backends(): ChosenBackends {
    this.#backends ??= new ChosenBackends(() => ({
      client: this.#caller.client,
      headers: this.#options.headers,
      exchange: this.#exchange,
    }));
    return this.#backends;
  }

  /**
   * Fields of one operation are told apart by their response keys, those of a batch also by its
   * requests.
   */
  groupOf(field: string): KeyGroup | null {
    if (this.#place !== null) {
      const { at, requests } = this.#place;
      const request = requests();
      const callsMax = request.length * this.#endpoint.operations.limits.calls;
      return { request, callsMax, member: `${at} ${field}` };
    }
    const request = this.#keyedFields();
    return request.length > 1 ? { request, callsMax: request.length, member: field } : null;
  }

  /** The response keys of the fields that an idempotency key may be for, in alphabetical order. */
  #keyedFields(): readonly string[] {
    const admitted = this.#admitted;
    if (admitted === null) return [];
    const { services, operations } = this.#endpoint;
    return run
      .rootPlanOf(admitted, operations.built)
      .fields.filter(({ call }) => {
        if (call === null || subschemas.isSubschemaField(call.bound)) return false;
        const { service, operation } = call.bound;
        return services.get(service)?.idempotency.has(operation.name) === true;
      })
      .map(({ key }) => key)
      .sort();
  }

  async #send(request: subschemas.SubschemaRequest): Promise<subschemas.SubschemaReply> {
    const { signal, headers, rawHeaders = null, lifetime = null } = this.#options;
    lifetime?.part(0, true);
    const service = this.#endpoint.graphqlUpstreams.get(request.service);
    if (service === undefined) throw new Error('a field of a service that is not there');
    authorizeUpstream(this.#caller.client, request, service.subschema.schema);
    return sendOperation(request, {
      exchange: this.#exchange,
      service,
      client: this.#caller.client,
      signal,
      headers,
      rawHeaders,
    });
  }
}

/**
 * The host of an operation that one HTTP request brings, and what is aborted when its client has
 * gone.
 */
export function hostOfRequest(
  endpoint: GraphqlEndpoint,
  { caller, exchange, request, ending }: HttpExchange,
  lifetime: AnswerLifetime | null,
  protocol: 'rest' | 'mcp' | null,
): { readonly host: CallerHost; readonly departure: Cancellation } {
  const departure = new Cancellation();
  ending.onGone(() => departure.abort());
  const connection = recordOf(request.socket);
  const { headers, rawHeaders } = request;
  const options: HostOptions = {
    signal: departure,
    headers,
    rawHeaders,
    isHttpRequest: true,
    connection,
    lifetime,
    protocol,
  };
  return { host: new CallerHost(endpoint, caller, exchange, options), departure };
}
