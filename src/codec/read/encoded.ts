import { Refusal, refusals, refuseByLimit } from '../../core/index.js';
import {
  ALL,
  type Interest,
  type QName,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import type { CodecLimits } from '../plan/limits.js';
import type { Decoded } from '../plan/reply/reply-plan.js';
import type { ReplyDecoder } from './decode.js';
import {
  type Recorded,
  RecordedTag,
  type ReferenceStyle,
  referenceOf,
  sizeOf,
} from './recording.js';
import { TagView } from './tag-view.js';

/** Longer chains of references that only lead to references are taken for a cycle. */
const CHAIN_MAX = 100;

type EncodedLimits = Pick<CodecLimits, 'encodedBytes' | 'references'>;

/**
 * A reply by the SOAP encoding: elements stand in for others (`href` of SOAP 1.1 section 5.4.1,
 * `ref` of SOAP 1.2 part 2 section 3.1.5) that may come later, as further children of Body. So all
 * of Body is recorded, and replayed to the decoder when the envelope is over, with every reference
 * followed. References in skipped content are not. So is a reply with data contracts of .NET that
 * refer to each other.
 *
 * Throws `UPSTREAM_RESPONSE_LIMIT` for more than `encodedBytes`, recorded or replayed, and
 * `UPSTREAM_INVALID_RESPONSE` for more references than `references`. A reference that leads
 * nowhere, or back to references only, is an error at its path.
 */
export class EncodedReply implements XmlHandler {
  readonly #decoder: ReplyDecoder;
  readonly #limits: EncodedLimits;
  readonly #style: ReferenceStyle;
  /** Null ends the element that began last. */
  readonly #events: Recorded[] = [];
  /** The elements being recorded. */
  readonly #recording: RecordedTag[] = [];
  /** Null for a name that two elements have. */
  readonly #byId = new Map<string, RecordedTag | null>();
  #bytes = 0;
  #references = 0;
  #isReplayed = false;

  constructor(decoder: ReplyDecoder, limits: EncodedLimits, style: ReferenceStyle = 'encoding') {
    this.#decoder = decoder;
    this.#limits = limits;
    this.#style = style;
  }

  open(tag: StartTag): Interest {
    this.#recording.at(-1)?.endRun();
    const recorded = new RecordedTag(tag, this.#events.length, this.#style);
    this.#record(recorded);
    this.#recording.push(recorded);
    if (recorded.id !== null) {
      this.#byId.set(recorded.id, this.#byId.has(recorded.id) ? null : recorded);
    }
    if (recorded.reference !== null) {
      this.#countReference();
    }
    // Kept text is counted; the decoder bounds binary content.
    return recorded.isBase64 ? STREAM : ALL;
  }

  /** Counts a run of text the same however it is cut. */
  text(chars: string): void {
    this.#recording.at(-1)?.addText(chars);
    const last = this.#events.at(-1);
    if (typeof last !== 'string') {
      this.#record(chars);
      return;
    }
    this.#take(sizeOf(chars) - sizeOf(''));
    this.#events[this.#events.length - 1] = last + chars;
  }

  close(): void {
    const ended = this.#recording.pop();
    if (ended !== undefined) {
      ended.end = this.#events.length;
    }
    this.#record(null);
  }

  /**
   * Follows all references; the first element is the answer. To be called when the envelope is
   * over.
   */
  replay(): void {
    const root = this.#events[0];
    if (this.#isReplayed || !(root instanceof RecordedTag)) return;
    this.#isReplayed = true;
    this.#bytes = 0;
    this.#references = 0;
    this.#replay(root);
  }

  /** The decoded reply. To be called when the message is over. */
  finish(): Decoded {
    this.replay();
    return this.#decoder.finish();
  }

  #replay(root: RecordedTag): void {
    const renamed = this.#style === 'encoding' ? this.#renamedResult(root) : null;
    const stack: Frame[] = [];
    this.#enter(root, root, stack);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const event = this.#events[frame.at];
      if (frame.at >= frame.element.end || event === undefined || event === null) {
        this.#decoder.close();
        if (frame.isReadAsXml) {
          frame.element.isReplayedAsXml = false;
        }
        stack.pop();
      } else if (typeof event === 'string') {
        frame.at++;
        this.#count(event);
        if (frame.isTextWanted) {
          this.#decoder.text(event);
        }
      } else {
        frame.at = event.end + 1;
        this.#enter(
          event,
          renamed !== null && event === renamed.element ? renamed.name : event,
          stack,
        );
      }
    }
  }

  /** Begins an element under this name: itself, or the one it refers to. */
  #enter(tag: RecordedTag, name: QName, stack: Frame[]): void {
    const element = this.#follow(tag);
    const shown = typeof element === 'string' ? tag : element;
    this.#count(shown);
    const interest = this.#decoder.open(shown === name ? shown : new TagView(shown, name));
    // A graph may lead back to itself: a plan ends somewhere, XML would not.
    const isReadAsXml = this.#decoder.isReadAsXml;
    const target =
      typeof element !== 'string' && isReadAsXml && element.isReplayedAsXml ? CYCLE : element;
    if (interest === SKIP || typeof target === 'string') {
      if (interest !== SKIP && typeof target === 'string') {
        this.#decoder.reject(target);
      }
      this.#decoder.close();
      return;
    }
    if (target.isBase64 && this.#style === 'encoding') {
      this.#decoder.expectBase64();
    }
    if (isReadAsXml) {
      target.isReplayedAsXml = true;
    }
    stack.push({
      element: target,
      at: target.start + 1,
      isTextWanted: interest === ALL || interest === STREAM,
      isReadAsXml,
    });
  }

  /**
   * The element that this one refers to, itself if it is no reference; or the rule that is broken.
   */
  #follow(tag: RecordedTag): RecordedTag | string {
    let element = tag;
    for (let steps = 0; element.reference !== null; steps++) {
      if (steps === CHAIN_MAX) return CYCLE;
      this.#countReference();
      const target = this.#byId.get(referenceOf(element.reference) ?? '');
      if (target === undefined) return 'a reference to an element that is not there';
      if (target === null) return 'a reference to an id that two elements have';
      element = target;
    }
    return element;
  }

  /**
   * The element that is the result whatever it is called: stacks name it freely, and it is the
   * first child of the answer (SOAP 1.1 section 7.1). Null where the name is right.
   */
  #renamedResult(
    root: RecordedTag,
  ): { readonly element: RecordedTag; readonly name: QName } | null {
    const expected = this.#decoder.resultName;
    const answer = this.#follow(root);
    if (expected === null || typeof answer === 'string') return null;
    let first: RecordedTag | null = null;
    for (let at = answer.start + 1; at < answer.end; at++) {
      const child = this.#events[at];
      if (!(child instanceof RecordedTag)) continue;
      if (child.local === expected.local) return null;
      first ??= child;
      at = child.end;
    }
    if (first === null) return null;
    // The members of the answer are in its namespace: SOAP::Lite declares a default one on the
    // answer.
    const isOfAnswer = first.uri === '' || first.uri === root.uri;
    return {
      element: first,
      name: isOfAnswer ? { uri: first.uri, local: expected.local } : expected,
    };
  }

  #record(event: Recorded): void {
    this.#count(event);
    this.#events.push(event);
  }

  #count(event: Recorded): void {
    this.#take(sizeOf(event));
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.encodedBytes) {
      throw refuseByLimit(
        'UPSTREAM_RESPONSE_LIMIT',
        'limits.codec.encodedBytes',
        this.#limits.encodedBytes,
      );
    }
  }

  #countReference(): void {
    if (++this.#references > this.#limits.references) {
      throw refusals.asUpstream(new Refusal('SOAP_STRUCTURE', 'references'));
    }
  }
}

/** An element that is being replayed, how far, and whether the decoder wants its text. */
interface Frame {
  readonly element: RecordedTag;
  at: number;
  readonly isTextWanted: boolean;
  readonly isReadAsXml: boolean;
}

const CYCLE = 'a reference to an element it stands in';
