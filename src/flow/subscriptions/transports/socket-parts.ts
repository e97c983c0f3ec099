import type { Socket } from 'node:net';
import type { ProofState } from '../../../access/client.js';
import type { AccessRules, LiveClient } from '../../../access/live-client.js';
import type { LiveClients } from '../../../access/live-clients.js';
import type { Networks } from '../../../access/network/networks.js';
import type { Budgets } from '../../../budget/budget.js';
import type { RequestContext } from '../../../codec/index.js';
import type { CancelSignal } from '../../../core/index.js';
import type { Exchange } from '../../../gateway/exchange.js';
import type { ExchangeObserver } from '../../../observe/exchange-observer.js';
import type { SubscriptionLimits } from '../../../pubsub/limits.js';
import type { Caller } from '../../calls/authorize.js';
import type { GraphqlEndpoint } from '../../graphql/endpoint.js';
import type { SubscriptionManager } from '../sources/subscription-manager.js';
import type { DelayedRefusals } from './delayed-refusals.js';

/** One WebSocket, as the protocol wants it. */
export interface ProtocolSocket {
  readonly protocol: string;
  /**
   * Resolves when the system has taken it, so that a slow reader is sent events slowly. Never
   * rejects.
   */
  send(data: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Nothing more is to come until `resume`, but what is on its way. */
  pause(): void;
  resume(): void;
}

/** The client that opened the WebSocket. */
export interface WebSocketClient {
  /** The address of the connection. */
  readonly address: string;
  /** The path of the request that opened it. */
  readonly path: string;
  readonly connection: Socket;
  readonly headers: RequestContext['headers'];
  /** Aborted when it is gone. */
  readonly signal: CancelSignal;
}

/** The parts of one generation that WebSockets need. */
export interface ProtocolParts {
  readonly endpoint: GraphqlEndpoint;
  readonly manager: SubscriptionManager;
  readonly limits: SubscriptionLimits;
  /**
   * Names of connection parameters, in lower case, that stand for the header fields a page cannot
   * send.
   */
  readonly credentials: ReadonlySet<string>;
  readonly trustedProxies: Networks;
  readonly rules: AccessRules;
  readonly liveClients: LiveClients;
  readonly budgets: Budgets;
  readonly proofs: ProofState;
  note(exchange: Exchange, caller: Caller): void;
  finish(exchange: Exchange): void;
  readonly observer: ExchangeObserver;
  checkAdmission(): void;
}

/** The parts of the generation in which requests begin: a WebSocket outlives many. */
export type PresentParts = () => ProtocolParts;

/** One WebSocket while it is open. */
export interface SocketState {
  readonly client: WebSocketClient;
  readonly socket: ProtocolSocket;
  /** Null until the client is identified. */
  live: LiveClient | null;
  /** With the credentials of the first message. */
  headers: RequestContext['headers'];
  readonly late: DelayedRefusals;
  /** The length of the message that is taken. */
  bytes: number;
  /** It is to be closed for what its client did: nothing more is taken. */
  isRefused: boolean;
}
