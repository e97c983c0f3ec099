import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';
import { readText } from '../graphql/run/body.js';
import { lane, turnOfLong } from './body/lane.js';
import { invite } from './invite.js';

/** The body of a request as text. Rejects with a refusal of the HTTP layer. */
export async function readBody(
  bytesMax: number,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  invite(request, response);
  const declared = request.headers['content-length'];
  const text = await readText(request, bytesMax, declared === undefined ? null : Number(declared));
  exchange.bytesIn = Buffer.byteLength(text);
  if (text.length > AT_ONCE_UNITS) await turnOfLong(exchange.client);
  else lane.passed();
  return text;
}

/** Longer texts are parsed one in a turn of the event loop: a dozen at once would keep everybody else waiting. */
const AT_ONCE_UNITS = 16 * 1024;
