import type { GraphQLError } from 'graphql';
import {
  type Context,
  createClient,
  handleProtocols,
  MessageType,
  makeServer,
  type SubscribePayload,
  stringifyMessage,
} from 'graphql-ws';

/** `graphql-transport-ws`, from either end: the only file that imports `graphql-ws`. */
export const makeProtocolServer = makeServer;

/** The subprotocol to speak of those offered; false for none. */
export const chooseProtocol = (offered: Set<string>): string | false => handleProtocols(offered);

/** The message for a refused operation. */
export const errorMessage = (id: string, errors: readonly GraphQLError[]): string =>
  stringifyMessage({ id, type: MessageType.Error, payload: errors.map((error) => error.toJSON()) });

export type ProtocolConnection<Guest> = Context<Record<string, unknown> | undefined, Guest>;

export type Subscribe = SubscribePayload;

/** The id of the one subscription of a connection. */
export const SUBSCRIPTION_ID = '1';

/** One subscription at a service. */
export interface SocketSubscription {
  readonly url: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly connectionParams: Readonly<Record<string, string>>;
  /** The class of the WebSocket that it makes. */
  readonly socket: unknown;
  /** The service has sent `connection_ack`. */
  accepted(): void;
  next(result: unknown): void;
  /** The service refused the subscription, or ended it, with errors. */
  refused(errors: readonly unknown[]): void;
  /** The service broke the rules, or the connection did. */
  broken(): void;
  complete(): void;
}

/** Subscribes over a connection of its own, once, without reconnecting. The answer ends it. */
export function subscribeOverSocket(subscription: SocketSubscription): () => void {
  const { url, query, variables, connectionParams, socket } = subscription;
  const client = createClient({
    url,
    webSocketImpl: socket,
    retryAttempts: 0,
    generateID: () => SUBSCRIPTION_ID,
    ...(Object.keys(connectionParams).length === 0 ? {} : { connectionParams }),
    on: { connected: () => subscription.accepted() },
  });
  return client.subscribe(
    { query, variables },
    {
      next: (result) => subscription.next(result),
      error: (error) =>
        Array.isArray(error) ? subscription.refused(error) : subscription.broken(),
      complete: () => subscription.complete(),
    },
  );
}
