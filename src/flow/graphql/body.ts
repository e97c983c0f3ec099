import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import { SHORT_MESSAGE_BYTES } from '../../base/short-message.js';
import { readText } from '../../graphql/run/body.js';
import { lane, turnOfLong } from '../body/lane.js';
import { invite } from '../invite.js';

/** The body of a request as text. Rejects with a refusal of the HTTP layer. */
export async function readBody(
  bytesMax: number,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  invite(request, response);
  const declared = request.headers['content-length'];
  const turn = (): Promise<void> => turnOfLong(exchange.client);
  const text = await readText(request, bytesMax, declared === undefined ? null : Number(declared), turn);
  exchange.bytesIn = Buffer.byteLength(text);
  // It is parsed in a turn of its own: a dozen at once would keep everybody else waiting.
  if (exchange.bytesIn > SHORT_MESSAGE_BYTES) await turn();
  else lane.passed();
  return text;
}
