import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { RecordRules } from '../../compile/backend/recording.js';
import type { SoapService } from '../../compile/soap/service.js';
import { getOrMake, TimeSlices } from '../../core/index.js';
import type { ReplyHead } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { ReplyTypes } from '../compare/reply-types.js';
import { isPackage, type ReplyCapture } from './capturing-receiver.js';
import { MessageRewriter } from './message-rewriter.js';
import { RecordingFolder } from './recording-folder.js';

/** A request that goes out. */
interface BegunExchange {
  readonly operation: Operation;
  readonly request: Buffer;
  readonly contentType: string | null;
  readonly soapAction: string | null;
}

/** The exchange that a capture holds, once it is whole. */
interface WholeExchange extends BegunExchange {
  readonly startedAt: Date;
  readonly millis: number;
  readonly status: number;
  readonly replyType: string | null;
  readonly reply: Buffer;
}

const RECORDERS = new WeakMap<SoapService, Recorder>();

/** The recorder of a service, for as long as its generation. */
export const recorderOf = (service: SoapService, rules: RecordRules): Recorder =>
  getOrMake(RECORDERS, service, () => new Recorder(service, rules));

/** After a failure no exchange is recorded for so long. */
const PAUSE_MILLIS = 60_000;

/** Messages are written anew beside all that callers wait for. */
const slices = new TimeSlices();

/** Bytes that all recorders of this process keep. */
let pendingBytes = 0;
/** Names of exchanges are unique within a process by it, and among processes by its beginning. */
const PROCESS = randomBytes(3).toString('hex');
let counter = 0;

/** Writes exchanges to the folder of a service, one after the other. No caller waits for it. */
export class Recorder {
  readonly #service: SoapService;
  readonly #rules: RecordRules;
  readonly #folder: RecordingFolder;
  readonly #rewriter: MessageRewriter;
  #last: Promise<void> = Promise.resolve();
  #pausedUntil = 0;

  constructor(service: SoapService, rules: RecordRules) {
    this.#service = service;
    this.#rules = rules;
    this.#folder = new RecordingFolder(rules.folder, rules.limits.dayBytes);
    this.#rewriter = new MessageRewriter(service, rules.masked);
  }

  /** Null where the exchange is beyond a limit; `failed` while files cannot be written. */
  begin(begun: BegunExchange): Capture | 'failed' | null {
    if (Date.now() < this.#pausedUntil) return 'failed';
    const { messageBytes, pendingBytes: max } = this.#rules.limits;
    if (begun.request.length > messageBytes || this.#folder.isFull) return null;
    if (pendingBytes + begun.request.length > max) return null;
    return new Capture(begun, this.#rules.limits, (whole) => this.#add(whole));
  }

  #add(whole: WholeExchange): void {
    this.#last = this.#last
      .then(() => this.#write(whole))
      .catch(() => {
        this.#pausedUntil = Date.now() + PAUSE_MILLIS;
      })
      .finally(() => {
        pendingBytes -= whole.request.length + whole.reply.length;
      });
  }

  /** All that was taken is written. For tests. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #write(whole: WholeExchange): Promise<void> {
    const { operation, startedAt } = whole;
    const replacer = await this.#folder.replacer();
    const { replacesValues } = this.#rules;
    const types = this.#rewriter.typesOf(operation);
    const rewritten = (message: Buffer, contentType: string | null, of: ReplyTypes) =>
      slices.run(this.#rewriter.steps(message, contentType, of, replacer, replacesValues));
    const request = await rewritten(whole.request, whole.contentType, types.request);
    const reply = await rewritten(whole.reply, whole.replyType, types.reply);
    // One of them cannot be read: nothing can be compared with it.
    if (request === null || reply === null) return;
    const name = operation.name.replaceAll(/[^\p{L}\p{N}_.-]/gu, '_').slice(0, NAME_CHARS_MAX);
    const time = startedAt.toISOString().slice(11, 19).replaceAll(':', '');
    await this.#folder.write({
      day: startedAt.toISOString().slice(0, 10),
      name: `${time}-${PROCESS}${(counter++).toString(36)}-${name}`,
      operation: name,
      types: types.reply,
      request,
      reply,
      description: {
        format: 1,
        service: this.#service.name,
        operation: operation.name,
        kind: this.#rules.reads(operation) ? 'read' : 'write',
        values: this.#rules.replacesValues ? 'replaced' : 'kept',
        startedAt: startedAt.toISOString(),
        millis: Math.round(whole.millis),
        request: { contentType: inUtf8(whole.contentType), soapAction: whole.soapAction },
        reply: { status: whole.status, contentType: inUtf8(whole.replyType) },
      },
    });
  }
}

/** The media type of a message that is written anew. */
const inUtf8 = (contentType: string | null): string | null =>
  contentType?.replace(CHARSET, '$1utf-8') ?? null;

const CHARSET = /(;[ \t]*charset[ \t]*=[ \t]*)(?:"[^"]*"|[^;"\s]*)/i;

/** Longer names of operations are cut in names of folders. */
const NAME_CHARS_MAX = 64;

/** Keeps one exchange until it is whole. */
export class Capture implements ReplyCapture {
  readonly #begun: BegunExchange;
  readonly #limits: RecordRules['limits'];
  readonly #whole: (whole: WholeExchange) => void;
  readonly #startedAt = new Date();
  readonly #startedMillis = performance.now();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #replyType: string | null = null;

  constructor(
    begun: BegunExchange,
    limits: RecordRules['limits'],
    whole: (whole: WholeExchange) => void,
  ) {
    this.#begun = begun;
    this.#limits = limits;
    this.#whole = whole;
    pendingBytes += begun.request.length;
  }

  /** Packages are not recorded. */
  head(head: ReplyHead): boolean {
    this.#status = head.status;
    this.#replyType = head.header('content-type');
    return !isPackage(this.#replyType) || this.leave();
  }

  /** A reply that is beyond a limit is not recorded. */
  data(chunk: Buffer): boolean {
    const { messageBytes, pendingBytes: max } = this.#limits;
    if (this.#bytes + chunk.length > messageBytes || pendingBytes + chunk.length > max) {
      return this.leave();
    }
    this.#bytes += chunk.length;
    pendingBytes += chunk.length;
    this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  end(): void {
    this.#whole({
      ...this.#begun,
      startedAt: this.#startedAt,
      millis: performance.now() - this.#startedMillis,
      status: this.#status,
      replyType: this.#replyType,
      reply: Buffer.concat(this.#chunks),
    });
  }

  /** It is not recorded, nor is a reply that is refused. Returns false. */
  leave(): false {
    pendingBytes -= this.#begun.request.length + this.#bytes;
    return false;
  }
}
