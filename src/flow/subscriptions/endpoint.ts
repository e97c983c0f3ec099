import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client, CallerIdentity as Credentials, ProofState } from '../../access/client.js';
import type { LiveClient } from '../../access/live-client.js';
import type { LiveClients } from '../../access/live-clients.js';
import { beginExchange } from '../../access/network/address.js';
import type { Budgets } from '../../budget/budget.js';
import type { Compiled } from '../../compile.js';
import { asRefusal, type eventBus, Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { PollSharing } from '../../gateway/shared/poll-sharing.js';
import { dropInvalidContext } from '../../gateway/trace-headers.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { Observers } from '../calls/observation.js';
import { exactOrigins, originOf } from '../graphql/cors.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { checkHead } from '../http/head.js';
import { type HostCheck, makeHostCheck } from '../http/host-check.js';
import { readTarget } from '../http/target.js';
import { type SubscriptionHooks, SubscriptionManager } from './sources/subscription-manager.js';
import { answerEvents } from './transports/event-stream.js';
import type { ProtocolParts } from './transports/socket-parts.js';
import { makeProtocol } from './transports/socket-protocol.js';
import { WebSockets } from './transports/web-socket.js';
import { UpstreamFeeds } from './upstream/upstream-feeds.js';

export interface SubscriptionsHooks extends SubscriptionHooks {
  readonly budgets: Budgets;
  readonly liveClients: LiveClients;
  /** The endpoint of the generation in which requests begin. */
  readonly present: () => SubscriptionsEndpoint;
  readonly checkAdmission: () => void;
  readonly pollSharing: PollSharing | null;
  readonly proofs: ProofState;
}

/** Serves exchanges of more than one answer: subscriptions, over any transport, and WebSockets. */
export class SubscriptionsEndpoint {
  readonly manager: SubscriptionManager;
  /** The operations that services post to the callback addresses. */
  readonly callbacks: Observers;
  readonly sockets: WebSockets;
  /** Subscriptions at services that speak GraphQL. */
  readonly feeds: UpstreamFeeds;
  readonly #compiled: Compiled;
  readonly #endpoint: GraphqlEndpoint;
  readonly #hooks: SubscriptionsHooks;
  readonly #checkHost: HostCheck;
  readonly #origins: ReadonlySet<string>;
  readonly #protocolParts: ProtocolParts;

  constructor(
    compiled: Compiled,
    endpoint: GraphqlEndpoint,
    bus: eventBus.EventBus,
    hooks: SubscriptionsHooks,
  ) {
    const { config, graph } = compiled;
    const { subscriptions: limits, codec, http } = config.limits;
    this.#compiled = compiled;
    this.#endpoint = endpoint;
    this.#hooks = hooks;
    const { subscriptions, topics } = graph.subscriptions;
    this.feeds = new UpstreamFeeds(compiled.graphqlUpstreams, limits.pingMillis);
    const { feeds } = this;
    const { pollSharing } = hooks;
    this.manager = new SubscriptionManager({
      endpoint,
      subscriptions,
      feeds,
      bus,
      limits,
      pollSharing,
      hooks,
    });
    this.callbacks = new Observers(topics, 'callback', bus, {
      codec,
      eventBytes: limits.eventBytes,
    });
    const header = config.clients?.apiKeys?.header.toLowerCase();
    this.#protocolParts = {
      ...hooks,
      endpoint,
      manager: this.manager,
      limits,
      credentials: new Set(['authorization', 'dpop', ...(header === undefined ? [] : [header])]),
      trustedProxies: compiled.trustedProxies,
      rules: compiled,
      note: (exchange, caller) => this.#note(exchange, caller.client),
    };
    const protocol = makeProtocol(limits.initMillis, () => hooks.present().#protocolParts);
    this.sockets = new WebSockets(protocol, { ...limits, stallMillis: http.stallMillis });
    this.#checkHost = makeHostCheck(compiled);
    const { origins, cors } = config.graphql;
    this.#origins = exactOrigins([...origins, ...(cors?.origins ?? []), config.publicUrl ?? '']);
  }

  /**
   * Answers a request of a client that takes server-sent events. `credentials` are those that have
   * identified it. `subscribed`: nothing is done for it but for events.
   */
  answerEvents(
    asked: HttpExchange,
    credentials: () => Credentials,
    subscribed: () => void,
  ): Promise<void> {
    const watch = (): LiveClient =>
      this.#hooks.liveClients.open(credentials, asked.caller.client, this.#compiled);
    return answerEvents(this.#endpoint, this.manager, asked, { watch, subscribed });
  }

  /** Whether a request asks for a WebSocket where there is one. */
  wants({ method, url = '', headers }: IncomingMessage): boolean {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
    const mark = url.indexOf('?');
    return (mark < 0 ? url : url.slice(0, mark)) === this.#compiled.graph.path;
  }

  /** Opens the WebSocket; or returns the refusal. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): Refusal | null {
    try {
      checkHead(request, this.#compiled.limits.http);
      this.#compiled.via.check(request.headers.via);
      this.#checkHost(readTarget(request).path, request);
      if (!this.#mayCome(request)) {
        throw new Refusal('HTTP_ORIGIN', null, { found: request.headers.origin ?? null });
      }
      this.#hooks.checkAdmission();
    } catch (caught) {
      return asRefusal(caught);
    }
    dropInvalidContext(request.headers);
    const address = request.socket.remoteAddress ?? '';
    const exchange = beginExchange(
      { headers: request.headers, address },
      'GET',
      this.#compiled.trustedProxies,
    );
    exchange.route = 'graphql';
    exchange.operation = 'websocket';
    exchange.status = 101;
    if (!this.sockets.open(request, socket, head)) {
      return new Refusal('HTTP_BAD_REQUEST', 'handshake');
    }
    this.#hooks.finish(exchange);
    return null;
  }

  /** Ends every subscription, then every WebSocket, on both sides. */
  async close(): Promise<void> {
    this.manager.close();
    // Messages at the ends of subscriptions are sent before the close frame.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    await Promise.all([this.sockets.close(), this.feeds.close()]);
  }

  /**
   * Pages of other sites can open WebSockets with the user's cookies and certificates; browsers
   * send their origin.
   */
  #mayCome({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined) return true;
    const parsed = originOf(origin);
    if (parsed === null) return false;
    return this.#origins.has(parsed) || new URL(parsed).host === host?.toLowerCase();
  }

  #note(exchange: Exchange, client: Client): void {
    if (this.#compiled.identifiesClients) {
      exchange.identify(client);
    }
  }
}
