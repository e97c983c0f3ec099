import { performance } from 'node:perf_hooks';
import type { KnownOperation } from '../../compile/soap/operations/request-group.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type sharedState } from '../../core/index.js';
import { EnvelopeValidator, Gate, type GateOptions } from '../../soap/index.js';
import type { MessageVerifier } from '../../wss/index.js';
import type { Encoding } from '../../xml/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { invite } from '../http/invite-body.js';
import { type Received, receive } from '../http/receive.js';
import { DecryptingGate, decryptionOf, refusalOfEncrypted } from '../reply/decrypting-gate.js';
import { takeReaders } from '../reply/readers.js';
import { claimNonces } from './claim-nonces.js';
import type { PostHead } from './request-head.js';
import { RequestPolicy, type RequestPolicyParts } from './request-policy.js';
import { verifierOf, verifyTokenUser } from './verified-sender.js';

export interface IntakeOptions
  extends Pick<RequestPolicyParts, 'service' | 'guard' | 'observers' | 'calls'> {
  readonly gate: GateOptions;
  /** Asks a decision point about the operation. Null where there is none. */
  readonly consult: ((known: KnownOperation | null) => Promise<void>) | null;
  /** Null where each process is alone. */
  readonly nonces: sharedState.NonceStore | null;
  /**
   * Collects a message longer than the window up to so many bytes, so that its length is known;
   * null: it flows.
   */
  readonly bufferBytes: number | null;
  /**
   * It is a request of a caller, whose Security block is verified where the service asks for it.
   */
  readonly isRequest: boolean;
  /** The content of Body is hashed: the request has an idempotency key. Absent: it has none. */
  readonly isKeyed?: boolean;
}

/** An envelope that passed the gate, as far as it had to before anything is done with it. */
export interface Intake {
  readonly received: Received;
  readonly envelope: EnvelopeValidator;
  readonly policy: RequestPolicy;
  /** Null while it is not known. */
  readonly encoding: Encoding | null;
  /** Decrypts it, null where nothing is decrypted. For a message that flows it goes on. */
  readonly decrypting: DecryptingGate | null;
  /** Bytes read so far: of a message that flows there are more to come. */
  readonly reader: { readonly bytes: number };
}

/**
 * Takes in the envelope of a SOAP request or a notification: reads it through the gate, identifies
 * its operation, holds it to the policy of the service, charges for it. Rejects with a refusal; in
 * monitor mode violations are reported only.
 */
export async function intakeEnvelope(
  asked: HttpExchange,
  head: PostHead,
  options: IntakeOptions,
): Promise<Intake> {
  const { exchange, request, response } = asked;
  const { service, gate, bufferBytes, isRequest } = options;
  invite(request, response);
  const made = readingOf(asked, head, options);
  const { policy, envelope, reading } = made;
  const reader = reading.package ?? reading.xml;
  const limits = { inflate: head.isCompressed ? service.inflateLimits : null, bufferBytes };
  const gates: { decrypting: DecryptingGate | null } = { decrypting: null };
  let received: Received;
  try {
    received = await receive(request, limits, exchange, (output) => {
      const entrance = new Gate(reading.reader, envelope, gate, output);
      if (head.isUnread) {
        entrance.passUnread();
      } else if (isRequest) {
        const decrypting = decryptingGate(service, head, entrance, made.verifier);
        gates.decrypting = decrypting;
        if (decrypting !== null && service.encryptsAnswers) {
          exchange.sealFault = (fault) => decrypting.sealFault(fault);
        }
      }
      return gates.decrypting ?? entrance;
    });
  } catch (caught) {
    const { decrypting } = gates;
    throw decrypting === null
      ? caught
      : await refusalOfEncrypted(caught, decrypting, exchange, null);
  } finally {
    exchange.dialect = envelope.dialect?.name ?? '';
    exchange.bridgedTo = envelope.bridge?.to.name ?? '';
    exchange.bytesIn = reader.bytes;
  }
  const { decrypting } = gates;
  exchange.heldMillis = performance.now() - exchange.startedMillis;
  // In monitor mode a message may get here without validation.
  exchange.operation = policy.known?.label ?? '_other';
  try {
    await admit(asked, head, options, made);
  } catch (caught) {
    const body = received.kind === 'flowing' ? received.body : null;
    body?.destroy();
    throw decrypting === null
      ? caught
      : await refusalOfEncrypted(caught, decrypting, exchange, body);
  }
  const { encoding } = reading.xml;
  if (received.kind === 'whole') {
    service.readers.give(reading.xml);
  }
  return { received, envelope, policy, encoding, reader, decrypting };
}

function decryptingGate(
  service: SoapService,
  { package: type, mediaType: { charset } }: PostHead,
  gate: Gate,
  verifier: MessageVerifier | null,
): DecryptingGate | null {
  const rules = service.verification?.decryption ?? null;
  const decryption = decryptionOf(rules, service, { package: type, charset }, gate, verifier);
  return decryption === null ? null : new DecryptingGate(decryption, gate, service);
}

/** Holds a message whose head is valid to the rights, budget and freshness of its sender. */
async function admit(
  { exchange, ending }: HttpExchange,
  head: PostHead,
  { service, gate: { onViolation }, guard, consult, nonces, isRequest }: IntakeOptions,
  { policy, envelope, verifier }: Reading,
): Promise<void> {
  checkLength(envelope, head, onViolation);
  const isVerifiedFirst = guard?.awaitsSender === true;
  if (isVerifiedFirst) {
    await verifyTokenUser(service, verifier?.verified ?? null, exchange);
    policy.becomeSender();
  }
  guard?.authorizeAndCharge(policy.known);
  if (consult !== null) {
    await consult(policy.known);
  }
  if (!isVerifiedFirst && verifier !== null) {
    await verifyTokenUser(service, verifier.verified, exchange);
  }
  policy.onUserVerified(onViolation);
  if (policy.nonces.length > 0) {
    if (isRequest) {
      ending.throwIfGone();
    }
    await claimNonces(nonces, service, policy.nonces, onViolation);
  }
  // Notifications are delivered all the same.
  if (isRequest) {
    ending.throwIfGone();
  }
}

/** What reads an envelope: its validator, policy and verifier, and the readers of its bytes. */
interface Reading {
  readonly policy: RequestPolicy;
  readonly envelope: EnvelopeValidator;
  /** Null where no Security block is verified. */
  readonly verifier: ReturnType<typeof verifierOf>;
  readonly reading: ReturnType<typeof takeReaders>;
}

function readingOf(
  { exchange, request }: HttpExchange,
  head: PostHead,
  { service, gate, guard, observers, calls, isRequest, isKeyed = false }: IntakeOptions,
): Reading {
  const host = request.headers.host ?? '';
  // Monitor mode is about messages: violations do not stop them, so the guard is asked when all is
  // read.
  const asked = gate.onViolation === null ? guard : null;
  const policy = new RequestPolicy({
    service,
    exchange,
    head,
    host,
    guard: asked,
    observers,
    calls,
    isKeyed,
  });
  const envelope = new EnvelopeValidator(
    service.requestRules,
    head.mediaType.name,
    'no detail',
    policy,
  );
  if (isRequest && service.bridged.size > 0) {
    envelope.bridgeTo = (from) => (service.bridged.has(from) ? service.dialects[0] : null);
  }
  const verifier = isRequest ? verifierOf(service, envelope, head.package !== null) : null;
  policy.verifier = verifier;
  const { charset } = head.mediaType;
  const reading = takeReaders(
    service,
    envelope,
    charset,
    head.package,
    verifier?.attachments ?? null,
    verifier ?? envelope,
    true,
    verifier?.held ?? null,
  );
  reading.xml.locateRefusals();
  return { policy, envelope, verifier, reading };
}

/** Refuses a message without a Content-Length in a dialect that needs one; `monitor` reports it. */
function checkLength(
  envelope: EnvelopeValidator,
  head: PostHead,
  onViolation: GateOptions['onViolation'],
): void {
  if (envelope.dialect?.needsContentLength !== true || head.hasLength) return;
  const refusal = new Refusal('HTTP_LENGTH_REQUIRED');
  if (onViolation === null) throw refusal;
  onViolation(refusal);
}
