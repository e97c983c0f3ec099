import { Refusal } from '../../../base/refusal.js';
import type { SubschemaRequest } from '../../../graphql/fields/subschema.js';
import { subscribeOverSocket } from '../wire/graphql-ws.js';
import { type OutgoingParts, OutgoingSocket } from './outgoing-socket.js';

export interface SocketAsk extends OutgoingParts {
  readonly url: string;
  readonly request: SubschemaRequest;
  readonly connectionParams: Readonly<Record<string, string>>;
}

/** Subscribes over a WebSocket of its own: one that others share would die for all of them of the event of one. */
export function feedOverSocket(ask: SocketAsk): void {
  const { url, request, connectionParams, feed } = ask;
  const { query, variables } = request;
  const made: OutgoingSocket[] = [];
  const bytes = (): number => made[0]?.messageBytes ?? 0;
  const broken = (): void => feed.failed(new Refusal('UPSTREAM_INVALID_RESPONSE', 'graphql-transport-ws'));
  const stop = subscribeOverSocket({
    url,
    query,
    variables,
    connectionParams,
    socket: class extends OutgoingSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, ask);
        made.push(this);
      }
    },
    accepted: () => feed.accepted(),
    next: (result) => feed.event(result, bytes()),
    refused(errors) {
      feed.event({ errors }, bytes());
      feed.completed();
    },
    broken() {
      broken();
      if (made.length === 0) feed.closed();
    },
    complete: () => feed.completed(),
  });
  feed.hangUp = () => {
    // Sends `complete` if the connection is open.
    stop();
    made[0]?.close(1000, '');
  };
}
