import { Buffer } from 'node:buffer';
import { byteBuffers, Refusal } from '../../core/index.js';
import { admission } from '../../graphql/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { recordOf } from '../http/connection-record.js';
import { fairScheduler, waitForTimeSlice } from '../http/fair-scheduler.js';
import { type BodyTaker, Incoming } from '../http/incoming-request.js';
import { invite } from '../http/invite-body.js';

/** The body of a request as text. Rejects with a refusal of the HTTP layer, or `BAD_REQUEST`. */
export async function readTextBody(
  bytesMax: number,
  { exchange, request, response }: HttpExchange,
): Promise<string> {
  invite(request, response);
  const length = request.headers['content-length'];
  const declaredBytes = length === undefined ? null : Number(length);
  const isShort =
    declaredBytes !== null && declaredBytes <= Math.min(byteBuffers.SHORT_MESSAGE_BYTES, bytesMax);
  const short = isShort && request instanceof Incoming ? takeShort(request) : null;
  if (short !== null) {
    const bytes = await short;
    exchange.bytesIn = bytes.length;
    fairScheduler.addShortMessage();
    return admission.decodeText(bytes);
  }
  const turn = (): Promise<void> => waitForTimeSlice(recordOf(request.socket));
  const text = await admission.readText(request, bytesMax, declaredBytes, turn);
  exchange.bytesIn = Buffer.byteLength(text);
  // Parsing is a turn of its own: a dozen long bodies at once would delay all other requests.
  if (exchange.bytesIn > byteBuffers.SHORT_MESSAGE_BYTES) {
    await turn();
  } else {
    fairScheduler.addShortMessage();
  }
  return text;
}

/**
 * The text of a body that is JSON, as REST and agents send it. Throws `HTTP_MEDIA_TYPE` for
 * another.
 */
export function readJsonText(bytesMax: number, asked: HttpExchange): Promise<string> {
  const { 'content-type': type, 'content-encoding': coding } = asked.request.headers;
  admission.checkJsonType(type);
  admission.checkNoCoding(coding);
  return readTextBody(bytesMax, asked);
}

/**
 * Takes a body from the parser, without a stream between; null where part of it is in the stream
 * already.
 */
function takeShort(request: Incoming): Promise<Buffer> | null {
  const body = new ShortBody();
  if (!request.giveBody(body)) return null;
  return new Promise((resolve, reject) => {
    body.resolve = resolve;
    const failed = (error: Error | null): void => {
      request.leaveBody();
      reject(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
    };
    request.once('error', failed);
    // The client may have left before.
    if (request.destroyed) {
      failed(null);
    }
  });
}

class ShortBody implements BodyTaker {
  resolve: (bytes: Buffer) => void = () => {};
  readonly #pieces: Buffer[] = [];

  piece(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  ended(): void {
    const [first = EMPTY] = this.#pieces;
    this.resolve(this.#pieces.length <= 1 ? first : Buffer.concat(this.#pieces));
  }
}

const EMPTY = Buffer.alloc(0);
