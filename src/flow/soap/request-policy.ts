import type { ReadRule } from '../../cache/rules.js';
import { scalars } from '../../codec/index.js';
import type { KnownOperation } from '../../compile/soap/operations/request-group.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type sharedState } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import {
  actionOrNull,
  type EnvelopeObserver,
  type EnvelopeValidator,
  type GateOptions,
  headerBlocks,
  PathText,
} from '../../soap/index.js';
import type { Operation } from '../../wsdl/index.js';
import { invalidSecurity, type MessageVerifier, type VerifiedMessage } from '../../wss/index.js';
import {
  escapeText,
  expandedName,
  type QName,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import type { CallGuard } from '../calls/authorize.js';
import { type MessageContent, messageContent } from '../calls/message-content.js';
import { type Observation, type Observers, together } from '../calls/observation.js';
import type { SharedCalls } from '../calls/shared-calls.js';
import type { PostHead } from './request-head.js';
import { type ReadSender, SenderParts } from './sender-parts.js';
import { isUserUnverified, messageSenderOf, senderOf, takeOnce } from './verified-sender.js';

/** The parts that a policy needs. */
export interface RequestPolicyParts {
  readonly service: SoapService;
  readonly exchange: Exchange;
  readonly head: Pick<PostHead, 'soapAction' | 'mediaType' | 'package'>;
  /** The Host the caller named. */
  readonly host: string;
  /** Null where nothing is decided by what is read here. */
  readonly guard: CallGuard | null;
  readonly observers: Observers | null;
  /** Null where the message is not sent on. */
  readonly calls: SharedCalls | null;
  /** The content of Body is compared with that of other requests under its idempotency key. */
  readonly isKeyed: boolean;
}

/**
 * Holds a request to what the service offers, once its head is in order and before anything of it
 * is let through: the operation is decided by the first child of Body and the actions that the
 * message names, which must agree with it; the message is for this service, and its answer for the
 * caller.
 */
export class RequestPolicy implements EnvelopeObserver {
  /**
   * The operation; null while it is not known, and for requests whose operation the service does
   * not fix.
   */
  known: KnownOperation | null = null;
  /** The operation whose events the exchange is one of; null where it is of none. */
  topic: Operation | null = null;
  /** Reads the values that subscriptions want; null where there is none. */
  observation: Observation | null = null;
  readonly #parts: RequestPolicyParts;
  /** The action parameter of the Content-Type, or null. */
  readonly #typeAction: string | null;
  /** Nonces of the message, and what else may come once, which are new to this process. */
  nonces: readonly sharedState.NonceClaim[] = [];
  /**
   * Verifies the message, and has verified its Header once Body begins; null where it is not
   * verified.
   */
  verifier: Pick<MessageVerifier, 'verified'> | null = null;
  /**
   * The hash of the content of Body, where calls of the operation may be shared or have a key; else
   * null.
   */
  #content: scalars.CanonicalHash | null = null;
  /**
   * The parts of the Header that tell senders apart, where the request has an idempotency key; else
   * null.
   */
  readonly #sender: SenderParts | null;
  /** Reads the text that calls are spread by; null where they are not. */
  #path: PathText | null = null;
  /** There are elements beside those that belong to the operation. */
  #hasFurther = false;
  /** The rule by which its calls may be shared; null where they are not. */
  #rule: ReadRule | null = null;

  constructor(parts: RequestPolicyParts) {
    this.#parts = parts;
    this.#typeAction = actionOrNull(parts.head.mediaType.action);
    this.#sender = parts.isKeyed ? new SenderParts() : null;
  }

  openHeaderBlock(tag: StartTag): XmlHandler | null {
    return this.#sender?.open(tag) ?? null;
  }

  onHeadValid(envelope: EnvelopeValidator): void {
    const verified = this.verifier?.verified ?? null;
    if (verified !== null) {
      this.#parts.exchange.sender = senderOf(verified);
    }
    // Whether a decision point takes the user turns out when all of the message that is held is
    // read.
    const isVerifiedLater =
      this.#parts.guard?.awaitsSender === true && verified !== null && isUserUnverified(verified);
    if (!isVerifiedLater) {
      this.becomeSender();
    }
    const { requests, checksAddressing, refusesUnknown } = this.#parts.service;
    // Also for a message that is refused from here on, or let pass by monitor mode.
    this.known = requests.find(envelope.operation);
    this.#parts.exchange.operation = this.known?.label ?? '_other';
    this.known = this.#identify(envelope);
    this.#parts.exchange.operation = this.known?.label ?? '_other';
    const isEncoded = this.known?.candidates.some(({ use }) => use === 'encoded') === true;
    envelope.bridge?.beginRequest(isEncoded);
    const isDecided = this.known?.candidates.length === 1;
    this.#rule = isDecided
      ? (this.#parts.calls?.rule(this.#parts.service, this.known?.operation ?? null) ?? null)
      : null;
    if (this.known === null && requests.isComplete && refusesUnknown) {
      throw unknownOperation(envelope.operation);
    }
    this.#parts.service.validity?.admit(
      this.known?.candidates ?? [],
      this.#parts.exchange.operation,
      this.#parts.exchange,
    );
    envelope.expectParts(this.known?.parts ?? null);
    const addressing = checksAddressing ? envelope.addressing : null;
    if (addressing !== null) {
      if (addressing.hasOtherReplyAddress) throw new Refusal('wsa:OnlyAnonymousAddressSupported');
      this.#checkDestination(envelope, addressing);
    }
    this.topic = this.#findTopic();
    if (!isVerifiedLater) {
      this.#parts.guard?.authorizeAndCharge(this.known);
    }
    // Last, because a message that is refused for something else should not use up its nonce.
    this.nonces = this.#freshNonces(envelope);
    if (verified !== null && !isUserUnverified(verified)) {
      this.#takeOnce(verified);
    }
  }

  /**
   * Takes what may come once of a user that had to be verified: others could fill the memory.
   * Throws as `takeOnce`.
   */
  onUserVerified(onViolation: ((refusal: Refusal) => void) | null): void {
    const verified = this.verifier?.verified ?? null;
    if (verified === null || !isUserUnverified(verified)) return;
    try {
      this.#takeOnce(verified);
    } catch (caught) {
      if (onViolation === null || !(caught instanceof Refusal)) throw caught;
      onViolation(caught);
    }
  }

  #takeOnce(verified: VerifiedMessage): void {
    this.nonces = [...this.nonces, ...takeOnce(this.#parts.service, verified)];
  }

  /**
   * The client is the one that the message proves, where its head has named none. Throws
   * `FORBIDDEN`, `RATE_LIMITED`.
   */
  becomeSender(): void {
    const verified = this.verifier?.verified ?? null;
    const sender = verified === null ? null : messageSenderOf(verified);
    if (sender !== null) {
      this.#parts.guard?.becomeSender(sender);
    }
  }

  #freshNonces({ freshnessClaims }: EnvelopeValidator): readonly sharedState.NonceClaim[] {
    const { freshness } = this.#parts.service;
    if (freshnessClaims === null || freshness === null) return [];
    const { keptMillis } = freshness;
    return freshness.check(freshnessClaims, Date.now()).map((nonce) => ({ nonce, keptMillis }));
  }

  openBody(): XmlHandler | null {
    const { validity, name } = this.#parts.service;
    if (this.known === null) {
      validity?.undeclared(null, 'request', this.#parts.exchange);
      return null;
    }
    const { operation } = this.known;
    if (this.topic !== null) {
      this.observation = this.#parts.observers?.begin(name, this.topic.name) ?? null;
    }
    this.#content =
      this.#rule === null && !this.#parts.isKeyed
        ? null
        : new scalars.CanonicalHash(this.#rule ?? { isData: false });
    const affinity = this.#parts.service.reach.affinity;
    if (affinity !== null && affinity.by === 'path') {
      this.#path = new PathText(affinity.steps);
    }
    const own = together(together(this.observation?.request() ?? null, this.#content), this.#path);
    return together(validity?.request(operation, this.#parts.exchange) ?? null, own);
  }

  /**
   * The text that the call is spread by; null where there is none, or it has not been read so far.
   */
  get textAtPath(): string | null {
    return this.#path?.found ?? null;
  }

  /**
   * The content of the message, once all of it is read; null where it cannot be compared with
   * others.
   */
  content(envelope: EnvelopeValidator): MessageContent | null {
    if (this.#rule === null) return null;
    return messageContent({
      envelope,
      content: this.#content,
      hasFurther: this.#hasFurther,
      action: this.action,
    });
  }

  /** The hash of the content of Body, once all of it is read; null where it has none. */
  get contentDigest(): string | null {
    return this.#hasFurther ? null : (this.#content?.digest() ?? null);
  }

  /** The parts that tell the sender of the message, once all of it is read. */
  sender(read: Pick<ReadSender, 'envelope' | 'message' | 'encoding'>): readonly unknown[] {
    const verified = this.verifier?.verified ?? null;
    return this.#sender?.of({ ...read, service: this.#parts.service, verified }) ?? [];
  }

  openMultiRef(): null {
    this.#hasFurther = true;
    this.#parts.service.validity?.undeclared(
      this.known?.operation ?? null,
      'request',
      this.#parts.exchange,
    );
    return null;
  }

  /**
   * The SOAPAction or action parameter to send: the WSDL's for the operation, else the caller's.
   */
  get action(): string | null {
    return this.known?.soapAction ?? this.#parts.head.soapAction ?? this.#typeAction;
  }

  /** Throws `ACTION_MISMATCH`. */
  #identify(envelope: EnvelopeValidator): KnownOperation | null {
    const { requests, checksAddressing } = this.#parts.service;
    // To let an action of another operation pass is for clients that may call all.
    const isRestricted = this.#parts.guard?.isRestricted === true;
    const addressing = checksAddressing || isRestricted ? envelope.addressing : null;
    const blocks = envelope.header?.actionBlocks ?? 0;
    const isUnread = blocks > 1 || (blocks === 1 && addressing?.action == null);
    if (isRestricted && isUnread) {
      throw new Refusal(
        'ACTION_MISMATCH',
        'the Action block comes twice, or is not for the service',
      );
    }
    const http = [this.#parts.head.soapAction, this.#typeAction, actionOrNull(envelope.partAction)];
    const actions = {
      http,
      addressing: actionOrNull(addressing?.action ?? null),
      isAddressed: addressing?.isActionPassed === true,
      // In a package of SOAP 1.2 the caller's own field has it.
      isRewritten: this.#parts.head.package === null || envelope.dialect?.actionHeader === true,
    };
    const known = requests.identify(envelope.operation, actions);
    if (known !== null && known !== 'mismatch') return known;
    const named = [...http, actions.addressing].filter((action) => action !== null);
    // The actions must agree where the message alone names the operation.
    if (known === null && new Set(named).size < 2) return null;
    const isWrong = (action: string): boolean =>
      requests.identify(envelope.operation, { ...actions, http: [action], addressing: null }) ===
      'mismatch';
    const action = named.find(isWrong) ?? named.at(-1) ?? '';
    const expected = this.#expectedActions(envelope.operation, http.includes(action));
    throw new Refusal('ACTION_MISMATCH', null, { found: action, facts: { action, expected } });
  }

  /** The actions of the operations with this child of Body that the client may call. */
  #expectedActions(body: QName | null, isHttp: boolean): readonly string[] {
    const found: string[] = [];
    for (const operation of this.#parts.service.requests.find(body)?.candidates ?? []) {
      const action = isHttp ? operation.soapAction : operation.addressingAction;
      if (action === null || action === '' || this.#parts.guard?.maySee(operation) === false) {
        continue;
      }
      found.push(action);
    }
    return [...new Set(found)];
  }

  /**
   * Null as well where the message may be an operation that subscribers have not needed a right to.
   */
  #findTopic(): Operation | null {
    const { name, requests } = this.#parts.service;
    const candidates = this.known?.candidates ?? [];
    const topic = candidates.find(
      (operation) => this.#parts.observers?.has(name, operation.name) === true,
    );
    if (topic === undefined) return null;
    const needed = requests.called(topic)?.candidates ?? [];
    return candidates.every((candidate) => needed.includes(candidate)) ? topic : null;
  }

  #checkDestination(envelope: EnvelopeValidator, { to, toContent }: headerBlocks.Addressing): void {
    if (to === null || headerBlocks.isAnonymous(to)) return;
    const { destinations, rewritesTo } = this.#parts.service;
    if (destinations.isOwn(to, this.#parts.host)) {
      if (toContent === null || envelope.isSigned || !rewritesTo) return;
      envelope.edit({ ...toContent, replacement: escapeText(destinations.backend) });
      return;
    }
    if (!destinations.permits(to)) {
      throw new Refusal('WSA_DESTINATION', null, { found: to.replace(/[?#].*$/s, '') });
    }
  }
}

/**
 * Checks a request without a message. Where messages are verified it has nothing that is demanded:
 * throws `wsse:InvalidSecurity`. Backends take an operation and its arguments from a query (Axis:
 * `?method=Get&id=7`), and no rule knows which it is: throws `UNKNOWN_OPERATION`, or reports it in
 * monitor mode.
 */
export function checkBareRequest(
  { requests, refusesUnknown, verification }: SoapService,
  query: string,
  onViolation: GateOptions['onViolation'],
): void {
  if (verification !== null && onViolation === null) throw invalidSecurity('there is no message');
  if (query === '' || !requests.isComplete || !refusesUnknown) return;
  const refusal = new Refusal('UNKNOWN_OPERATION', 'a query without a message', {
    found: 'a query',
  });
  if (onViolation === null) throw refusal;
  onViolation(refusal);
}

function unknownOperation(body: QName | null): Refusal {
  if (body === null) {
    return new Refusal('UNKNOWN_OPERATION', 'Body is empty', { found: 'empty Body' });
  }
  return new Refusal('UNKNOWN_OPERATION', null, {
    found: expandedName(body),
    facts: { elements: [body] },
  });
}
