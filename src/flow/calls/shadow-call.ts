import type { Buffer } from 'node:buffer';
import type { Shadow } from '../../compile/soap/service.js';
import { getOrMake, Refusal } from '../../core/index.js';
import { Exchange } from '../../gateway/exchange.js';
import { ShadowStarts } from '../../gateway/shadow/shadow-starts.js';
import type { ShadowOutcome } from '../../gateway/shadow/shadow-traffic.js';
import {
  isStreamed,
  type ReplyHead,
  type UpstreamCall,
  type UpstreamReceiver,
} from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { compareReplies } from '../compare/compare-replies.js';
import { type ReplyTypes, replyTypesOf } from '../compare/reply-types.js';
import { checkReplyHead } from '../reply/reply-head.js';
import type { BackendCall } from './backend-call.js';
import { ShadowReply } from './shadow-reply.js';

/** A call that a second backend may get too. */
interface ShadowableCall extends BackendCall {
  readonly exchange: Exchange;
}

const starts = new ShadowStarts();

type Start<Parts> = (parts: Parts) => UpstreamCall;

/**
 * Makes a call, and behind its reply the same of the second backend, which nothing waits for. Where
 * that is not to be, it is made alone.
 */
export function callWithShadow<Parts extends ShadowableCall>(
  parts: Parts,
  shadow: Shadow,
  start: Start<Parts>,
): UpstreamCall {
  const { operation, request, exchange } = parts;
  const { traffic, operations } = shadow;
  if (operation === null || !operations.has(operation.name) || !traffic.takesNext()) {
    return start(parts);
  }
  // A body that flows cannot be sent twice, and monitor mode compares what it lets through.
  if (isStreamed(request.body)) {
    const { id } = exchange;
    traffic.report({ operation: operation.name, outcome: 'skipped', paths: [], id });
    return start(parts);
  }
  const pair = new ShadowPair(parts, operation, shadow, start);
  return start({ ...parts, receiver: pair.observed(parts.receiver) });
}

/** One call of the service, and the same call of its second backend. */
class ShadowPair<Parts extends ShadowableCall> {
  readonly #parts: Parts;
  readonly #operation: Operation;
  readonly #shadow: Shadow;
  readonly #start: Start<Parts>;
  readonly #own: ShadowReply;
  readonly #second: ShadowReply;
  #call: UpstreamCall | null = null;
  /** It counts among the calls at once. */
  #hasEntered = false;
  #isOver = false;

  constructor(parts: Parts, operation: Operation, shadow: Shadow, start: Start<Parts>) {
    this.#parts = parts;
    this.#operation = operation;
    this.#shadow = shadow;
    this.#start = start;
    const { readers, mimeLimits: mime } = shadow.service;
    const xml = readers.limitsOfReplies;
    const content = { types: typesOf(shadow, operation), ignore: shadow.ignore };
    const reply = (): ShadowReply =>
      new ShadowReply(shadow.traffic, content, { xml, mime }, () => this.#compare());
    this.#own = reply();
    this.#second = reply();
  }

  /** The receiver of the service's reply, whose bytes are compared as well. */
  observed(receiver: UpstreamReceiver): UpstreamReceiver {
    const own = this.#own;
    return {
      sent: () => receiver.sent?.(),
      head: (head) => {
        receiver.head(head);
        own.head(head.header('content-type'));
      },
      data: (chunk) => {
        receiver.data(chunk);
        own.data(chunk);
        // Reading it takes time, which only a call that will be made is worth.
        if (own.isLong) {
          this.#enter();
        }
      },
      end: () => {
        receiver.end();
        this.#endOwn();
      },
      failed: (refusal) => {
        receiver.failed(refusal);
        // A Fault is a reply: its reader refuses it when it is read.
        if (refusal.code === 'SOAP_FAULT') {
          this.#endOwn();
        } else {
          own.fail();
        }
      },
    };
  }

  /** The caller has the reply: now is the time for the second backend. */
  #endOwn(): void {
    this.#own.end();
    if (this.#enter()) {
      // Later: the answer is written first.
      starts.add(() => this.#tryBegin());
    }
  }

  /** Whether it is one of the calls at once; else it is over. */
  #enter(): boolean {
    if (this.#isOver || this.#hasEntered) return this.#hasEntered;
    this.#hasEntered = this.#shadow.traffic.enter();
    if (!this.#hasEntered) {
      this.#end('skipped');
    }
    return this.#hasEntered;
  }

  #tryBegin(): void {
    try {
      this.#begin();
    } catch {
      // A call that cannot be made is one that fails.
      this.#second.fail();
    }
  }

  #begin(): void {
    const { request, blocks, exchange } = this.#parts;
    const { service } = this.#shadow;
    if (this.#isOver) return;
    const own = new Exchange(exchange.id, exchange.peer, exchange.method, exchange.client);
    this.#call = this.#start({
      ...this.#parts,
      exchange: own,
      service,
      request: {
        ...request,
        affinity: null,
        observer: null,
        isIdempotent: false,
        rules: service.callRules(this.#operation),
      },
      receiver: this.#receiver(),
      blocks: service.security === null && service.signing === null ? null : blocks,
    });
  }

  #receiver(): UpstreamReceiver {
    const second = this.#second;
    return {
      head: (head: ReplyHead) => {
        const { service } = this.#shadow;
        checkReplyHead(head, service, service.toleranceOf(this.#operation));
        second.head(head.header('content-type'));
      },
      data: (chunk: Buffer) => {
        second.data(chunk);
        if (this.#isOver) throw new Refusal('CLIENT_GONE', 'nothing is compared');
      },
      end: () => second.end(),
      failed: () => second.fail(),
    };
  }

  /** Compares when both are over, or one of them need not be waited for. */
  #compare(): void {
    if (this.#isOver) return;
    const [own, second] = [this.#own.state, this.#second.state];
    if (own === 'failed' || own === 'skipped' || second === 'skipped') {
      this.#end('skipped');
    } else if (second === 'failed') {
      // One's own may fail too: then it says nothing.
      if (this.#own.isWhole) {
        this.#end('failed');
      }
    } else if (own === 'read' && second === 'read') {
      this.#endRead();
    } else if (this.#own.isWhole && this.#second.isWhole) {
      this.#compareBytes();
    }
  }

  #compareBytes(): void {
    if (this.#own.isSameBytesAs(this.#second)) {
      this.#end('same');
    } else {
      this.#own.read();
      this.#second.read();
    }
  }

  #endRead(): void {
    const [own, second] = [this.#own.meaning, this.#second.meaning];
    if (own === null || second === null) {
      // An empty reply is as good as another one.
      this.#end(own === second ? 'same' : 'different');
      return;
    }
    const compared = compareReplies(own, second);
    if (compared.outcome === 'different') {
      this.#end('different', compared.paths);
    } else {
      this.#end(compared.outcome === 'same' ? 'same' : 'skipped');
    }
  }

  #end(outcome: ShadowOutcome, paths: readonly string[] = []): void {
    this.#isOver = true;
    this.#own.close();
    this.#second.close();
    const { traffic } = this.#shadow;
    if (this.#hasEntered) {
      traffic.leave();
    }
    traffic.report({
      operation: this.#operation.name,
      outcome,
      paths,
      id: this.#parts.exchange.id,
    });
    if (outcome === 'skipped') {
      this.#call?.abort(new Refusal('CLIENT_GONE', 'nothing is compared'));
    }
  }
}

/** The types of replies, worked out for the first one of each operation. */
const TYPES = new WeakMap<Shadow, Map<Operation, ReplyTypes>>();

const typesOf = (shadow: Shadow, operation: Operation): ReplyTypes =>
  getOrMake(
    getOrMake(TYPES, shadow, () => new Map<Operation, ReplyTypes>()),
    operation,
    () => replyTypesOf(operation, shadow.service.wsdl),
  );
