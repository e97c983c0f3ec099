import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import {
  asUnverified,
  type ReplyVerification,
} from '../../compile/soap/security/reply-verification.js';
import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, type Refusal } from '../../core/index.js';
import { EnvelopeValidator, Gate } from '../../soap/index.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { MessageVerifier } from '../../wss/index.js';
import type { MessageGate } from '../http/receive.js';
import { DecryptingGate, decryptionOf } from './decrypting-gate.js';
import { type MessageReading, takeReaders } from './readers.js';
import { peekReply } from './reply-facts.js';
import { checkReplyHead, isSuccess, noEnvelope, type ReplyForm } from './reply-head.js';

/** How long what was collected of a reply is read in one turn of the event loop. */
const TURN_MILLIS = 1;

/** The call whose reply is verified. */
interface VerifiedCall {
  readonly service: SoapService;
  readonly operation: Operation | null;
  readonly receiver: UpstreamReceiver;
}

/**
 * Stands before the receiver of a reply, and verifies its Security block while it streams. A reply
 * that does not verify is never complete at the receiver: what holds the end of its Body is passed
 * on once the digests match.
 */
export class VerifyingReceiver implements UpstreamReceiver {
  readonly #call: VerifiedCall;
  readonly #verification: ReplyVerification;
  /**
   * The signature of the request that the reply is to; null where the gateway has not signed it.
   */
  #signedValue: Buffer | null = null;
  #head: ReplyHead | null = null;
  #reading: MessageReading | null = null;
  #gate: MessageGate | null = null;
  #hasBody = false;
  #form: ReplyForm | null = null;
  /** The first bytes of the reply, for the log of its refusal. */
  #first: Buffer | null = null;
  #upstreamCall: UpstreamCall | null = null;
  /** The call waits while what was collected of the reply is read. */
  #isPaused = false;
  #isOver = false;

  constructor(call: VerifiedCall, verification: ReplyVerification) {
    this.#call = call;
    this.#verification = verification;
  }

  begin(call: UpstreamCall): void {
    this.#upstreamCall = call;
  }

  /** A try was signed. One that follows is signed anew. */
  signed(value: Buffer): void {
    this.#signedValue = value;
  }

  sent(): void {
    this.#call.receiver.sent?.();
  }

  head(head: ReplyHead): void {
    this.#head = head;
    const form = this.#formOf(head);
    this.#form = form;
    if (form !== null) {
      this.#gate = this.#attempt(() => this.#open(form));
    }
    this.#call.receiver.head(head);
  }

  data(chunk: Buffer): void {
    this.#first ??= chunk;
    this.#hasBody = true;
    if (this.#gate === null) {
      if (isSuccess(this.#head)) throw noEnvelope(this.#head);
      this.#call.receiver.data(chunk);
      return;
    }
    const gate = this.#gate;
    this.#attempt(() => gate.write(chunk));
    if (!gate.hasWork || this.#isPaused) return;
    this.#isPaused = true;
    this.#upstreamCall?.pause();
    setImmediate(this.#readOn);
  }

  /** Reads what was collected, a little in each turn of the event loop: other calls go on. */
  readonly #readOn = (): void => {
    if (this.#isOver || this.#gate === null) return;
    const untilMillis = performance.now() + TURN_MILLIS;
    try {
      do {
        this.#gate.work();
      } while (this.#gate.hasWork && performance.now() < untilMillis);
    } catch (caught) {
      this.#upstreamCall?.abort(this.#unverified(caught));
      return;
    }
    if (this.#gate.hasWork) {
      setImmediate(this.#readOn);
    } else {
      this.#isPaused = false;
      this.#upstreamCall?.resume();
    }
  };

  end(): void {
    this.#isOver = true;
    if (this.#hasBody) {
      this.#attempt(() => this.#gate?.end());
    }
    this.#release();
    this.#call.receiver.end();
  }

  failed(refusal: Refusal): void {
    this.#isOver = true;
    this.#release();
    this.#call.receiver.failed(refusal);
  }

  /**
   * Null where no envelope can follow: the receiver refuses that by the head, as it does without
   * verification.
   */
  #formOf(head: ReplyHead): ReplyForm | null {
    try {
      const { service, operation } = this.#call;
      return checkReplyHead(head, service, service.toleranceOf(operation));
    } catch {
      return null;
    }
  }

  #open(form: ReplyForm): MessageGate {
    const { rules, decryption, envelopeRules } = this.#verification;
    const envelope = new EnvelopeValidator(envelopeRules, null, 'no detail', {
      onHeadValid: (valid) => this.#expectParts(valid),
      openBody: () => null,
    });
    const sentValues = this.#signedValue === null ? null : [this.#signedValue];
    const verifier = new MessageVerifier(
      envelope,
      rules,
      Date.now(),
      form.package !== null,
      sentValues,
      this.#call.service.heldBytes,
    );
    const { charset } = form.type;
    this.#reading = takeReaders(
      this.#call.service,
      envelope,
      charset,
      form.package,
      verifier.attachments,
      verifier,
      false,
      verifier.held,
    );
    const { service } = this.#call;
    const gate = new Gate(this.#reading.reader, envelope, service.gate, {
      whole: (message) => this.#call.receiver.data(message),
      begin: () => {},
      data: (chunk) => this.#call.receiver.data(chunk),
      end: () => {},
    });
    const head = { package: form.package, charset };
    const decrypting = decryptionOf(decryption, service, head, gate, verifier);
    return decrypting === null ? gate : new DecryptingGate(decrypting, gate, service);
  }

  /**
   * The receiver refuses a reply of another operation; a reply of this one may have several parts.
   */
  #expectParts(envelope: EnvelopeValidator): void {
    const { service, operation } = this.#call;
    if (service.isReply(operation, envelope.operation)) {
      envelope.expectParts(service.replyParts(operation));
    }
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (caught) {
      throw this.#unverified(caught);
    }
  }

  /** The log has the Fault that was not verified. */
  #unverified(caught: unknown): Refusal {
    const refusal = asUnverified(asRefusal(caught));
    const { service } = this.#call;
    if (this.#head !== null && this.#form !== null && this.#first !== null) {
      refusal.reply = peekReply(service, this.#head, this.#form, this.#first);
    }
    return refusal;
  }

  #release(): void {
    if (this.#reading !== null) {
      this.#call.service.readers.give(this.#reading.xml);
    }
    this.#reading = null;
  }
}
