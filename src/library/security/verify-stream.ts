import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { DecryptingGate, decryptionOf } from '../../flow/reply/decrypting-gate.js';
import { type MessageReading, takeReaders } from '../../flow/reply/readers.js';
import { readMessageType } from '../../flow/soap/request-head.js';
import { isUserUnverified, takeOnce, verifierOf } from '../../flow/soap/verified-sender.js';
import { EnvelopeValidator, Gate } from '../../soap/index.js';
import type { VerifiedMessage } from '../../wss/index.js';
import type { VerifyKeys } from '../configuration-keys.js';
import type { MessageOptions } from './message-options.js';
import { messageStream, type StreamedMessage } from './message-stream.js';
import { securityService } from './security-service.js';

/** Who has sent a verified message, by each way that its rules demand; null for the others. */
export interface VerifiedSender {
  /** The subject of the certificate that has signed, in the form of RFC 2253. */
  readonly subject: string | null;
  /** The user of the UsernameToken. */
  readonly user: string | null;
  readonly assertion: SenderAssertion | null;
}

/** The SAML assertion of a message. */
export interface SenderAssertion {
  readonly issuer: string;
  readonly subject: string | null;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/** A stream through which one message goes while it is verified. */
export interface VerifyingStream {
  readonly writable: WritableStream<Uint8Array>;
  /** Ends when the message is verified to its last byte. Before that it may only fail. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Resolves when the message is verified; rejects as the stream fails, or is left. */
  readonly verified: Promise<VerifiedSender>;
}

/**
 * Verifies one message by WS-Security while it goes through:
 * `body.pipeThrough(verifyStream(rules))`. `rules` are the keys of `security.verify` of a service.
 * The Header is held and verified, then the message flows; its signed parts are digested as they
 * flow, and its last bytes are held until all is verified. A message that fails ends its stream
 * with a `MessageError`, and is never complete at the reader. Rules that cannot be used end it with
 * a `ConfigurationError`.
 *
 * Give the same object of rules for all messages: what may come once (`once`, nonces) is remembered
 * with it.
 */
export function verifyStream(rules: VerifyKeys, options: MessageOptions = {}): VerifyingStream {
  let message: VerifiedStream | null = null;
  let settle: { resolve(sender: VerifiedSender): void; reject(error: unknown): void };
  const verified = new Promise<VerifiedSender>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // The error of the stream is the same one.
  verified.catch(() => {});
  const open = async (): Promise<StreamedMessage> => {
    message = new VerifiedStream(await securityService('verify', rules, options), options);
    return message;
  };
  const { readable, writable } = messageStream(open, {
    failed: (error) => settle.reject(error),
    ended: () => settle.resolve(senderIn(message?.verified ?? null)),
  });
  return { readable, writable, verified };
}

/** One message that is verified. */
class VerifiedStream implements StreamedMessage {
  readonly #service: SoapService;
  readonly #validator: EnvelopeValidator;
  readonly #verifier: NonNullable<ReturnType<typeof verifierOf>>;
  readonly #gate: Gate | DecryptingGate;
  #ready: Buffer[] = [];
  #isTaken = false;

  constructor(service: SoapService, { contentType }: MessageOptions) {
    const type = contentType === undefined ? null : readMessageType(contentType, service);
    const packageType = type?.package ?? null;
    const charset = type?.mediaType.charset ?? null;
    this.#service = service;
    this.#validator = new EnvelopeValidator(
      service.requestRules,
      type?.mediaType.name ?? null,
      'no detail',
    );
    const verifier = verifierOf(service, this.#validator, packageType !== null);
    if (verifier === null) throw new Error('a service that verifies nothing');
    this.#verifier = verifier;
    const { reader }: MessageReading = takeReaders(
      service,
      this.#validator,
      charset,
      packageType,
      verifier.attachments,
      verifier,
      true,
      verifier.held,
    );
    const push = (part: Buffer): void => {
      this.#ready.push(part);
    };
    const output = { whole: push, begin: () => {}, data: push, end: () => {} };
    const gate = new Gate(reader, this.#validator, service.gate, output);
    const head = { package: packageType, charset };
    const rules = service.verification?.decryption ?? null;
    const decryption = decryptionOf(rules, service, head, gate, verifier);
    this.#gate = decryption === null ? gate : new DecryptingGate(decryption, gate, service);
  }

  /** Final once the message has ended. */
  get verified(): VerifiedMessage | null {
    return this.#verifier.verified;
  }

  get hasWork(): boolean {
    return this.#gate.hasWork;
  }

  write(part: Buffer): void {
    this.#gate.write(part);
  }

  work(): void {
    this.#gate.work();
  }

  end(): void {
    this.#gate.end();
  }

  /** Nothing goes on before the user is verified, and what may come once is new. */
  async take(): Promise<readonly Buffer[]> {
    if (this.#ready.length === 0) return this.#ready;
    if (!this.#isTaken) {
      await this.#takeOnce();
    }
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  async #takeOnce(): Promise<void> {
    const { verified } = this.#verifier;
    if (verified === null) throw new Error('a message goes on before it is verified');
    const { user } = verified;
    if (user !== null && isUserUnverified(verified)) {
      const { name, password } = user;
      await this.#service.verification?.users?.verify({ name, password: password ?? '' }, '');
    }
    takeOnce(this.#service, verified);
    this.#isTaken = true;
  }
}

function senderIn(verified: VerifiedMessage | null): VerifiedSender {
  const { signature = null, user = null, assertion = null } = verified ?? {};
  return {
    subject: signature?.signer.subject ?? null,
    user: user?.name ?? null,
    assertion:
      assertion === null
        ? null
        : {
            issuer: assertion.issuer,
            subject: assertion.subject,
            attributes: assertion.attributes,
          },
  };
}
