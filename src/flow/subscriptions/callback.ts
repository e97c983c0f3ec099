import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import type { NonceStore } from '../../base/nonce-store.js';
import { Refusal } from '../../base/refusal.js';
import type { SoapService } from '../../compile/service.js';
import { EnvelopeValidator } from '../../soap/envelope.js';
import { Gate } from '../../soap/gate.js';
import { type Caller, CallGuard } from '../calls/authorize.js';
import type { Observers } from '../calls/observation.js';
import { takeReaders } from '../calls/readers.js';
import { invite } from '../http/continue.js';
import type { Ending } from '../http/ending.js';
import { receive } from '../http/receive.js';
import { SoapAnswer } from '../soap/answer.js';
import { claimNonces } from '../soap/claim-nonces.js';
import { readSoapRequestHead } from '../soap/request-head.js';
import { RequestPolicy } from '../soap/request-policy.js';

/** Where services post their notifications. */
const CALLBACK_PATH = '/callback/';

/** The service whose notifications come at this path, or null. */
export function callbackService(
  path: string,
  services: ReadonlyMap<string, SoapService>,
  callbacks: Observers,
): SoapService | null {
  if (!path.startsWith(CALLBACK_PATH)) return null;
  const service = services.get(path.slice(CALLBACK_PATH.length)) ?? null;
  return service !== null && callbacks.hasService(service.name) ? service : null;
}

export interface Notification {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly nonces: NonceStore | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ending: Ending;
}

/**
 * Takes one notification: the same gate as for any envelope, and 202 with nothing in it (WS-I Basic Profile R1112).
 * Rejects with a refusal, which is answered as a Fault.
 */
export async function takeNotification(
  { exchange, caller, nonces, request, response, ending }: Notification,
  service: SoapService,
  callbacks: Observers,
): Promise<void> {
  const head = readSoapRequestHead(request, service, null);
  if (head.method === 'GET') throw new Refusal('HTTP_METHOD');
  invite(request, response);
  const host = request.headers.host ?? '';
  const guard = new CallGuard(caller, service);
  const policy = new RequestPolicy(service, exchange, head, host, guard, callbacks);
  const envelope = new EnvelopeValidator(service.requestRules, head.mediaType.name, 'no detail', policy);
  const { xml, reader, package: parts } = takeReaders(service, envelope, head.mediaType.charset, head.package);
  const intake = { inflate: head.isCompressed ? service.inflateLimits : null, bufferBytes: null };
  try {
    const received = await receive(
      request,
      intake,
      exchange,
      (output) => new Gate(reader, envelope, service.gate, output),
    );
    if (received.kind === 'flowing') for await (const _piece of received.body);
  } finally {
    exchange.dialect = envelope.dialect?.name ?? '';
    exchange.bytesIn = (parts ?? xml).bytes;
  }
  service.readers.give(xml);
  if (envelope.dialect?.needsContentLength === true && !head.hasLength) throw new Refusal('HTTP_LENGTH_REQUIRED');
  exchange.operation = policy.known?.label ?? '_other';
  // Nothing waits behind this address for the others.
  if (policy.topic === null) throw new Refusal('UNKNOWN_OPERATION', 'no callback', { found: exchange.operation });
  if (policy.nonces.length > 0) await claimNonces(nonces, service, policy.nonces);
  policy.observation?.publish();
  new SoapAnswer(response, exchange, ending).empty(202);
}
