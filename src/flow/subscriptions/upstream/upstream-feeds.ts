import { performance } from 'node:perf_hooks';
import { TIMER_MAX } from '../../../access/expiry.js';
import type { RequestContext } from '../../../codec/index.js';
import type {
  GraphqlUpstream,
  UpstreamSubscriptions,
} from '../../../compile/graphql/graphql-upstream.js';
import { type observing, refuseByLimit } from '../../../core/index.js';
import type { subschemas } from '../../../graphql/index.js';
import {
  authentication,
  breaker,
  type Connector,
  DEFAULT_CALLS,
  dial,
  type TimeoutKeys,
  Upstream,
} from '../../../upstream/index.js';
import { forwarded, viaOf } from '../../graphql/upstream-call.js';
import { Feed, type FeedSink } from './feed.js';
import { feedOverEvents } from './over-events.js';
import { feedOverSocket } from './over-socket.js';

/** All subscriptions of this process at services that speak GraphQL. */
export class UpstreamFeeds {
  readonly #byService: ReadonlyMap<string, ServiceFeeds>;

  constructor(services: Iterable<GraphqlUpstream>, pingMillis: number) {
    const feeds = [...services].flatMap((service): [string, ServiceFeeds][] =>
      service.subscriptions === null
        ? []
        : [[service.name, new ServiceFeeds(service, service.subscriptions, pingMillis)]],
    );
    this.#byService = new Map(feeds);
  }

  /** Connections for subscriptions at a service, those that are about to close included. */
  active(service: string): number {
    return this.#byService.get(service)?.open ?? 0;
  }

  /** The state of the breaker of a service: its subscriptions may fail while its calls do not. */
  breakerState(service: string): breaker.BreakerState {
    return this.#byService.get(service)?.breakerState ?? 'closed';
  }

  /**
   * Subscribes, for a request that is observed or not; the answer leaves. Throws `POOL_EXHAUSTED`,
   * `CIRCUIT_OPEN`.
   */
  open(
    service: string,
    request: subschemas.SubschemaRequest,
    headers: RequestContext['headers'],
    sink: FeedSink,
    of: observing.RequestObserver | null,
  ): () => void {
    const feeds = this.#byService.get(service);
    if (feeds === undefined) throw new Error('a subscription of a service that has none');
    return feeds.subscribe(request, headers, sink, of);
  }

  /** Ends those that are left. */
  async close(): Promise<void> {
    await Promise.all([...this.#byService.values()].map((feeds) => feeds.close()));
  }
}

/** The subscriptions at one service. */
class ServiceFeeds {
  readonly #service: GraphqlUpstream;
  readonly #subscriptions: UpstreamSubscriptions;
  readonly #pingMillis: number;
  readonly #breaker: breaker.Breaker;
  /**
   * With permits of its own: streams would hold those of calls for ever. Null where WebSockets are
   * spoken.
   */
  readonly #upstream: Upstream | null;
  /** The connectors of WebSockets, by URL. */
  readonly #connectors: ReadonlyMap<string, Connector>;
  readonly #feeds = new Set<Feed>();
  #open = 0;
  #next = 0;

  constructor(service: GraphqlUpstream, subscriptions: UpstreamSubscriptions, pingMillis: number) {
    const { remote, upstream } = service.limits;
    this.#service = service;
    this.#subscriptions = subscriptions;
    this.#pingMillis = pingMillis;
    this.#breaker = new breaker.Breaker(
      upstream.breakerFailures,
      upstream.breakerMillis,
      remote.subscriptions,
    );
    const limits = {
      ...upstream,
      connections: remote.subscriptions,
      pending: 0,
      headersMillis: remote.acceptMillis,
      idleMillis: remote.silenceMillis,
      // They have no end.
      totalMillis: TIMER_MAX,
      // Theirs would wait for the end of a stream.
      breakerFailures: 0,
    };
    this.#upstream =
      subscriptions.protocol === 'sse'
        ? new Upstream(subscriptions.urls, limits, {
            ...service.reach,
            credentials: authentication.lend(service.reach.credentials),
            calls: { ...DEFAULT_CALLS, pace: service.reach.calls.pace },
            timeoutKeys: TIMEOUT_KEYS,
          })
        : null;
    const { routeTo } = service.reach;
    this.#connectors = new Map(
      subscriptions.protocol === 'sse'
        ? []
        : subscriptions.urls.map((url) => [
            url,
            dial.makeConnector(upstream, dial.forWebSocket(routeTo(new URL(url)))),
          ]),
    );
  }

  get open(): number {
    return this.#open;
  }

  get breakerState(): breaker.BreakerState {
    return this.#breaker.stateAt(performance.now());
  }

  subscribe(
    request: subschemas.SubschemaRequest,
    callerHeaders: RequestContext['headers'],
    sink: FeedSink,
    of: observing.RequestObserver | null,
  ): () => void {
    const { acceptMillis, eventBytes, responseDepth, responseValues, subscriptions } =
      this.#service.limits.remote;
    const nowMillis = performance.now();
    if (this.#open >= subscriptions) {
      throw refuseByLimit('POOL_EXHAUSTED', 'limits.remote.subscriptions', subscriptions);
    }
    if (!this.#breaker.admits(nowMillis))
      throw breaker.breakerOpen(this.#breaker.restMillis(nowMillis));
    this.#open++;
    let epoch: number | null = this.#breaker.begin();
    const feed: Feed = new Feed({
      acceptMillis,
      sink,
      outcome: (outcome) => {
        this.#breaker.end(epoch ?? this.#breaker.begin(), outcome, performance.now());
        epoch = null;
      },
      closed: () => {
        this.#open--;
        this.#feeds.delete(feed);
      },
    });
    this.#feeds.add(feed);
    const { fields } = forwarded(this.#service, callerHeaders, null);
    // Without the way of the caller: callers share feeds.
    const headers = [...fields, ...viaOf(this.#service, undefined)];
    // In the message the answer stands in an object of its own.
    const bounds = { depth: responseDepth + 1, values: responseValues + 8 };
    const { urls, connectionParams } = this.#subscriptions;
    const observer =
      of?.call(this.#service.name, 'subscription', this.#upstream === null ? 'GET' : 'POST') ??
      null;
    if (this.#upstream !== null) {
      feedOverEvents({
        feed,
        upstream: this.#upstream,
        request,
        headers,
        observer,
        eventBytes,
        bounds,
      });
    } else {
      const url = urls[this.#next++ % urls.length] ?? '';
      const pingMillis = this.#pingMillis;
      const { fields, credentials } = this.#service.reach;
      const connect =
        this.#connectors.get(url) ?? dial.makeConnector(this.#service.limits.upstream);
      feedOverSocket({
        feed,
        url,
        request,
        headers: authentication.withFields(headers, fields),
        observer,
        credentials,
        connect,
        connectionParams,
        eventBytes,
        bounds,
        pingMillis,
      });
    }
    return () => feed.leave();
  }

  async close(): Promise<void> {
    for (const feed of [...this.#feeds]) {
      feed.leave();
    }
    await this.#upstream?.close();
  }
}

const TIMEOUT_KEYS: TimeoutKeys = {
  connectMillis: 'limits.upstream.connectMillis',
  headersMillis: 'limits.remote.acceptMillis',
  idleMillis: 'limits.remote.silenceMillis',
  headerBytes: 'limits.upstream.headerBytes',
};
