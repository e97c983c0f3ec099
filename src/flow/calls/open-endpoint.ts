import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../../gateway/exchange.js';

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
