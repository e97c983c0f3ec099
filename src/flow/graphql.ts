import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';
import { Refusal } from '../base/refusal.js';
import type { Compiled } from '../compile.js';

export interface GraphqlDoor {
  readonly path: string;
}

export const makeGraphqlDoor = (compiled: Compiled): GraphqlDoor => ({ path: compiled.graph.path });

export function answerGraphql(
  _door: GraphqlDoor,
  _e: Exchange,
  _q: IncomingMessage,
  _r: ServerResponse,
): Promise<void> {
  return Promise.reject(new Refusal('HTTP_NOT_FOUND'));
}
