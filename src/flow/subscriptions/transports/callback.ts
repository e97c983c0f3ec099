import type { Policy } from '../../../access/policy.js';
import type { SoapService } from '../../../compile/soap/service.js';
import { CALLBACK_PATH } from '../../../config/graphql/callback-paths.js';
import { Refusal, type sharedState } from '../../../core/index.js';
import { CallGuard } from '../../calls/authorize.js';
import { soapConsultation } from '../../calls/consult-policy.js';
import type { HttpExchange } from '../../calls/http-exchange.js';
import type { Observers } from '../../calls/observation.js';
import { SoapAnswer } from '../../soap/answer.js';
import { intakeEnvelope } from '../../soap/intake.js';
import { readSoapRequestHead } from '../../soap/request-head.js';

/** A notification has no reply. */
const NOTHING_CLOSED = new Map<string, never>();

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

/**
 * Takes one notification: the same intake as for any envelope, and 202 with nothing in it (WS-I
 * Basic Profile R1112). Rejects with a refusal, which is answered as a Fault.
 */
export async function takeNotification(
  asked: HttpExchange,
  service: SoapService,
  callbacks: Observers,
  nonces: sharedState.NonceStore | null,
  decisionPoint: Policy | null,
): Promise<void> {
  const { caller, exchange, request } = asked;
  const head = readSoapRequestHead(request, service, null);
  if (head.method === 'GET') throw new Refusal('HTTP_METHOD');
  const consult = soapConsultation(decisionPoint, asked, service);
  const guard = new CallGuard(caller, service, NOTHING_CLOSED, consult !== null);
  const { gate } = service;
  const options = {
    service,
    gate,
    guard,
    observers: callbacks,
    calls: null,
    consult,
    nonces,
    bufferBytes: null,
    isRequest: false,
  };
  const { received, policy, reader } = await intakeEnvelope(asked, head, options);
  try {
    if (received.kind === 'flowing') {
      for await (const _chunk of received.body);
    }
  } finally {
    exchange.bytesIn = reader.bytes;
  }
  // Only operations that subscriptions wait for are accepted at this address.
  if (policy.topic === null) {
    throw new Refusal('UNKNOWN_OPERATION', 'no notification is expected by this operation', {
      found: exchange.operation,
    });
  }
  policy.observation?.publish();
  new SoapAnswer(asked).empty(202);
}
