import { beginExchange } from '../../../access/network/address.js';
import { Refusal, type RefusalCode } from '../../../core/index.js';
import type { Exchange } from '../../../gateway/exchange.js';
import { isEncrypted } from '../../../listen/peer-certificate.js';
import type { ProtocolParts, SocketState } from './socket-parts.js';

/**
 * The refusals that the protocol has close codes for; and those of WebSocket itself (RFC 6455
 * section 7.4.1).
 */
const BY_CLOSE_CODE: ReadonlyMap<number, RefusalCode> = new Map([
  [1002, 'BAD_REQUEST'],
  [1003, 'BAD_REQUEST'],
  [4400, 'BAD_REQUEST'],
  [4401, 'UNAUTHENTICATED'],
  [4406, 'BAD_REQUEST'],
  [4408, 'HTTP_TIMEOUT'],
  [4409, 'BAD_REQUEST'],
  [4429, 'RATE_LIMITED'],
]);

/**
 * The code that closes a WebSocket whose client may not go on with these credentials, and the one
 * for "come back later".
 */
const FORBIDDEN = 4403;
const TRY_AGAIN_LATER = 1013;

/** The record of what a client of a WebSocket does. */
export function socketExchange(
  { client }: Pick<SocketState, 'client'>,
  parts: ProtocolParts,
): Exchange {
  const exchange = beginExchange(client, 'WS', parts.trustedProxies);
  exchange.isTls = isEncrypted(client.connection);
  exchange.route = 'graphql';
  return exchange;
}

/**
 * Refuses a WebSocket: logged, counted and charged to the client like a refused request. Resolves
 * when it may be closed: too many refusals of an address are delayed.
 */
async function refuseSocket(
  state: SocketState,
  parts: ProtocolParts,
  refusal: Refusal,
): Promise<void> {
  state.isRefused = true;
  const exchange = socketExchange(state, parts);
  exchange.operation = 'websocket';
  if (state.live !== null) {
    parts.note(exchange, { client: state.live.client, budgets: parts.budgets });
  }
  exchange.refuse(refusal);
  parts.finish(exchange);
  if (refusal.isOfCaller) {
    await state.late.delay(state.bytes);
  }
}

/** Refuses the credentials of a WebSocket, and closes it. */
export async function refuseCredentials(
  state: SocketState,
  parts: ProtocolParts,
  refusal: Refusal,
): Promise<void> {
  await refuseSocket(state, parts, refusal);
  if (refusal.isOfCaller) {
    state.socket.close(FORBIDDEN, 'Forbidden');
  } else {
    state.socket.close(TRY_AGAIN_LATER, 'Try again later');
  }
}

/** Closes a WebSocket with this code, which is a refusal where its client has broken the rules. */
export function closeSocket(
  state: SocketState,
  parts: ProtocolParts,
  code: number,
  reason: string,
): void {
  const refused = BY_CLOSE_CODE.get(code);
  if (refused === undefined || state.isRefused) {
    state.socket.close(code, reason);
  } else {
    void refuseSocket(state, parts, new Refusal(refused, `closed with ${code}`)).then(() =>
      state.socket.close(code, reason),
    );
  }
}
