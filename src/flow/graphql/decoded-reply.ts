import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import {
  type Decoded,
  ReplyDecoder,
  type ReplyPlan,
  type ReplyReceiver,
  replyDecoding,
} from '../../codec/index.js';
import { asRefusal, KIB, Refusal, refusals, type tolerated } from '../../core/index.js';
import { REPLIES_MAX } from '../../gateway/exchange.js';
import type { FieldCall } from '../../graphql/index.js';
import { EnvelopeValidator, type MessageReader, mime, soapFaults } from '../../soap/index.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import {
  type QName,
  type StartTag,
  syntheticTag,
  TeeHandler,
  type XmlHandler,
  type XmlReader,
} from '../../xml/index.js';
import type { DeclaredCall, ReplyUse } from '../calls/declared-call.js';
import type { Observation } from '../calls/observation.js';
import { replyUse } from '../calls/reply-use.js';
import { bindReply } from '../reply/bind-reply.js';
import { refusalUnlessFault } from '../reply/challenges.js';
import { takeReaders } from '../reply/readers.js';
import { explainReply, HeadRefusal, refuseUnread } from '../reply/reply-facts.js';
import {
  checkReplyHead,
  isSuccess,
  noEnvelope,
  type ReplyForm,
  replyForm,
  retryAfterOf,
} from '../reply/reply-head.js';
import { ReplyTolerance, UNTYPED } from '../reply/reply-tolerance.js';
import type { CallContext, SentRequest } from './call-context.js';
import { challengeTo, hasSentCredentials } from './caller-challenge.js';
import { DeclaredFaults } from './declared-faults.js';
import { SelectedReplyHeaders } from './selected-reply-headers.js';

const NO_PARTS: readonly never[] = [];
const NO_ELEMENT: QName = { uri: '', local: '' };
const NO_LISTS: NonNullable<Decoded['lists']> = new Map();

/** Status of a reply to a one-way operation (WS-I Basic Profile R1112). */
const ACCEPTED = 202;

/** The most bytes read of an answer with a challenge. */
const DISCARDED_BYTES_MAX = 64 * KIB;

/** The answer of an empty Body that is tolerated. */
const NOTHING_SENT: Decoded = { value: null, errors: [], furtherErrors: 0 };

/** Up to this many bytes a reply is read to its end rather than its connection closed. */
const EARLY_END_BYTES = 64 * KIB;

/**
 * One reply on its way through the envelope into the decoder. Nothing is held: decoded content is
 * not sent on.
 */
export class DecodedReply implements UpstreamReceiver {
  readonly #context: CallContext;
  readonly #observation: Observation | null;
  readonly #sent: SentRequest;
  readonly #plan: ReplyPlan;
  readonly #resolve: (decoded: Decoded) => void;
  readonly #reject: (refusal: Refusal) => void;
  readonly #startedMillis = performance.now();
  #release: () => void = () => {};
  #head: ReplyHead | null = null;
  #call: UpstreamCall | null = null;
  #declared: DeclaredCall | null = null;
  #xml: XmlReader | null = null;
  #reader: MessageReader | null = null;
  #envelope: EnvelopeValidator | null = null;
  #decoder: ReplyDecoder | replyDecoding.EncodedReply | null = null;
  readonly #faults: DeclaredFaults | null;
  /** Null where no header blocks are selected. */
  readonly #headers: SelectedReplyHeaders | null;
  /** Null where the reply is no package. */
  #attachments: mime.Attachments | null = null;
  /** Null where all of the reply is kept. */
  readonly #receiver: ReplyReceiver | null;
  /** The challenge of a backend to the caller; null for any other reply. */
  #challenge: string | null = null;
  /** The refusal of a 401 whose content is no Fault. */
  #unlessFault: Refusal | null = null;
  /** Only a Fault in the content counts. */
  #mayBeUnread = false;
  readonly #tolerance: ReplyTolerance;
  #form: ReplyForm | null = null;
  /** The refusal of the reply by its head. */
  #refused: HeadRefusal | null = null;
  /** The first bytes of the reply, for the log of its refusal. */
  #first: Buffer | null = null;
  #bytes = 0;
  /** The content of the reply must be valid, to its end. */
  #isEnforced = false;
  #isOver = false;
  /** The call waits for the receiver. */
  #isPaused = false;

  constructor(
    context: CallContext,
    observation: Observation | null,
    sent: SentRequest,
    { plan, receiver = null }: Pick<FieldCall, 'plan' | 'receiver'>,
    resolve: (decoded: Decoded) => void,
    reject: (refusal: Refusal) => void,
  ) {
    this.#context = context;
    this.#observation = observation;
    this.#sent = sent;
    this.#tolerance = new ReplyTolerance(context.service, sent.operation, context.exchange);
    this.#plan = plan;
    this.#receiver = receiver;
    this.#headers = SelectedReplyHeaders.of(plan, context.limits);
    this.#faults =
      plan.faults === undefined
        ? null
        : new DeclaredFaults(plan.faults, context.limits, sent.operation.use === 'encoded');
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(call: UpstreamCall, declared: DeclaredCall | null, release: () => void): void {
    this.#call = call;
    this.#declared = declared;
    this.#release = release;
  }

  /**
   * The id that the reply may relate to; null for any: a reply from the cache names another
   * request.
   */
  get #expectedId(): string | null {
    const declared = this.#declared;
    if (declared?.answeredId !== undefined) return declared.answeredId;
    return declared?.isMade === false ? null : this.#sent.messageId;
  }

  abort(refusal: Refusal): void {
    this.#call?.abort(refusal);
  }

  sent(): void {
    this.#observation?.sent();
  }

  head(head: ReplyHead): void {
    this.#head = head;
    this.#challenge = challengeTo(this.#context, head);
    // The call is accepted, whatever comes but a Fault.
    const isAccepted = this.#sent.operation.output === null && head.status === ACCEPTED;
    const { service } = this.#context;
    const hasSent = head.status === 401 && hasSentCredentials(this.#context) === true;
    this.#unlessFault = refusalUnlessFault(head, this.#challenge, service, hasSent);
    this.#mayBeUnread = this.#unlessFault !== null || isAccepted;
    const form = this.#mayBeUnread ? this.#formOfFault(head) : this.#checkedForm(head);
    this.#form = form;
    if (form !== null) {
      this.#open(head, form);
    }
  }

  #checkedForm(head: ReplyHead): ReplyForm | null {
    const { service } = this.#context;
    try {
      return checkReplyHead(head, service, this.#names);
    } catch (caught) {
      this.#refused = HeadRefusal.of(caught, service, head);
      if (this.#refused === null) throw caught;
      return null;
    }
  }

  get #names(): tolerated.Tolerance {
    return this.#context.service.toleranceOf(this.#sent.operation);
  }

  #formOfFault(head: ReplyHead): ReplyForm | null {
    const { service } = this.#context;
    // Only the content of other statuses is verified.
    if (this.#unlessFault !== null && service.replyVerification !== null) return null;
    try {
      return replyForm(head, service, this.#names);
    } catch {
      return null;
    }
  }

  #open(head: ReplyHead, form: ReplyForm): void {
    const { service, limits } = this.#context;
    const faultWants = service.detailRules(this.#sent.operation);
    this.#envelope = new EnvelopeValidator(service.replyRules, null, faultWants, {
      onHeadValid: (envelope) => {
        if (form.isUntyped === true) {
          this.#tolerance.allow(['media-type'], ...UNTYPED);
        }
        const { operation } = this.#sent;
        bindReply(envelope, head, service, operation, this.#expectedId, this.#tolerance);
      },
      openHeaderBlock: (tag) => this.#headers?.open(tag) ?? null,
      openBody: (tag) =>
        this.#tolerance.read(tag, (declared) => this.#validated(declared, this.#beginAnswer())),
      openMultiRef: () => this.#openMultiRef(),
      openDetailEntry: (tag) => this.#faults?.openDetailEntry(tag) ?? null,
    });
    const { output } = this.#sent.operation;
    this.#attachments =
      form.package === null
        ? null
        : new mime.Attachments(limits.attachmentBytes, output?.attachments ?? NO_PARTS, () =>
            this.#followReferences(),
          );
    const { xml, reader } = takeReaders(
      service,
      this.#envelope,
      form.type.charset,
      form.package,
      this.#attachments,
    );
    this.#xml = xml;
    xml.locateRefusals();
    this.#reader = reader;
    // Without a child of Body nothing else would ask for the attachments before they come.
    if (this.#attachments !== null && output?.body === null && output.attachments !== undefined) {
      this.#beginAnswer().open(syntheticTag(NO_ELEMENT, 1));
    }
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    this.#first ??= chunk;
    if (this.#refused !== null) throw this.#refused.with(chunk);
    if (this.#mayBeUnread) {
      this.#readFaultOnly(chunk);
      return;
    }
    if (this.#reader === null) throw refuseUnread(this.#head, chunk, this.#tolerance);
    if (this.#mayEndEarly) {
      this.#endEarly();
    } else {
      this.#attempt(() => this.#reader?.write(chunk));
    }
    const waiting = this.#receiver?.flush() ?? null;
    // A reply from the cache does not pause: it is in memory.
    if (waiting === null || this.#isPaused) return;
    this.#isPaused = true;
    this.#call?.pause();
    waiting.onResume(() => {
      this.#isPaused = false;
      this.#call?.resume();
    });
  }

  /** Content that is no Fault is read and discarded. */
  #readFaultOnly(chunk: Buffer | null): void {
    if (this.#unlessFault !== null && this.#bytes > DISCARDED_BYTES_MAX) throw this.#unlessFault;
    try {
      if (chunk === null) {
        this.#reader?.end();
      } else {
        this.#reader?.write(chunk);
      }
    } catch (caught) {
      const { code } = asRefusal(caught);
      if (code === 'UPSTREAM_DESYNC' && this.#unlessFault === null) throw caught;
      this.#reader = null;
      this.#envelope = null;
    }
  }

  /** The answer of a reply of which only a Fault counts. */
  #readFaultAnswer(): Decoded {
    if (this.#bytes > 0) {
      this.#readFaultOnly(null);
    }
    const fault = this.#reader === null ? null : (this.#envelope?.fault ?? null);
    if (fault !== null) return this.#readFault(fault, this.#challenge);
    if (this.#unlessFault !== null) throw this.#unlessFault;
    return this.#emptyAnswer();
  }

  end(): void {
    if (this.#refused !== null) throw this.#refused.refusal;
    const answer = this.#completeAnswer();
    if (answer.errors.some(({ rule }) => rule === replyDecoding.MISSING)) {
      this.#tolerance.suggest('missing');
    }
    if (!this.#envelope?.fault) {
      this.#observation?.publish();
    }
    // A reader that may not see all of a reply has read a good one all the same.
    const isWhole =
      this.#attachments === null && (answer.errors.length === 0 || answer.isValid === true);
    this.#finish(
      replyUse(
        this.#envelope,
        this.#head,
        this.#context.exchange,
        isWhole,
        this.#sent.messageId !== null,
      ),
    );
    this.#answer(answer);
  }

  #completeAnswer(): Decoded {
    if (this.#mayBeUnread) return this.#readFaultAnswer();
    return this.#bytes === 0 ? this.#emptyAnswer() : this.#readAnswer();
  }

  failed(refusal: Refusal): void {
    if (this.#isOver) return;
    if (!this.#envelope?.fault) {
      this.#observation?.lost(this.#head?.status ?? null);
    }
    const explained = explainReply(this.#refused?.refusal ?? refusal, {
      head: this.#head,
      form: this.#form,
      envelope: this.#envelope,
      tolerance: this.#tolerance,
      first: this.#first,
      isUnverified: this.#context.service.replyVerification !== null,
    });
    this.#finish();
    this.#reject(explained);
  }

  /**
   * Enough has come, and more comes. Where little is left the connection is worth more than that.
   */
  get #mayEndEarly(): boolean {
    const { service } = this.#context;
    if (
      !service.endsEarly ||
      this.#isEnforced ||
      this.#observation !== null ||
      !(this.#decoder instanceof ReplyDecoder)
    ) {
      return false;
    }
    const length = Number(this.#head?.header('content-length') ?? Number.POSITIVE_INFINITY);
    return length - this.#bytes > EARLY_END_BYTES && this.#decoder.isComplete;
  }

  /** Answers, and drops the connection. The rest is not validated. */
  #endEarly(): void {
    const answer = this.#readDecoded();
    this.#finish();
    this.#answer(answer);
    // Only the breaker sees it, to which it is an answer.
    this.#call?.abort(new Refusal('UPSTREAM_RESPONSE_LIMIT', 'answered before the end'));
  }

  /** Adds the calls and bytes of the reply to the answer, for its actual cost. */
  #answer(decoded: Decoded): void {
    const { exchange, service } = this.#context;
    // None where the answer is known, or came with another's.
    const calls = this.#declared?.isMade === false ? 0 : 1;
    const bytes = calls === 0 ? 0 : this.#bytes;
    if (calls > 0) {
      exchange.upstream.replySizes ??= [];
      const { lists = NO_LISTS } = decoded;
      const size = { service: service.name, operation: this.#sent.operation.name, bytes, lists };
      if (exchange.upstream.replySizes.length < REPLIES_MAX) {
        exchange.upstream.replySizes.push(size);
      }
    }
    this.#resolve({ ...decoded, replyBytes: bytes, calls });
  }

  #beginAnswer(): ReplyDecoder | replyDecoding.EncodedReply {
    const { limits } = this.#context;
    // A package has attachments, which items may be waiting for.
    const keepsItems = this.#attachments !== null || this.#hasReferences;
    const receiver =
      keepsItems && replyDecoding.receivedContent(this.#receiver) === null ? null : this.#receiver;
    const decoder = new ReplyDecoder(
      this.#plan,
      limits,
      this.#attachments,
      receiver,
      this.#context.makeAddress,
    );
    if (this.#sent.operation.use === 'encoded') {
      this.#decoder = new replyDecoding.EncodedReply(decoder, limits);
    } else {
      this.#decoder = this.#plan.hasReferences
        ? new replyDecoding.EncodedReply(decoder, limits, 'dataContract')
        : decoder;
    }
    return this.#decoder;
  }

  /** Elements may stand for others, which come later. */
  get #hasReferences(): boolean {
    return this.#sent.operation.use === 'encoded' || this.#plan.hasReferences === true;
  }

  /** The decoder reads what is selected; a validator, where replies are enforced, reads all. */
  #validated(tag: StartTag, decoder: XmlHandler): XmlHandler {
    const { service, exchange } = this.#context;
    const observer = this.#observation?.reply() ?? null;
    const observed = observer === null ? decoder : new TeeHandler(decoder, observer);
    const validator =
      service.validity?.enforcedReply(
        this.#sent.operation,
        tag,
        exchange,
        this.#tolerance.content,
      ) ?? null;
    this.#isEnforced = validator !== null;
    return validator === null ? observed : new TeeHandler(observed, validator);
  }

  /** A part begins: the envelope is over, and elements that others stand for may want it. */
  #followReferences(): void {
    if (this.#decoder instanceof replyDecoding.EncodedReply) {
      this.#decoder.replay();
    }
  }

  #openMultiRef(): XmlHandler | null {
    if (this.#decoder instanceof replyDecoding.EncodedReply) return this.#decoder;
    if (this.#isEnforced) {
      this.#context.service.validity?.undeclared(
        this.#sent.operation,
        'reply',
        this.#context.exchange,
      );
    }
    return this.#faults?.openMultiRef() ?? null;
  }

  #emptyAnswer(): Decoded {
    const answer = this.#noContent();
    if (answer === null || !isSuccess(this.#head)) throw noEnvelope(this.#head);
    return this.#headers?.complete(answer) ?? answer;
  }

  #noContent(): Decoded | null {
    const { service, limits } = this.#context;
    const { operation } = this.#sent;
    return replyDecoding.noContentReply(
      this.#plan,
      operation,
      service.mayBeEmpty(operation),
      limits,
    );
  }

  #readAnswer(): Decoded {
    this.#attempt(() => this.#reader?.end());
    const fault = this.#envelope?.fault ?? null;
    if (fault !== null) return this.#readFault(fault);
    return this.#readDecoded();
  }

  #readDecoded(): Decoded {
    const decoder = this.#decoder;
    const answer = decoder === null ? this.#noContent() : this.#attempt(() => decoder.finish());
    if (answer === null && this.#tolerance.has('empty-body')) return NOTHING_SENT;
    if (answer === null) throw refusals.asUpstream(new Refusal('SOAP_STRUCTURE', 'empty Body'));
    return this.#headers?.complete(answer) ?? answer;
  }

  #readFault(fault: soapFaults.FaultReader, challenge: string | null = null): Decoded {
    const answer = this.#faults?.answer ?? null;
    if (answer !== null) return answer;
    const retryAfter = this.#head === null ? null : retryAfterOf(this.#head);
    const particulars = { ...fault.particulars, typedDetail: null };
    throw (
      this.#faults?.error(fault, challenge, retryAfter) ??
      new soapFaults.SoapFaultError(fault.parts, particulars, challenge, retryAfter)
    );
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (caught) {
      throw refusals.asUpstream(asRefusal(caught));
    }
  }

  #finish(use: ReplyUse = 'share'): void {
    const { exchange, service, sharing } = this.#context;
    this.#isOver = true;
    this.#release();
    const leftMillis = this.#declared?.finish(use) ?? 0;
    sharing?.lifetime?.part(
      leftMillis,
      sharing.calls.rule(service, this.#sent.operation)?.isShared === true,
    );
    exchange.upstream.millis += performance.now() - this.#startedMillis;
    if (this.#envelope?.fault) {
      exchange.faultCode = this.#envelope.fault.parts.code;
    }
    if (this.#xml === null) return;
    exchange.upstream.bytesSkipped += this.#xml.skippedBytes;
    service.readers.give(this.#xml);
    this.#xml = null;
  }
}
