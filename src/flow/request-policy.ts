import type { Exchange } from '../base/exchange.js';
import type { Nonce } from '../base/nonce-store.js';
import { Refusal } from '../base/refusal.js';
import type { ReadRule } from '../cache/rules.js';
import { CanonicalHash } from '../codec/values/canonical-hash.js';
import type { KnownOperation } from '../compile/operation-table.js';
import type { SoapService } from '../compile/service.js';
import { type Addressing, isAnonymous } from '../soap/addressing.js';
import type { EnvelopeJudge, EnvelopeWatcher } from '../soap/envelope.js';
import { expandedName, type XmlHandler } from '../xml/events.js';
import { escapeText } from '../xml/writer.js';
import { type Asker, callKey } from './call-key.js';
import type { Turnstile } from './charge.js';
import type { CallKey } from './declared-call.js';
import { type Observation, type Observers, together } from './observation.js';
import type { SharedCalls } from './shared-calls.js';
import { meant } from './soap-action.js';

/**
 * Holds a request to what the service offers, once its head is in order and before anything of it is let through: the
 * operation is decided by the first child of Body alone, and everything else that names one must agree with it; the message is
 * for this service, and its answer for the caller.
 */
export class RequestPolicy implements EnvelopeWatcher {
  /** What is asked for; null while that is not known, and for what the service does not tell. */
  known: KnownOperation | null = null;
  /** What looks at the exchange for those who subscribe to it; null where nobody does. */
  observation: Observation | null = null;
  readonly #service: SoapService;
  readonly #exchange: Exchange;
  /** Of SOAPAction; null for none. */
  readonly #soapAction: string | null;
  /** The action parameter of the Content-Type, or null. */
  readonly #typeAction: string | null;
  /** The Host the caller named. */
  readonly #host: string;
  /** Null where nothing is decided by what is read here. */
  readonly #turnstile: Turnstile | null;
  readonly #observers: Observers | null;
  readonly #calls: SharedCalls | null;
  /** Nonces of the message, which are new to this process. */
  nonces: readonly Nonce[] = [];
  /** Of the content of Body, where calls of the operation may be shared; else null. */
  #content: CanonicalHash | null = null;
  /** There are elements beside those that belong to the operation. */
  #hasFurther = false;
  /** What its calls may be shared by; null where they are not. */
  #rule: ReadRule | null = null;

  constructor(
    service: SoapService,
    exchange: Exchange,
    soapAction: string | null,
    typeAction: string | null,
    host: string,
    turnstile: Turnstile | null,
    observers: Observers | null,
    calls: SharedCalls | null = null,
  ) {
    this.#service = service;
    this.#exchange = exchange;
    this.#soapAction = soapAction;
    this.#typeAction = meant(typeAction);
    this.#host = host;
    this.#turnstile = turnstile;
    this.#observers = observers;
    this.#calls = calls;
  }

  judged(judge: EnvelopeJudge): void {
    const { requests, config } = this.#service;
    this.known = requests.find(judge.operation);
    const operation = this.known?.operation ?? null;
    // Whatever becomes of it from here on: refused, too.
    this.#exchange.operation = operation?.name ?? '_other';
    this.#rule = this.#calls?.rule(this.#service, operation) ?? null;
    if (this.known === null && requests.isComplete && config.unknownOperations === 'refuse') {
      throw new Refusal('UNKNOWN_OPERATION', null, {
        found: judge.operation === null ? 'empty Body' : expandedName(judge.operation),
      });
    }
    judge.expectParts(this.known?.parts ?? null);
    const addressing = config.addressing.check ? judge.addressing : null;
    this.#judgeActions(addressing === null ? null : meant(addressing.action));
    if (addressing !== null) {
      if (addressing.answersElsewhere) throw new Refusal('wsa:OnlyAnonymousAddressSupported');
      this.#judgeDestination(judge, addressing);
    }
    this.#turnstile?.pass(operation);
    // Last, because a message that is refused for something else should not use up its nonce.
    if (judge.stamps !== null) this.nonces = this.#service.freshness?.judge(judge.stamps, Date.now()) ?? [];
  }

  body(): XmlHandler | null {
    if (this.known === null) return null;
    const { operation } = this.known;
    const { validity, name } = this.#service;
    this.observation = this.#observers?.begin(name, operation.name) ?? null;
    this.#content = this.#rule === null ? null : new CanonicalHash(this.#rule);
    const own = together(this.observation?.request() ?? null, this.#content);
    return together(validity?.request(operation, this.#exchange) ?? null, own);
  }

  /** The key of the call, once all of it is read; null where it cannot be compared with others. */
  key(judge: EnvelopeJudge, asker: Asker): CallKey | null {
    if (this.#rule === null) return null;
    return callKey(
      this.#rule,
      { judge, content: this.#content, hasFurther: this.#hasFurther, action: this.action },
      asker,
    );
  }

  further(): null {
    this.#hasFurther = true;
    return null;
  }

  /** What to send as SOAPAction or action parameter: the WSDL's word for the operation, else the caller's. */
  get action(): string | null {
    return this.known?.soapAction ?? this.#soapAction ?? this.#typeAction;
  }

  #judgeActions(addressingAction: string | null): void {
    const actions = this.known?.actions ?? null;
    let first: string | null = null;
    for (const action of [this.#soapAction, this.#typeAction, addressingAction]) {
      if (action === null) continue;
      // Without a WSDL nothing is known but what the message says itself: that must be one thing.
      if (actions !== null ? !actions.has(action) : first !== null && action !== first) {
        throw new Refusal('ACTION_MISMATCH', null, { found: action });
      }
      first = action;
    }
  }

  #judgeDestination(judge: EnvelopeJudge, { to, toContent }: Addressing): void {
    if (to === null || isAnonymous(to)) return;
    const { destinations, config } = this.#service;
    if (destinations.isOwn(to, this.#host)) {
      if (toContent === null || judge.isSigned || !config.addressing.rewriteTo) return;
      judge.edit({ ...toContent, replacement: escapeText(destinations.backend) });
      return;
    }
    if (!destinations.permits(to)) throw new Refusal('WSA_DESTINATION', null, { found: to.replace(/[?#].*$/s, '') });
  }
}
