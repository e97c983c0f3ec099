import { isRecord, jsonValues } from '../../../core/index.js';
import { makeProtocolServer } from '../wire/graphql-ws.js';
import { DelayedRefusals } from './delayed-refusals.js';
import { ReceivedMessages } from './received-messages.js';
import { identifySocket } from './socket-client.js';
import { admitMessage, perform } from './socket-operation.js';
import type { PresentParts, ProtocolSocket, SocketState, WebSocketClient } from './socket-parts.js';
import { closeSocket } from './socket-refusal.js';

/** Handles the messages of a WebSocket, and its end. */
interface ProtocolSession {
  /**
   * Not twice in one turn of the event loop: an id may be used again at once, and what was ended by
   * it must be over.
   */
  message(data: string): Promise<void>;
  /** Closes it for what its client sent, which is no message. */
  refuse(code: number, reason: string): void;
  closed(code: number): Promise<void>;
}

export type Protocol = (socket: ProtocolSocket, client: WebSocketClient) => ProtocolSession;

/**
 * `graphql-transport-ws`: `graphql-ws` keeps to its rules; operations are admitted and run by the
 * code for HTTP, in the generation that `present` has when their message comes.
 */
export function makeProtocol(initMillis: number, present: PresentParts): Protocol {
  const server = makeProtocolServer<Record<string, unknown> | undefined, SocketState>({
    connectionInitWaitTimeout: initMillis,
    onConnect: ({ extra, connectionParams }) => identifySocket(extra, connectionParams, present),
    onSubscribe: (connection, id, payload) => admitMessage(connection, id, payload, present),
    execute: perform,
    subscribe: perform,
  });
  return (socket, client) => {
    let take: ((data: string) => Promise<void>) | null = null;
    const { limits, endpoint } = present();
    const late = new DelayedRefusals(
      endpoint.penaltyBox,
      client,
      limits.perConnection,
      () => void incoming.release(),
    );
    const { headers } = client;
    const state: SocketState = {
      client,
      socket,
      live: null,
      headers,
      late,
      bytes: 0,
      isRefused: false,
    };
    const close = (code: number, reason: string): void =>
      closeSocket(state, present(), code, reason);
    const incoming = new ReceivedMessages({
      isFull: () => late.isFull,
      charsMax: limits.messageBytes + ON_ITS_WAY_CHARS,
      take: (data) => takeMessage(data).catch(() => socket.close(4500, 'Unexpected error')),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      overflow: () => close(4429, 'Too many messages'),
    });
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => socket.send(data),
        close: (code = 1000, reason = '') => close(code, reason),
        onMessage: (listener) => {
          take = listener;
        },
      },
      state,
    );
    const takeMessage = async (data: string): Promise<void> => {
      if (state.isRefused) return;
      state.bytes = data.length;
      let parsed: unknown;
      try {
        parsed = jsonValues.parseStrictJson(data);
      } catch {
        close(4400, INVALID);
        return;
      }
      // `graphql-ws` takes these for messages, and fails: the end would be no refusal.
      if (isRecord(parsed) && SERVER_TYPES.has(parsed['type'])) {
        close(4400, INVALID);
        return;
      }
      const ended = idOf(parsed, 'complete');
      if (ended !== null) {
        late.forget(ended);
      }
      if (late.has(idOf(parsed, 'subscribe') ?? '')) {
        close(4409, 'Subscriber already exists');
        return;
      }
      await take?.(data);
    };
    return {
      message: (data) => incoming.message(data),
      refuse: close,
      async closed(code) {
        state.live?.close();
        incoming.close();
        await closed(code);
      },
    };
  };
}

/** Characters that may have been read when reading stops, small messages with their overhead. */
const ON_ITS_WAY_CHARS = 1024 * 1024;

const INVALID = 'Invalid message received';

/** The types of messages that only servers send. */
const SERVER_TYPES: ReadonlySet<unknown> = new Set(['connection_ack', 'next', 'error']);

/** Which operation a message of this type is about. */
function idOf(message: unknown, type: 'subscribe' | 'complete'): string | null {
  const id = isRecord(message) && message['type'] === type ? message['id'] : null;
  return typeof id === 'string' ? id : null;
}
