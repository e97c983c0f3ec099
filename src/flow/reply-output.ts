import { Refusal } from '../base/refusal.js';
import { dialectOfName } from '../soap/dialect.js';
import type { EnvelopeJudge } from '../soap/envelope.js';
import { tellFault } from '../soap/fault-answer.js';
import type { DetailRules } from '../soap/fault-policy.js';
import type { GateOutput } from '../soap/gate.js';
import { type MediaType, printMediaType } from '../soap/media-type.js';
import { faultStatusOf } from '../soap/print-fault.js';
import type { ReplyHead, UpstreamCall } from '../upstream/reply.js';
import type { SoapContext } from './forward.js';
import { retryAfterOf } from './reply-head.js';

/**
 * What the gate lets through of a reply, on its way to the caller: byte for byte, but for a Fault, which is held until it
 * is whole, speaks the caller's dialect and tells what the service lets it tell.
 */
export class ReplyOutput implements GateOutput {
  readonly #context: SoapContext;
  readonly #head: ReplyHead;
  readonly #type: MediaType;
  readonly #judge: EnvelopeJudge;
  readonly #rules: DetailRules;
  readonly #call: UpstreamCall | null;
  /** A Fault longer than the window, until it is whole. */
  #collected: Buffer[] | null = null;
  #collectedBytes = 0;

  constructor(
    context: SoapContext,
    head: ReplyHead,
    type: MediaType,
    judge: EnvelopeJudge,
    rules: DetailRules,
    call: UpstreamCall | null,
  ) {
    this.#context = context;
    this.#head = head;
    this.#type = type;
    this.#judge = judge;
    this.#rules = rules;
    this.#call = call;
  }

  whole(message: Buffer): void {
    if (this.#judge.fault !== null && this.#mayChange) this.#tellFault(message);
    else this.#answer(this.#status(), this.#contentType(), message);
  }

  begin(): void {
    if (this.#judge.fault !== null && this.#mayChange && this.#rules.policy !== 'pass') {
      this.#collected = [];
      return;
    }
    const { answer } = this.#context;
    answer.begin(this.#status(), this.#contentType());
    answer.onDrain(() => this.#call?.resume());
  }

  data(chunk: Buffer): void {
    if (this.#collected === null) {
      if (!this.#context.answer.data(chunk)) this.#call?.pause();
      return;
    }
    this.#collected.push(chunk);
    this.#collectedBytes += chunk.length;
    if (this.#collectedBytes > this.#context.gate.headBytes) {
      throw new Refusal('UPSTREAM_RESPONSE_LIMIT', 'a Fault that must be held');
    }
  }

  end(): void {
    if (this.#collected === null) this.#context.answer.end();
    else this.#tellFault(Buffer.concat(this.#collected));
  }

  /** Monitor mode changes nothing. A package of parts has an envelope in it, but is none. */
  get #mayChange(): boolean {
    return this.#context.gate.onViolation === null && !this.#type.name.startsWith('multipart/');
  }

  #tellFault(message: Buffer): void {
    const { service, exchange } = this.#context;
    const telling = {
      to: dialectOfName(exchange.dialect),
      rules: this.#rules,
      readers: service.readers,
      charset: this.#type.charset,
    };
    const told = tellFault(message, telling);
    if (told.kind === 'own') this.#answer(this.#status(), this.#contentType(), told.message);
    else this.#answer(faultStatusOf(told.dialect, told.code), printMediaType(told.dialect, null), told.message);
  }

  #answer(status: number, contentType: string, message: Buffer): void {
    this.#context.answer.whole(status, contentType, message, retryAfterOf(this.#head));
  }

  /** WS-I Basic Profile R1126: a Fault does not come with a status of success. */
  #status(): number {
    const { status } = this.#head;
    const { fault, dialect } = this.#judge;
    if (fault === null || dialect === null || status < 200 || status > 299) return status;
    return faultStatusOf(dialect, fault.parts.code);
  }

  #contentType(): string {
    return this.#head.header('content-type') ?? 'text/xml';
  }
}
