import type { CallerIdentity as Credentials } from '../../../access/client.js';
import type { RequestContext } from '../../../codec/index.js';
import { asRefusal } from '../../../core/index.js';
import { certificateOf, isEncrypted } from '../../../listen/peer-certificate.js';
import { withConnectionParams } from './connection-credentials.js';
import type { PresentParts, SocketState } from './socket-parts.js';
import { refuseCredentials } from './socket-refusal.js';

/**
 * Identifies the client of a WebSocket by its first message, and ends it as soon as its credentials
 * are no longer good. Resolves to whether it may go on.
 */
export async function identifySocket(
  state: SocketState,
  params: Readonly<Record<string, unknown>> | undefined,
  present: PresentParts,
): Promise<boolean> {
  const parts = present();
  const { address, connection, signal } = state.client;
  try {
    const headers = withConnectionParams(state.client.headers, params, parts.credentials);
    const isTls = isEncrypted(connection);
    const credentials = (): Credentials => ({
      headers,
      address,
      isTls,
      certificate: certificateOf(connection),
      proven: { method: 'GET', path: state.client.path, proofs: parts.proofs, answer: null },
    });
    const client = await parts.rules.access.identify(credentials());
    if (signal.aborted) return false;
    state.headers = headers;
    const live = parts.liveClients.open(credentials, client, parts.rules);
    state.live = live;
    live.addEndListener((_end, refusal) => void refuseCredentials(state, present(), refusal));
    return true;
  } catch (caught) {
    await refuseCredentials(state, parts, asRefusal(caught));
    return false;
  }
}

/**
 * The header fields that may go on to backends, by the present rules: without credentials that are
 * for the gateway.
 */
export function passedHeaders(
  { client, headers }: SocketState,
  present: PresentParts,
): RequestContext['headers'] {
  const passed = { ...headers };
  present().rules.access.withhold({ headers: passed, address: client.address });
  return passed;
}
