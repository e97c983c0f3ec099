import { Buffer } from 'node:buffer';
import { Refusal, refusals } from '../../core/index.js';
import {
  type Dialect,
  dialectOfName,
  type EnvelopeValidator,
  type GateOutput,
  mime,
  mimeTypes,
  soapFaults,
} from '../../soap/index.js';
import type { ReplyHead, UpstreamCall } from '../../upstream/index.js';
import type { XmlReader } from '../../xml/index.js';
import { isPrintable, type ReplyForm, retryAfterOf } from '../reply/reply-head.js';
import { callerCookie } from './caller-cookie.js';
import type { SoapContext } from './context.js';
import { challengeFields } from './passthrough.js';
import { charsetOf } from './upstream-head.js';

/** The reply that goes out, and what it is read with. */
interface ReplyOutputParts {
  readonly head: ReplyHead;
  readonly form: ReplyForm;
  /** Null where the reply is no package. */
  readonly package: mime.MultipartReader | null;
  /** Reads the envelope. */
  readonly xml: Pick<XmlReader, 'encoding'>;
  readonly envelope: EnvelopeValidator;
  readonly rules: soapFaults.DetailRules;
  readonly call: UpstreamCall | null;
  /** Null for a reply that comes from the backend. */
  readonly ageMillis: number | null;
}

/**
 * The validated part of a reply, on its way to the caller: byte for byte, but for a Fault, which is
 * held until it is whole, put into the caller's dialect and stripped of details that the service
 * does not show.
 */
export class ReplyOutput implements GateOutput {
  readonly #context: SoapContext;
  readonly #parts: ReplyOutputParts;
  /** A Fault longer than the window, until it is whole. */
  #collected: Buffer[] | null = null;
  #collectedBytes = 0;

  constructor(context: SoapContext, parts: ReplyOutputParts) {
    this.#context = context;
    this.#parts = parts;
  }

  whole(message: Buffer): void {
    if (this.#parts.envelope.fault !== null && this.#mayChange) {
      this.#prepareFault(message);
    } else {
      this.#answer(this.#status(), this.#contentType(), message);
    }
  }

  begin(_growthBytes: number): void {
    const { envelope, rules } = this.#parts;
    const isPassed = rules.policy === 'unsafe:pass' && envelope.bridge === null;
    if (envelope.fault !== null && this.#mayChange && !isPassed) {
      this.#collected = [];
      return;
    }
    const { answer } = this.#context;
    answer.begin(this.#status(), this.#contentType(), this.#more());
    answer.onDrain(() => this.#parts.call?.resume());
  }

  data(chunk: Buffer): void {
    if (this.#collected === null) {
      if (!this.#context.answer.data(chunk)) {
        this.#parts.call?.pause();
      }
      return;
    }
    this.#collected.push(chunk);
    this.#collectedBytes += chunk.length;
    if (this.#collectedBytes > this.#context.gate.headBytes) {
      throw new Refusal('UPSTREAM_RESPONSE_LIMIT', 'a Fault that must be held');
    }
  }

  end(): void {
    if (this.#collected === null) {
      this.#context.answer.end();
    } else {
      this.#prepareFault(Buffer.concat(this.#collected));
    }
  }

  /** Monitor mode changes nothing but the version of a message. */
  get #mayChange(): boolean {
    return this.#context.gate.onViolation === null || this.#parts.envelope.bridge !== null;
  }

  #prepareFault(message: Buffer): void {
    const { service, exchange } = this.#context;
    const { envelope, type } = this.#envelopeOf(message);
    const options = {
      to: dialectOfName(exchange.dialect),
      rules: this.#parts.rules,
      readers: service.readers,
      charset: type.charset,
    };
    const prepared = soapFaults.prepareFault(envelope, options);
    if (prepared.kind === 'own') {
      const { repaired } = prepared;
      exchange.repairedFault = repaired?.deviation ?? null;
      // A package whose Fault is changed is not sent: only the Fault is.
      const isChanged = prepared.message !== envelope && this.#parts.package !== null;
      const contentType = isChanged ? contentTypeOf(type) : this.#contentType();
      this.#answer(
        repaired === null ? this.#status() : this.#repairedStatus(repaired),
        contentType,
        prepared.message === envelope ? message : prepared.message,
      );
    } else {
      this.#answer(
        this.#parts.head.status === 401
          ? 401
          : refusals.faultStatus(prepared.code, prepared.dialect),
        mimeTypes.printContentType(
          prepared.dialect.mediaType,
          charsetOf(type, prepared.charset),
          null,
        ),
        prepared.message,
      );
    }
  }

  #envelopeOf(message: Buffer): { readonly envelope: Buffer; readonly type: mimeTypes.MediaType } {
    if (this.#parts.package === null) return { envelope: message, type: this.#parts.form.type };
    const { sourceStart, envelopeBytes, envelopeType } = this.#parts.package;
    const envelope = message.subarray(sourceStart, sourceStart + envelopeBytes);
    const { bridge } = this.#parts.envelope;
    return {
      envelope: bridge?.apply(envelope, this.#parts.xml.encoding) ?? envelope,
      type: envelopeType ?? this.#parts.form.type,
    };
  }

  #answer(status: number, contentType: string, message: Buffer): void {
    this.#context.answer.whole(status, contentType, message, this.#more());
  }

  /**
   * The status of the backend, but for 500: that of an invalid Fault says nothing, and its code has
   * one of its own.
   */
  #repairedStatus({ code, dialect }: soapFaults.Repair): number {
    const { status } = this.#parts.head;
    return status < 400 || status === 500 ? refusals.faultStatus(code, dialect) : status;
  }

  /**
   * A Fault comes with the status of an error (WS-I Basic Profile R1126): the one that the backend
   * gave, or its own.
   */
  #status(): number {
    const { status } = this.#parts.head;
    const { fault, dialect } = this.#parts.envelope;
    if (
      !this.#mayChange ||
      fault === null ||
      dialect === null ||
      (status >= 400 && status <= 599)
    ) {
      return status;
    }
    return refusals.faultStatus(fault.parts.code, dialect);
  }

  /** Further fields: cookies, `Retry-After`, or in monitor mode the other fields of the reply. */
  #more(): readonly string[] {
    const { service } = this.#context;
    const { head } = this.#parts;
    const more = this.#withCookies();
    const isOfCaller = service.bound !== null || (head.status === 401 && this.#mayChange);
    return isOfCaller ? [...more, ...challengeFields(head, service)] : more;
  }

  #withCookies(): readonly string[] {
    const { service, affinity } = this.#context;
    const { passesCookies } = service.callerFields;
    const sticky = service.reach.affinity?.cookie ?? null;
    if (!passesCookies && sticky === null) return this.#others();
    const set = passesCookies ? this.#parts.head.headers('set-cookie').filter(isPrintable) : [];
    const cookies = set.map((cookie) => callerCookie(cookie, service.path));
    const { addressId = null } = this.#parts.head;
    if (cookies.length === 0 && (sticky === null || addressId === null)) return this.#others();
    const isKnown = addressId === null || affinity?.addressId === addressId;
    const own =
      sticky === null || isKnown
        ? []
        : [`${sticky}=${addressId}; Path=${service.path}; HttpOnly; SameSite=Lax`];
    return [...this.#others(), ...[...cookies, ...own].flatMap((cookie) => ['set-cookie', cookie])];
  }

  #others(): readonly string[] {
    if (this.#mayChange) {
      // RFC 9111 section 5.1: whole seconds.
      if (this.#parts.ageMillis !== null) {
        return ['age', String(Math.floor(this.#parts.ageMillis / 1000))];
      }
      const retryAfter = retryAfterOf(this.#parts.head);
      return retryAfter === null ? NO_FIELDS : ['retry-after', retryAfter];
    }
    const { service } = this.#context;
    return MONITORED.flatMap((name) => {
      if (name === 'www-authenticate' && service.bound !== null) return [];
      const value = this.#parts.head.header(name);
      return value === null || !isPrintable(value) ? [] : [name, value];
    });
  }

  /**
   * That of the version, with the encoding that is known, where the backend sends none of an
   * envelope.
   */
  #contentType(): string {
    const { form, envelope, head } = this.#parts;
    if (envelope.bridge !== null) return this.#bridgedType(envelope.bridge.to);
    if (form.isUntyped === true && envelope.dialect !== null && this.#mayChange) {
      return mimeTypes.printContentType(envelope.dialect.mediaType, form.type.charset, null);
    }
    return head.header('content-type') ?? 'text/xml';
  }

  /** That of a reply in the version of the caller. */
  #bridgedType(to: Dialect): string {
    const { form, head, xml } = this.#parts;
    const written = head.header('content-type');
    return form.package === null || written === null
      ? mimeTypes.printContentType(to.mediaType, charsetOf(form.type, xml.encoding), null)
      : mime.bridgedPackageType(written, to, null);
  }
}

/** Passes on a Fault, and drops any other message: where no answer is due. */
export class FaultOutput implements GateOutput {
  readonly #output: GateOutput;
  readonly #envelope: EnvelopeValidator;

  constructor(output: GateOutput, envelope: EnvelopeValidator) {
    this.#output = output;
    this.#envelope = envelope;
  }

  whole(message: Buffer): void {
    if (this.#isFault) {
      this.#output.whole(message);
    }
  }

  begin(growthBytes: number): void {
    if (this.#isFault) {
      this.#output.begin(growthBytes);
    }
  }

  data(chunk: Buffer): void {
    if (this.#isFault) {
      this.#output.data(chunk);
    }
  }

  end(): void {
    if (this.#isFault) {
      this.#output.end();
    }
  }

  get #isFault(): boolean {
    return this.#envelope.fault !== null;
  }
}

const NO_FIELDS: readonly string[] = [];
const MONITORED = ['content-encoding', 'location', 'retry-after', 'www-authenticate'];

const contentTypeOf = ({ name, charset }: mimeTypes.MediaType): string =>
  charset === null ? name : `${name}; charset=${charset}`;
