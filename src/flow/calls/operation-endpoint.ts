import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { HttpExchange, OpenEndpoint } from './http-exchange.js';

/** Names of header fields, beside those that pages may send to every endpoint, and read of it. */
interface PageFields {
  readonly requests: readonly string[];
  readonly answers: readonly string[];
}

/** An endpoint beside GraphQL that runs its operations in another form. */
export interface OperationEndpoint {
  /** The route of its requests in metrics and logs. */
  readonly route: string;
  /** What pages of the origins that `graphql.cors` allows may send to it, and read. */
  readonly pageFields: PageFields;
  isFor(path: string, request: IncomingMessage): boolean;
  /** What of it is answered before credentials are asked for; absent or null: nothing. */
  readonly open?: OpenEndpoint | null;
  /** Throws a `Refusal` for a request that is refused for any sender. */
  checkOrigin?(request: IncomingMessage): void;
  /** Rejects with a refusal, or with a bug. */
  answer(asked: HttpExchange, path: string, query: string): Promise<void>;
  /** Answers a request that was refused before it was answered. */
  refuse(exchange: Exchange, response: ServerResponse, refusal: Refusal): void;
}
