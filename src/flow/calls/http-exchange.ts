import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../../gateway/exchange.js';
import type { Ending } from '../http/ending.js';
import type { MessageCaller } from './authorize.js';

/** One HTTP request whose client is known, its answer and its record. */
export interface HttpExchange {
  readonly caller: MessageCaller;
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ending: Ending;
}

/** What is answered before credentials are asked for. It knows nothing that needs one. */
export interface OpenEndpoint {
  isFor(path: string, request: IncomingMessage): boolean;
  answer(
    exchange: Exchange,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
}
