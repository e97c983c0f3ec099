import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

import type { Client } from '../access/client.js';
import type { Exchange } from '../base/exchange.js';
import { asRefusal, Refusal } from '../base/refusal.js';
import type { Grant } from '../budget/budget.js';
import type { Decoded } from '../codec/plan/plan.js';
import { InputError } from '../codec/write/input-error.js';
import type { RequestContext } from '../codec/write/source.js';
import type { RemoteUpstream } from '../compile/remote-upstream.js';
import type { SoapService } from '../compile/service.js';
import type { Compiled } from '../compile.js';
import { MemoryPersistedStore, type PersistedStore } from '../graphql/document/documents.js';
import { limitOf } from '../graphql/document/scale.js';
import {
  admissionOf,
  createGraphqlHandler,
  type GraphqlContext,
  type GraphqlHandler,
  type GraphqlResponse,
} from '../graphql/http.js';
import type { Admission, Admitted } from '../graphql/run/admit.js';
import type { FieldCall } from '../graphql/run/field-call.js';
import type { GraphqlRequest } from '../graphql/run/params.js';
import { PersistedDocuments } from '../graphql/run/persisted.js';
import { type PlannedSchema, rootPlanOf } from '../graphql/run/root-plan.js';
import { AnswerLifetime } from './answer-lifetime.js';
import { turnOfLong } from './body/lane.js';
import { endLingering } from './body/linger.js';
import { callOperation } from './call.js';
import { type Purse, permit, rateLimited } from './charge.js';
import type { Ending } from './ending.js';
import { readBody } from './graphql-body.js';
import type { Observers } from './observation.js';
import { permitRemote } from './permit-remote.js';
import { Places, type Room } from './places.js';
import { sendOperation } from './remote.js';
import { SharedCalls } from './shared-calls.js';
import type { Tarpit } from './tarpit.js';

/** The one GraphQL endpoint over all services. */
export interface GraphqlDoor {
  readonly handler: GraphqlHandler;
  /** The same for every transport. */
  readonly admission: Admission;
  /** Finds the documents that requests only name, over whatever transport. */
  readonly persisted: PersistedDocuments;
  readonly built: PlannedSchema;
  readonly services: ReadonlyMap<string, SoapService>;
  readonly remotes: ReadonlyMap<string, RemoteUpstream>;
  readonly bodyBytesMax: number;
  readonly codec: Compiled['config']['limits']['codec'];
  /** All callers may ask what each field costs. */
  readonly costBreakdown: boolean;
  /** The same for SOAP callers. */
  readonly calls: SharedCalls;
  /** Who may have an answer depends on who asks. */
  readonly isPrivate: boolean;
  /** Of what passes this door; null where nothing is looked at. */
  readonly observers: Observers | null;
  /** Where refusals wait of those who get too many. */
  readonly tarpit: Tarpit;
  /** Of the requests of each client, by whatever door. */
  readonly places: Places;
}

export function makeGraphqlDoor(
  { config, graph, services, remotes, trusted, caching, cache }: Compiled,
  tarpit: Tarpit,
  observers: Observers | null = null,
  share: (local: PersistedStore) => PersistedStore = (local) => local,
): GraphqlDoor {
  const { limits, graphql } = config;
  const store = graphql.persisted.automatic ? share(new MemoryPersistedStore(limits.persisted)) : null;
  const persisted = new PersistedDocuments(trusted, store, limits.persisted);
  const options = {
    built: graph,
    limits: limits.graphql,
    measured: graphql.measure,
    introspection: graphql.introspection,
    batch: graphql.batch,
    persisted,
    trusted,
  };
  const admission = admissionOf(options);
  return {
    handler: createGraphqlHandler(options, admission),
    admission,
    persisted,
    built: graph,
    services: new Map(services.map((service) => [service.name, service])),
    remotes: new Map(remotes.map((service) => [service.name, service])),
    bodyBytesMax: limits.graphql.bodyBytes,
    codec: limits.codec,
    costBreakdown: graphql.costBreakdown,
    calls: new SharedCalls(caching, cache),
    isPrivate:
      config.clients?.classes !== undefined || services.some((service) => service.config.callerHeaders.length > 0),
    observers,
    tarpit,
    places: new Places(),
  };
}

/** The header field by which callers ask what each field costs. */
const BREAKDOWN = 'soapstone-cost-breakdown';

const mayAsk = ({ costBreakdown }: GraphqlDoor, { rights }: Client): boolean => costBreakdown || rights.costBreakdown;

/** What a request says of what it asks for, and how it asks to be answered. */
type Asked = Pick<GraphqlRequest, 'headers' | 'body'>;

/** Answers one GraphQL request over HTTP. Rejects when the client has gone, or with a bug. */
export async function answerGraphql(
  door: GraphqlDoor,
  purse: Purse,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  ending: Ending,
  { headers: asked, body }: Asked = {
    headers: request.headers,
    body: () => readBody(door.bodyBytesMax, exchange, request, response),
  },
): Promise<void> {
  exchange.route = 'graphql';
  const departure = new AbortController();
  ending.onGone(() => departure.abort());
  const { signal } = departure;
  const lifetime = new AnswerLifetime(door.isPrivate);
  let readMillis = 0;
  let waitedMillis = 0;
  const turn = async (): Promise<void> => {
    const fromMillis = performance.now();
    await turnOfLong(exchange.client);
    waitedMillis += performance.now() - fromMillis;
  };
  const text = async (): Promise<string> => {
    const read = await body();
    readMillis = performance.now();
    return read;
  };
  const answer = await door.handler(
    { method: request.method ?? '', url: request.url ?? '', headers: asked, body: text },
    contextOf(door, purse, exchange, { signal, headers: request.headers, lifetime, turn }),
  );
  if (signal.aborted) throw new Refusal('CLIENT_GONE');
  const { refusal } = exchange;
  if (refusal?.isOfCaller === true) {
    // What waited for a backend, or for its turn, was no work.
    const isWork = readMillis > 0 && exchange.upstreamCalls === 0;
    const workMillis = isWork ? performance.now() - readMillis - waitedMillis : 0;
    const held = door.tarpit.hold(request.socket, exchange.bytesIn, workMillis);
    if (held !== null) await held;
  }
  const { status, headers } = answer;
  const bytes = Buffer.from(answer.body ?? '');
  exchange.status = status;
  exchange.bytesOut = bytes.length;
  const fields = Object.entries(headers).flat();
  const control = lifetimeOf(answer, exchange, lifetime);
  fields.push('cache-control', control);
  // What the caller chooses.
  if (control !== 'no-store') fields.push('vary', mayAsk(door, purse.client) ? `accept, ${BREAKDOWN}` : 'accept');
  endLingering(request, response, status, [...fields, 'content-length', String(bytes.length)], bytes);
}

/** The same answer again is only as good as this one if nothing went wrong, and nothing was changed. */
function lifetimeOf(
  { status, body }: GraphqlResponse,
  { operation, refusal }: Exchange,
  lifetime: AnswerLifetime,
): string {
  const isGood = status === 200 && operation === 'query' && refusal === null && body?.includes('"errors":') === false;
  return isGood ? lifetime.field : 'no-store';
}

/** What one operation of a client has to do with the rest of the gateway, over whatever transport it came. */
export function contextOf(
  door: GraphqlDoor,
  purse: Purse,
  exchange: Exchange,
  { signal, headers, lifetime = null, turn = null }: OperationContext,
): GraphqlContext {
  const { client, budgets } = purse;
  let grant: Grant | null = null;
  let room: Room | null = null;
  return {
    signal,
    id: exchange.id,
    turn,
    callField: (field) => callField(door, exchange, { signal, headers, client, lifetime }, field),
    sendRemote: async (request) => {
      lifetime?.part(0, true);
      const service = door.remotes.get(request.service);
      if (service === undefined) throw new Error('a field of a service that is not there');
      permitRemote(client, request, service.remote.schema);
      return sendOperation(request, { exchange, service, signal, headers });
    },
    admitted: (admitted) => {
      const { operation } = admitted.operation;
      exchange.operation = ['', operation].includes(exchange.operation) ? operation : 'batch';
      exchange.cost = (exchange.cost ?? 0) + admitted.cost;
      if (admitted.exceeded.size > 0) exchange.measuredLimits = [...admitted.exceeded];
      permitAll(door, client, admitted);
      grant = charge(purse, admitted.cost);
    },
    settled: (actualCost) => {
      exchange.actualCost = (exchange.actualCost ?? 0) + actualCost;
      if (grant !== null) budgets.reconcile(grant, actualCost);
    },
    throttle: () => budgets.status(client),
    wantsBreakdown: mayAsk(door, client) && headers[BREAKDOWN] === '1',
    pay: (points) => client.budget === null || budgets.take(client, points).isGranted,
    another: () => {
      room ??= door.places.room(client);
      const own = contextOf(door, purse, exchange, { signal, headers, lifetime, turn });
      return { ...own, enter: async () => room?.enter() };
    },
    refused: (refusal) => {
      exchange.refuse(refusal);
      exchange.exceededLimit = limitOf(refusal);
    },
  };
}

/** Throws `FORBIDDEN` where the operation would call what the client may not: nothing of it runs then. */
function permitAll({ built }: GraphqlDoor, client: Client, admitted: Admitted): void {
  if (client.rights.permitsAll) return;
  const { fields, links } = rootPlanOf(admitted, built);
  const called = [
    ...fields.flatMap(({ call }) => call?.bound ?? []),
    ...[...links.values()].map(({ link }) => link.called),
    ...[...fields.flatMap(({ call }) => call?.ask ?? []), ...[...links.values()].map(({ target }) => target.ask)]
      .flatMap((ask) => (ask.kind === 'remote' ? ask.plan.nested : []))
      .flatMap((name) => built.remotes?.get(name) ?? []),
  ];
  for (const { service, operation } of called) permit(client, service, operation.name);
}

/** Throws `RATE_LIMITED`; what can never be paid is too expensive. Null where nothing is to be paid. */
function charge({ client, budgets }: Purse, points: number): Grant | null {
  if (client.budget === null) return null;
  const taken = budgets.take(client, points);
  if (taken.isGranted) return taken;
  throw taken.retryAfterMillis === null
    ? new Refusal('MAX_COST_LIMIT', 'beyond the budget', { found: points })
    : rateLimited(taken);
}

interface OperationContext {
  readonly signal: AbortSignal;
  readonly headers: RequestContext['headers'];
  /** Null, or not given, where nobody wants to know for how long the answer is good. */
  readonly lifetime?: AnswerLifetime | null;
  /** The same of waiting for the turn of what takes long. */
  readonly turn?: (() => Promise<void>) | null;
}

interface FieldContext extends Omit<OperationContext, 'turn'> {
  readonly client: Client;
}

async function callField(
  door: GraphqlDoor,
  exchange: Exchange,
  { signal, headers, client, lifetime = null }: FieldContext,
  field: FieldCall,
): Promise<Decoded> {
  const service = door.services.get(field.bound.service);
  if (service === undefined) throw new Error('a field of a service that is not there');
  try {
    // Admission has asked. This is what nothing gets past, whatever way a call comes to be.
    permit(client, service.name, field.bound.operation.name);
    return await callOperation(field, {
      exchange,
      service,
      signal,
      headers,
      claims: client.claims,
      limits: door.codec,
      observers: door.observers,
      sharing: { client, calls: door.calls, lifetime },
    });
  } catch (caught) {
    lifetime?.part(0, true);
    // What the caller gave cannot be written: that is told, and nothing went wrong.
    if (!(caught instanceof InputError)) exchange.refuse(asRefusal(caught));
    throw caught;
  }
}
