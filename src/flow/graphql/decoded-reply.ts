import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { REPLIES_MAX } from '../../base/exchange.js';
import { KIB } from '../../base/limit.js';
import { asRefusal, asUpstream, Refusal } from '../../base/refusals/refusal.js';
import type { Decoded, FieldSlot, ReplyPlan } from '../../codec/plan/plan.js';
import { type DecodeLimits, ReplyDecoder } from '../../codec/read/decode.js';
import { noContentReply } from '../../codec/read/empty-reply.js';
import { EncodedReply } from '../../codec/read/encoded.js';
import { type ReplyReceiver, receivedContent } from '../../codec/read/reply-receiver.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import { EnvelopeValidator } from '../../soap/envelope.js';
import { type FaultReader, SoapFaultError } from '../../soap/fault/fault.js';
import type { MessageReader } from '../../soap/gate.js';
import { Attachments } from '../../soap/mime/attachments.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/reply.js';
import type { QName, StartTag, XmlHandler } from '../../xml/events.js';
import type { XmlReader } from '../../xml/reader.js';
import { syntheticTag } from '../../xml/synthetic-tag.js';
import { TeeHandler } from '../../xml/tee-handler.js';
import { bindReply } from '../calls/bind-reply.js';
import { challengesOf } from '../calls/challenges.js';
import type { DeclaredCall, ReplyUse } from '../calls/declared-call.js';
import type { Observation } from '../calls/observation.js';
import { takeReaders } from '../calls/readers.js';
import {
  checkReplyHead,
  isSuccess,
  noEnvelope,
  type ReplyForm,
  replyForm,
} from '../calls/reply-head.js';
import { replyUse } from '../calls/reply-use.js';
import type { CallContext, SentRequest } from './call-context.js';
import { DeclaredFaults } from './declared-faults.js';

const NO_PARTS: readonly never[] = [];
const NO_ELEMENT: QName = { uri: '', local: '' };
const NO_LISTS: NonNullable<Decoded['lists']> = new Map();

/** Status of a reply to a one-way operation (WS-I Basic Profile R1112). */
const ACCEPTED = 202;

/** The most bytes read of an answer with a challenge. */
const DISCARDED_BYTES_MAX = 64 * KIB;

const unauthenticated = (challenge: string): Refusal =>
  new Refusal('UPSTREAM_UNAUTHENTICATED', 'status 401', { challenge });

/** Up to this many bytes a reply is read to its end rather than its connection closed. */
const EARLY_END_BYTES = 64 * KIB;

/** One reply on its way through the envelope into the decoder. Nothing is held: decoded content is not sent on. */
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
  #decoder: ReplyDecoder | EncodedReply | null = null;
  readonly #faults: DeclaredFaults | null;
  /** Null where no header blocks are selected. */
  readonly #headers: ReplyHeaders | null;
  /** Null where the reply is no package. */
  #attachments: Attachments | null = null;
  /** Null where all of the reply is kept. */
  readonly #receiver: ReplyReceiver | null;
  /** The challenge of a backend to the caller; null for any other reply. */
  #challenge: string | null = null;
  /** Only a Fault in the content counts. */
  #mayBeUnread = false;
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
    this.#plan = plan;
    this.#receiver = receiver;
    this.#headers = ReplyHeaders.of(plan, context.limits);
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

  /** The id that the reply may relate to; null for any: a reply from the cache names another request. */
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
    const { service } = this.#context;
    this.#challenge = this.#challengeOf(head);
    // The call is accepted, whatever comes but a Fault.
    const isAccepted = this.#sent.operation.output === null && head.status === ACCEPTED;
    this.#mayBeUnread = this.#challenge !== null || isAccepted;
    const form = this.#mayBeUnread ? this.#formOfFault(head) : checkReplyHead(head, service);
    if (form !== null) this.#open(head, form);
  }

  /** The challenge of a backend that wants other credentials of the caller, which it has got; null for any other reply. */
  #challengeOf(head: ReplyHead): string | null {
    const { service, headers, exchange } = this.#context;
    const isPassed =
      service.passesCredentials && service.callerFields.ofGraphql.includes('authorization');
    if (head.status !== 401 || !isPassed) return null;
    // Without them the caller has none, or they are those for the gateway, which knows its clients.
    if (headers['authorization'] === undefined && exchange.caller.className !== '') return null;
    const challenges = challengesOf(head);
    return challenges.length === 0 ? null : challenges.join(', ');
  }

  #formOfFault(head: ReplyHead): ReplyForm | null {
    const { service } = this.#context;
    // Only the content of other statuses is verified.
    if (this.#challenge !== null && service.replyVerification !== null) return null;
    try {
      return replyForm(head, service);
    } catch {
      return null;
    }
  }

  #open(head: ReplyHead, form: ReplyForm): void {
    const { service, limits } = this.#context;
    const faultWants = service.detailRules(this.#sent.operation);
    this.#envelope = new EnvelopeValidator(service.replyRules, null, faultWants, {
      onHeadValid: (envelope) =>
        bindReply(envelope, head, service, this.#sent.operation, this.#expectedId),
      openHeaderBlock: (tag) => this.#headers?.open(tag) ?? null,
      openBody: (tag) => this.#validated(tag, this.#beginAnswer()),
      openMultiRef: () => this.#openMultiRef(),
      openDetailEntry: (tag) => this.#faults?.openDetailEntry(tag) ?? null,
    });
    const { output } = this.#sent.operation;
    this.#attachments =
      form.package === null
        ? null
        : new Attachments(limits.attachmentBytes, output?.attachments ?? NO_PARTS, () =>
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
    this.#reader = reader;
    // Without a child of Body nothing else would ask for the attachments before they come.
    if (this.#attachments !== null && output?.body === null && output.attachments !== undefined)
      this.#beginAnswer().open(syntheticTag(NO_ELEMENT, 1));
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    if (this.#mayBeUnread) {
      this.#readFaultOnly(chunk);
      return;
    }
    if (this.#reader === null) throw noEnvelope(this.#head);
    if (this.#mayEndEarly) this.#endEarly();
    else this.#attempt(() => this.#reader?.write(chunk));
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
    if (this.#challenge !== null && this.#bytes > DISCARDED_BYTES_MAX)
      throw unauthenticated(this.#challenge);
    try {
      if (chunk === null) this.#reader?.end();
      else this.#reader?.write(chunk);
    } catch (caught) {
      const { code } = asRefusal(caught);
      if (code === 'UPSTREAM_DESYNC' && this.#challenge === null) throw caught;
      this.#reader = null;
      this.#envelope = null;
    }
  }

  /** The answer of a reply of which only a Fault counts. */
  #readFaultAnswer(): Decoded {
    if (this.#bytes > 0) this.#readFaultOnly(null);
    const fault = this.#reader === null ? null : (this.#envelope?.fault ?? null);
    const challenge = this.#challenge;
    if (fault !== null) return this.#readFault(fault, challenge);
    if (challenge !== null) throw unauthenticated(challenge);
    return this.#emptyAnswer();
  }

  end(): void {
    const answer = this.#completeAnswer();
    if (!this.#envelope?.fault) this.#observation?.publish();
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
    if (!this.#envelope?.fault) this.#observation?.lost(this.#head?.status ?? null);
    this.#finish();
    this.#reject(refusal);
  }

  /** Enough has come, and more comes. Where little is left the connection is worth more than that. */
  get #mayEndEarly(): boolean {
    const { service } = this.#context;
    if (
      !service.endsEarly ||
      this.#isEnforced ||
      this.#observation !== null ||
      !(this.#decoder instanceof ReplyDecoder)
    )
      return false;
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
      if (exchange.upstream.replySizes.length < REPLIES_MAX)
        exchange.upstream.replySizes.push(size);
    }
    this.#resolve({ ...decoded, replyBytes: bytes, calls });
  }

  #beginAnswer(): ReplyDecoder | EncodedReply {
    const { limits } = this.#context;
    // A package has attachments, which items may be waiting for.
    const keepsItems = this.#attachments !== null || this.#hasReferences;
    const receiver = keepsItems && receivedContent(this.#receiver) === null ? null : this.#receiver;
    const decoder = new ReplyDecoder(
      this.#plan,
      limits,
      this.#attachments,
      receiver,
      this.#context.makeAddress,
    );
    if (this.#sent.operation.use === 'encoded') this.#decoder = new EncodedReply(decoder, limits);
    else
      this.#decoder = this.#plan.hasReferences
        ? new EncodedReply(decoder, limits, 'dataContract')
        : decoder;
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
    const validator = service.validity?.enforcedReply(this.#sent.operation, tag, exchange) ?? null;
    this.#isEnforced = validator !== null;
    return validator === null ? observed : new TeeHandler(observed, validator);
  }

  /** A part begins: the envelope is over, and elements that others stand for may want it. */
  #followReferences(): void {
    if (this.#decoder instanceof EncodedReply) this.#decoder.replay();
  }

  #openMultiRef(): XmlHandler | null {
    if (this.#decoder instanceof EncodedReply) return this.#decoder;
    if (this.#isEnforced)
      this.#context.service.validity?.undeclared(
        this.#sent.operation,
        'reply',
        this.#context.exchange,
      );
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
    return noContentReply(this.#plan, operation, service.mayBeEmpty(operation), limits);
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
    if (answer === null) throw asUpstream(new Refusal('SOAP_STRUCTURE', 'empty Body'));
    return this.#headers?.complete(answer) ?? answer;
  }

  #readFault(fault: FaultReader, challenge: string | null = null): Decoded {
    const answer = this.#faults?.answer ?? null;
    if (answer !== null) return answer;
    throw (
      this.#faults?.error(fault, challenge) ??
      new SoapFaultError(fault.parts, { ...fault.particulars, typedDetail: null }, challenge)
    );
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (caught) {
      throw asUpstream(asRefusal(caught));
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
    if (this.#envelope?.fault) exchange.faultCode = this.#envelope.fault.parts.code;
    if (this.#xml === null) return;
    exchange.upstream.bytesSkipped += this.#xml.skippedBytes;
    service.readers.give(this.#xml);
    this.#xml = null;
  }
}

/** The header blocks of a reply that a plan selects: its slots with the source `header`, each with a decoder. */
class ReplyHeaders {
  readonly #parts: readonly { readonly key: string; readonly decoder: ReplyDecoder }[];
  readonly #handler: XmlHandler | null;

  private constructor(slots: readonly FieldSlot[], limits: DecodeLimits) {
    this.#parts = slots.flatMap(({ key, value }) => {
      if (value.kind !== 'object') return [];
      const decoder = new ReplyDecoder(
        { element: HEADER, shape: 'whole', value, nonNull: false },
        limits,
      );
      decoder.open(syntheticTag(HEADER, 1));
      return [{ key, decoder }];
    });
    this.#handler = this.#parts.reduce<XmlHandler | null>(
      (all, { decoder }) => (all === null ? decoder : new TeeHandler(all, decoder)),
      null,
    );
  }

  /** Null where the plan selects none. */
  static of({ shape, value }: ReplyPlan, limits: DecodeLimits): ReplyHeaders | null {
    const slots = shape === 'whole' ? (value.declared?.slots ?? []) : [];
    const selected = slots.filter(({ source }) => source.from === 'header');
    return selected.length === 0 ? null : new ReplyHeaders(selected, limits);
  }

  /** The handler of a header block. */
  open(_tag: StartTag): XmlHandler | null {
    return this.#handler;
  }

  /** The answer with its header blocks, which it has null for. */
  complete(answer: Decoded): Decoded {
    if (typeof answer.value !== 'object' || answer.value === null) return answer;
    const value: Record<string, unknown> = Object.assign(Object.create(null), answer.value);
    const errors = [...answer.errors];
    let { furtherErrors, points = 0 } = answer;
    for (const { key, decoder } of this.#parts) {
      const block = decoder.finish();
      value[key] = block.value;
      for (const error of block.errors) errors.push({ ...error, path: [key, ...error.path] });
      furtherErrors += block.furtherErrors;
      points += block.points ?? 0;
    }
    return { ...answer, value, errors, furtherErrors, points };
  }
}

const HEADER = { uri: '', local: '' };
