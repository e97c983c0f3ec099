import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { asRefusal, KIB, Refusal, refusals, Stages, tolerated } from '../../core/index.js';
import {
  dialectOfName,
  type EnvelopeObserver,
  EnvelopeValidator,
  Gate,
  headerBlocks,
  type MessageReader,
} from '../../soap/index.js';
import type {
  ReplyHead,
  UpstreamCall,
  UpstreamReceiver,
  UpstreamRequest,
} from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { StartTag, XmlHandler, XmlReader } from '../../xml/index.js';
import {
  type ComparedMessage,
  callUpstream,
  type DeclaredCall,
  type KeyedRequest,
} from '../calls/declared-call.js';
import { together } from '../calls/observation.js';
import { replyUse } from '../calls/reply-use.js';
import { bindReply, relateTo } from '../reply/bind-reply.js';
import { HeldReply } from '../reply/held-reply.js';
import { takeReaders } from '../reply/readers.js';
import { readRepaired, repairOf } from '../reply/repairing-receiver.js';
import { explainReply, HeadRefusal, refuseUnread, type SeenReply } from '../reply/reply-facts.js';
import {
  checkReplyHead,
  isSuccess,
  noEnvelope,
  type ReplyForm,
  replyForm,
} from '../reply/reply-head.js';
import { ReplyTolerance, UNTYPED } from '../reply/reply-tolerance.js';
import type { SoapContext } from './context.js';
import { challengeFields, isChallenge } from './passthrough.js';
import { FaultOutput, ReplyOutput } from './reply-output.js';

/**
 * Sends a validated request to the backend and its validated reply to the caller, byte for byte.
 * `messageId` is the id a reply may relate to, `message` what the call is compared by, if it may be
 * shared, `keyed` the request under its idempotency key. Resolves when the reply is complete.
 * Rejects
 * with a refusal; if part of the reply is out by then, the caller's connection must be cut.
 */
export function forward(
  context: SoapContext,
  request: UpstreamRequest,
  operation: Operation | null,
  messageId: string | null = null,
  message: ComparedMessage | null = null,
  keyed: KeyedRequest | null = null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    new Relay(context, operation, messageId, resolve, reject).begin(request, message, keyed);
  });
}

/**
 * The most bytes read of an answer with a challenge; beyond, its connection is closed. Only its
 * fields go to the caller.
 */
const DISCARDED_BYTES_MAX = 64 * KIB;

const ANY_TYPE: tolerated.Tolerance = new Set(['media-type']);
const BYTES: tolerated.Tolerance = new Set(tolerated.OF_BYTES);

/** Status of a reply to a one-way operation (WS-I Basic Profile R1112). */
const ACCEPTED = 202;

const UNREAD: ReplyForm = { type: { name: '', charset: null, action: null }, package: null };

/**
 * The stage of a reply: `invalid`: monitor mode has reported that it is in no order, and no byte of
 * it has come; then it passes `unread`. `read`: its bytes go through the gate.
 */
type Stage = 'awaited' | 'invalid' | 'read' | 'unread';

/**
 * The stage that a step leads to, by the stage before it. A step that is not listed there changes
 * nothing.
 */
const STEPS = {
  report: { awaited: 'invalid' },
  data: { awaited: 'read', invalid: 'unread' },
} as const satisfies Record<string, { readonly [before in Stage]?: Stage }>;

/** One reply on its way through the gate out. */
class Relay implements UpstreamReceiver, EnvelopeObserver {
  readonly #context: SoapContext;
  /** Null when it is not known: then an empty answer is checked by its status alone. */
  readonly #operation: Operation | null;
  readonly #messageId: string | null;
  readonly #tolerance: ReplyTolerance;
  /** Monitor mode has reported a deviation of the reply. */
  #hasReported = false;
  readonly #resolve: () => void;
  readonly #reject: (refusal: Refusal) => void;
  readonly #startedMillis = performance.now();
  #call: UpstreamCall | null = null;
  #declared: DeclaredCall | null = null;
  #head: ReplyHead | null = null;
  #reader: XmlReader | null = null;
  #envelope: EnvelopeValidator | null = null;
  #gate: Gate | null = null;
  #form: ReplyForm | null = null;
  readonly #stages = new Stages<Stage>('awaited');
  /** The reply has a Security block, whose signature may cover any other block. */
  #isSecured = false;
  /** The backend authenticates callers itself, and wants other credentials of this one. */
  #isChallenge = false;
  /** Only a Fault in the content goes to the caller. */
  #isFaultOnly = false;
  /** Content that is no envelope is discarded. */
  #mayBeUnread = false;
  /** The refusal of the reply by its head. */
  #refused: HeadRefusal | null = null;
  /** The first bytes of the reply, for the log of its refusal. */
  #first: Buffer | null = null;
  /** Bytes of the answer that comes with a challenge. */
  #discardedBytes = 0;

  constructor(
    context: SoapContext,
    operation: Operation | null,
    messageId: string | null,
    resolve: () => void,
    reject: (refusal: Refusal) => void,
  ) {
    this.#context = context;
    this.#operation = operation;
    const { service, exchange, gate } = context;
    this.#tolerance = new ReplyTolerance(service, operation, exchange, gate.onViolation !== null);
    this.#tolerance.onMonitored = (refusal) => this.#report(refusal);
    this.#messageId = messageId;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(
    request: UpstreamRequest,
    message: ComparedMessage | null,
    keyed: KeyedRequest | null,
  ): void {
    const { service, upstream, answer, exchange, blocks, gate } = this.#context;
    const operation = this.#operation;
    const { verification } = answer;
    const held = verification?.isUnverified === true ? new HeldReply(this, verification) : null;
    const parts = {
      exchange,
      service,
      upstream,
      operation,
      request,
      message,
      keyed,
      receiver: held ?? this,
      blocks,
      keepsBytes: gate.onViolation !== null,
    };
    this.#declared = this.#context.calls.start(parts);
    this.#call = this.#declared ?? callUpstream(parts);
    held?.begin(this.#call);
    answer.onGone(() => this.#call?.abort(new Refusal('CLIENT_GONE')));
  }

  sent(): void {
    this.#context.observation?.sent();
  }

  head(head: ReplyHead): void {
    const { service, answer, gate } = this.#context;
    this.#head = head;
    this.#isChallenge = this.#mayChallenge && isChallenge(head, service, answer.request);
    // A one-way operation is done, whatever comes but a Fault (catalogue S23).
    const isDone = this.#isOneWay && isSuccess(head) && gate.onViolation === null;
    this.#isFaultOnly = this.#isChallenge || isDone;
    this.#mayBeUnread = this.#isChallenge || (isDone && head.status === ACCEPTED);
    const form = this.#mayBeUnread ? this.#formOfFault(head) : this.#checkHead(head);
    if (form !== null) {
      this.#open(head, form);
    }
  }

  /**
   * Null also where monitor mode lets through what is in no order: then the reply passes unread.
   */
  #checkHead(head: ReplyHead): ReplyForm | null {
    try {
      const { service } = this.#context;
      return checkReplyHead(head, service, this.#formTolerance);
    } catch (caught) {
      const { service, gate } = this.#context;
      this.#refused = gate.onViolation === null ? HeadRefusal.of(caught, service, head) : null;
      if (this.#refused === null) {
        this.#violated(caught);
      }
      return null;
    }
  }

  #open(head: ReplyHead, form: ReplyForm): Gate {
    const { service, gate, exchange } = this.#context;
    const envelope = new EnvelopeValidator(service.replyRules, null, 'no detail', this);
    this.#envelope = envelope;
    if (exchange.bridgedTo !== '') {
      const caller = dialectOfName(exchange.dialect);
      envelope.bridgeTo = () => caller;
    }
    const reading = takeReaders(service, envelope, form.type.charset, form.package);
    this.#reader = reading.xml;
    reading.xml.locateRefusals();
    this.#form = form;
    const ageMillis = this.#declared?.ageMillis ?? null;
    const rules = service.detailRules(this.#operation);
    const parts = {
      head,
      form,
      package: reading.package,
      xml: reading.xml,
      envelope,
      rules,
      call: this.#call,
      ageMillis,
    };
    const output = new ReplyOutput(this.#context, parts);
    const faults = this.#isFaultOnly ? new FaultOutput(output, envelope) : output;
    const reader =
      gate.onViolation === null ? reading.reader : this.#observed(reading.reader, head);
    this.#gate = new Gate(reader, envelope, gate, faults);
    return this.#gate;
  }

  /** In monitor mode: finds deviations of the bytes, and reads on. */
  #observed(reader: MessageReader, head: ReplyHead): MessageReader {
    const { service } = this.#context;
    const repair = repairOf(head.header('content-type'), service, BYTES, (deviation) =>
      this.#tolerance.allow(
        [deviation],
        tolerated.DEVIATION_CODES[deviation],
        tolerated.DEVIATIONS[deviation],
      ),
    );
    return repair === null ? reader : readRepaired(reader, repair);
  }

  /** In monitor mode: reports a deviation for which a name is missing, and goes on reading. */
  #report(refusal: Refusal): void {
    const { onViolation } = this.#context.gate;
    if (this.#hasReported) return;
    this.#hasReported = true;
    onViolation?.(explainReply(refusal, this.#seen));
  }

  /** In monitor mode reports it and goes on; else throws it. */
  #violated(caught: unknown): void {
    const { onViolation } = this.#context.gate;
    if (onViolation === null || !(caught instanceof Refusal)) throw caught;
    if (this.#stages.move(STEPS.report)) {
      onViolation(explainReply(caught, this.#seen));
    }
  }

  onHeadValid(envelope: EnvelopeValidator): void {
    envelope.bridge?.beginContent(this.#operation?.use === 'encoded');
    // The answer that is kept for an idempotency key names the message that it was made for.
    const { answeredId = this.#messageId } = this.#declared ?? {};
    const { service, gate } = this.#context;
    const tolerance = this.#tolerance;
    if (this.#form?.isUntyped === true) {
      tolerance.allow(['media-type'], ...UNTYPED);
    }
    bindReply(envelope, this.#head, service, this.#operation, answeredId, tolerance);
    if (tolerance.edit !== null && gate.onViolation === null) {
      envelope.editOperation(tolerance.edit);
    }
    // A Fault is taken out of its package by the offsets with which that came.
    const isFixed =
      this.#isSecured || (this.#form?.package != null && envelope.operation?.local === 'Fault');
    if (answeredId !== this.#messageId && !isFixed) {
      relateTo(envelope, this.#messageId);
    }
  }

  openHeaderBlock(tag: StartTag): null {
    this.#isSecured ||= headerBlocks.isSecurity(tag);
    return null;
  }

  openBody(tag: StartTag): XmlHandler | null {
    const { service, exchange, observation } = this.#context;
    if (this.#operation === null) {
      service.validity?.undeclared(null, 'reply', exchange);
      return null;
    }
    const operation = this.#operation;
    return this.#tolerance.read(tag, (declared) =>
      together(
        service.validity?.reply(operation, declared, exchange, this.#tolerance.content) ?? null,
        observation?.reply() ?? null,
      ),
    );
  }

  openMultiRef(): null {
    const { service, exchange } = this.#context;
    if (this.#envelope?.fault === null) {
      service.validity?.undeclared(this.#operation, 'reply', exchange);
    }
    return null;
  }

  data(chunk: Buffer): void {
    this.#first ??= chunk;
    if (this.#refused !== null) throw this.#refused.with(chunk);
    if (this.#isChallenge) {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > DISCARDED_BYTES_MAX) {
        throw new Refusal('UPSTREAM_AUTH', 'a long answer');
      }
    }
    if (this.#mayBeUnread) {
      this.#attempt((gate) => gate.write(chunk));
      return;
    }
    // Monitor mode passes on no answer where none is due.
    if (this.#isOneWay && isSuccess(this.#head) && this.#context.gate.onViolation !== null) return;
    if (this.#gate === null) {
      this.#passUnread(chunk);
    }
    this.#stages.move(STEPS.data);
    try {
      this.#gate?.write(chunk);
    } catch (caught) {
      throw refusals.asUpstream(asRefusal(caught));
    }
  }

  get #seen(): SeenReply {
    const isUnverified = this.#context.service.replyVerification !== null;
    return {
      head: this.#head,
      form: this.#form,
      envelope: this.#envelope,
      tolerance: this.#tolerance,
      first: this.#first,
      isUnverified,
    };
  }

  /** Monitor mode reads content of any media type, to find out what it is. */
  get #formTolerance(): tolerated.Tolerance {
    const { service, gate } = this.#context;
    return gate.onViolation === null ? service.toleranceOf(this.#operation) : ANY_TYPE;
  }

  #passUnread(chunk: Buffer): void {
    if (this.#stages.at === 'awaited') {
      this.#violated(refuseUnread(this.#head, chunk, this.#tolerance));
    }
    if (this.#head !== null) {
      this.#open(this.#head, UNREAD).passUnread();
    }
  }

  end(): void {
    if (this.#refused !== null) throw this.#refused.refusal;
    if (this.#mayBeUnread) {
      this.#attempt((gate) => gate.end());
    } else if (this.#stages.at === 'read' || this.#stages.at === 'unread') {
      this.#endGate();
    }
    if (this.#isFaultOnly) {
      this.#endFaultOnly();
    } else if (this.#stages.at === 'awaited' || this.#stages.at === 'invalid') {
      this.#endEmpty();
    }
    this.#publish(isSuccess(this.#head));
    this.#finish(true);
    this.#resolve();
  }

  #endGate(): void {
    try {
      this.#gate?.end();
    } catch (caught) {
      throw refusals.asUpstream(asRefusal(caught));
    }
  }

  /** The end of a reply of which no byte has come, or none that was read. */
  #endEmpty(): void {
    // WS-I Basic Profile R1112: a one-way operation is answered with 202. Some stacks send 200 and
    // no body, and answer operations without a result like that.
    const mayBeEmpty =
      this.#operation === null
        ? this.#head?.status === ACCEPTED
        : this.#context.service.mayBeEmpty(this.#operation);
    const isInOrder = mayBeEmpty && isSuccess(this.#head);
    if (!isInOrder) {
      this.#violated(noEnvelope(this.#head));
    }
    this.#context.answer.empty(isInOrder ? ACCEPTED : (this.#head?.status ?? 502));
  }

  /** The end of a reply of which only a Fault has gone to the caller. */
  #endFaultOnly(): void {
    if (this.#gate !== null && this.#envelope?.fault != null) return;
    if (this.#isChallenge) {
      this.#challenge();
    } else {
      this.#context.answer.empty(ACCEPTED);
    }
  }

  /**
   * Monitor mode changes nothing: only of connections of callers it passes on what the handshake
   * needs.
   */
  get #mayChallenge(): boolean {
    const { gate, service } = this.#context;
    return gate.onViolation === null || service.bound !== null;
  }

  /** Content that cannot be read is no Fault. */
  #formOfFault(head: ReplyHead): ReplyForm | null {
    const { service, gate } = this.#context;
    // A challenge is not verified, and monitor mode passes on its fields alone.
    if (this.#isChallenge && (service.replyVerification !== null || gate.onViolation !== null)) {
      return null;
    }
    try {
      return replyForm(head, service, this.#formTolerance);
    } catch {
      return null;
    }
  }

  /** Reads content that may be a Fault: what breaks a rule is discarded with all that follows. */
  #attempt(step: (gate: Gate) => void): void {
    if (this.#gate === null) return;
    try {
      step(this.#gate);
    } catch (caught) {
      const refusal = refusals.asUpstream(asRefusal(caught));
      const isOfAnother = refusal.code === 'UPSTREAM_DESYNC' && !this.#isChallenge;
      if (this.#context.answer.hasBegun || isOfAnother) throw refusal;
      this.#gate = null;
      this.#envelope = null;
    }
  }

  #challenge(): void {
    const { answer, exchange, service } = this.#context;
    exchange.outcome = 'refused';
    answer.empty(401, this.#head === null ? [] : challengeFields(this.#head, service));
  }

  failed(refusal: Refusal): void {
    const explained = explainReply(this.#refused?.refusal ?? refusal, this.#seen);
    this.#publish(false);
    this.#finish(false);
    this.#reject(explained);
  }

  /** Publishes the event of this exchange. */
  #publish(isGood: boolean): void {
    if (this.#envelope?.fault) return;
    if (isGood) {
      this.#context.observation?.publish();
    } else {
      this.#context.observation?.lost(this.#head?.status ?? null);
    }
  }

  get #isOneWay(): boolean {
    return this.#operation !== null && this.#operation.output === null;
  }

  #finish(isComplete: boolean): void {
    const { exchange, service } = this.#context;
    exchange.upstream.millis += performance.now() - this.#startedMillis;
    if (this.#envelope?.fault) {
      exchange.faultCode = this.#envelope.fault.parts.code;
      exchange.outcome = 'fault';
    }
    const isWhole = isComplete && this.#form?.package == null;
    if (this.#declared !== null) {
      this.#declared.finish(replyUse(this.#envelope, this.#head, exchange, isWhole));
    }
    if (this.#reader !== null) {
      service.readers.give(this.#reader);
    }
    this.#reader = null;
  }
}
