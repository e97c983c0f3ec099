import type { IncomingMessage } from 'node:http';

import { asRefusal, Refusal } from '../../../core/index.js';
import { subschemas } from '../../../graphql/index.js';
import { type Connector, heads, refusalOfError } from '../../../upstream/index.js';
import { LINGER_MILLIS } from '../../http/linger.js';
import { SUBSCRIPTION_ID } from '../wire/graphql-ws.js';
import { dial, keepAsking, type Socket, wsText } from '../wire/ws.js';
import type { EventsAsk } from './over-events.js';

export interface OutgoingParts
  extends Pick<EventsAsk, 'feed' | 'headers' | 'eventBytes' | 'bounds'> {
  readonly pingMillis: number;
  readonly connect: Connector;
  /**
   * Called instead of a failure with an answer of status 401; null where there are no other
   * credentials.
   */
  readonly unauthorized: ((response: IncomingMessage) => void) | null;
}

/** Bytes of answers, pongs above all, that the service makes us send and does not read. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** Bytes of a message besides those of its event. */
const MESSAGE_BYTES = 1024;

/**
 * A WebSocket at a service, as the client of the protocol wants it: messages are held to their
 * bounds before anything reads it, and errors are reported here, where their causes are known.
 */
export class OutgoingSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  onopen: (() => void) | null = null;
  onmessage: ((message: { readonly data: string }) => void) | null = null;
  onclose:
    | ((event: {
        readonly code: number;
        readonly reason: string;
        readonly wasClean: boolean;
      }) => void)
    | null = null;
  onerror: (() => void) | null = null;
  /** The length of the message that is being read. */
  messageBytes = 0;
  readonly #parts: OutgoingParts;
  readonly #socket: Socket;

  constructor(url: string, protocol: string, parts: OutgoingParts) {
    const { feed, headers, eventBytes, pingMillis, connect, unauthorized } = parts;
    this.#parts = parts;
    const socket = dial(url, protocol, {
      headers,
      messageBytesMax: eventBytes + MESSAGE_BYTES,
      connect,
    });
    this.#socket = socket;
    let stopAsking = (): void => {};
    let isReplaced = false;
    socket.once('open', () => {
      stopAsking = keepAsking(socket, pingMillis, () =>
        this.#fail(new Refusal('UPSTREAM_IDLE_TIMEOUT', 'ping')),
      );
      this.onopen?.();
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) {
        this.#fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'binary message'));
      } else {
        this.#take(wsText(data));
      }
    });
    socket.on('ping', () => this.#isRead());
    socket.on('unexpected-response', (_request, response) => {
      if (response.statusCode !== 401 || unauthorized === null) {
        this.#fail(refusalOfAnswer(response));
        return;
      }
      isReplaced = true;
      socket.terminate();
      unauthorized(response);
    });
    socket.on('error', (error) => {
      if (!isReplaced) {
        this.#fail(refusalOfSocket(error, feed.isAccepted));
      }
    });
    socket.once('close', (code) => {
      stopAsking();
      if (isReplaced) return;
      feed.failed(refusalOfClose(code, feed.isAccepted));
      feed.closed();
      // Not the code that came: after some of them the client would quietly begin anew.
      this.onclose?.({ code: 1006, reason: '', wasClean: false });
    });
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  send(data: string): void {
    if (this.readyState === OutgoingSocket.OPEN && this.#isRead()) {
      this.#socket.send(data);
    }
  }

  close(code: number, reason: string): void {
    if (this.readyState === OutgoingSocket.CONNECTING) {
      this.#socket.terminate();
      return;
    }
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), LINGER_MILLIS);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #take(text: string): void {
    try {
      const message = subschemas.parseSubschemaText(text, this.#parts.bounds);
      // The protocol would skip it silently, and events would be lost.
      if (!isOurs(message)) throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'another id');
    } catch (caught) {
      this.#fail(asRefusal(caught));
      return;
    }
    this.messageBytes = text.length;
    this.onmessage?.({ data: text });
  }

  #isRead(): boolean {
    if (this.#socket.bufferedAmount <= UNREAD_BYTES_MAX) return true;
    this.#fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'reads nothing'));
    return false;
  }

  #fail(refusal: Refusal): void {
    this.#parts.feed.failed(refusal);
    this.#socket.terminate();
  }
}

const isOurs = (message: unknown): boolean =>
  typeof message !== 'object' ||
  message === null ||
  !('id' in message) ||
  message.id === SUBSCRIPTION_ID;

/** Instead of a WebSocket. */
function refusalOfAnswer({ statusCode = 0, headers }: IncomingMessage): Refusal {
  try {
    heads.checkStatus(statusCode, headers['retry-after'] ?? null);
  } catch (caught) {
    return asRefusal(caught);
  }
  return new Refusal('UPSTREAM_INVALID_RESPONSE', `no WebSocket, status ${statusCode}`);
}

function refusalOfSocket(error: Error, isAccepted: boolean): Refusal {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  // Bytes that are no answer to a handshake have no code.
  if (code === null) return new Refusal('UPSTREAM_INVALID_RESPONSE', 'handshake', { cause: error });
  if (TOO_LARGE.has(code)) return new Refusal('UPSTREAM_RESPONSE_LIMIT', 'event', { cause: error });
  if (code.startsWith('WS_ERR_')) {
    return new Refusal('UPSTREAM_INVALID_RESPONSE', code, { cause: error });
  }
  return refusalOfError(error, isAccepted);
}

const TOO_LARGE: ReadonlySet<string> = new Set([
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH',
  'WS_ERR_TOO_MANY_BUFFERED_PARTS',
]);

/** A close without a message before it is no end of a subscription. */
function refusalOfClose(code: number, isAccepted: boolean): Refusal {
  if (code === 4401 || code === 4403) return new Refusal('UPSTREAM_AUTH', `close ${code}`);
  if (code === 1013) return new Refusal('UPSTREAM_OVERLOADED', `close ${code}`);
  if (RULES.has(code)) return new Refusal('UPSTREAM_INVALID_RESPONSE', `close ${code}`);
  return new Refusal(isAccepted ? 'UPSTREAM_TRUNCATED' : 'UPSTREAM_RESET', `close ${code}`);
}

/** That we break the rules; as we do not, it speaks another protocol. */
const RULES: ReadonlySet<number> = new Set([1002, 1003, 1007, 1010, 4400, 4406, 4408, 4409, 4429]);
