import { namespaces } from '../../wsdl/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { checkAttributes, identitiesIn, identityAttributes } from './attributes.js';
import type { Position } from './automaton.js';
import { checkContent, checkText } from './element-value.js';
import { Frame } from './frame.js';
import type { FramePool } from './frame-pool.js';
import { IdentityTracker } from './identity.js';
import { instanceType, nilOf } from './instance.js';
import type { ValidityLimits } from './limits.js';
import { describeMisplaced, describeMissing } from './misplaced.js';
import { modelRecordsOf } from './model-records.js';
import type { ElementRules, SchemaRules, TypeRules } from './rules.js';
import type { SimpleRules } from './simple-rules.js';
import { StreamedBase64 } from './streamed-base64.js';
import {
  type BrokenRule,
  FINDINGS,
  shortenPath,
  type Violation,
  type ViolationSink,
} from './violation.js';
import { wildcardRules } from './wildcard-rules.js';

export interface ValidatorOptions extends ValidityLimits {
  /** Maximum length of a text that must be kept to be validated. */
  readonly textChars: number;
  /**
   * Validates declared content within lax wildcards and anyType, as XML Schema requires. Otherwise
   * it is skipped: events for each of its elements make validation expensive.
   */
  readonly isThorough: boolean;
  /**
   * A namespace whose elements may have none, and the other way round; absent: names are as
   * declared.
   */
  readonly unqualifiedAs?: string;
}

/**
 * Validates an element and its content against a schema while it streams: no tree, one frame for
 * each open element. The first violation is reported to the sink; unless that throws, the rest of
 * the message is skipped. Content that cannot be validated is a violation for a thorough validator;
 * otherwise it is reported once and skipped.
 */
export class ContentValidator implements XmlHandler {
  readonly #schema: SchemaRules;
  readonly #records: ReturnType<typeof modelRecordsOf>;
  readonly #root: ElementRules;
  readonly #sink: ViolationSink;
  readonly #options: ValidatorOptions;
  readonly #pool: FramePool;
  #frames: Frame[];
  #depth = 0;
  /** Elements around the first one. */
  #outer = 0;
  #isOver = false;
  #hasUnvalidated = false;
  /** The element opened last is skipped. */
  #skipping = false;
  #identity: IdentityTracker | null = null;
  #base64: StreamedBase64 | null = null;

  /** The first element is validated as `root`, whatever its name. */
  constructor(
    schema: SchemaRules,
    root: ElementRules,
    sink: ViolationSink,
    options: ValidatorOptions,
    frames: FramePool,
  ) {
    this.#schema = schema;
    this.#records = modelRecordsOf(schema);
    this.#root = root;
    this.#sink = sink;
    this.#options = options;
    this.#pool = frames;
    this.#frames = frames.acquire();
  }

  open(tag: StartTag): Interest {
    if (this.#isOver) return this.#skip();
    const parent = this.#depth === 0 ? null : (this.#frames[this.#depth - 1] ?? null);
    let ordinal = 1;
    let mayRepeat = false;
    let element: ElementRules | null = this.#root;
    if (parent !== null) {
      parent.children++;
      const { automaton } = parent.type;
      if (automaton !== null && parent.textState !== 'nil') {
        const position = this.#advance(parent, tag);
        if (position === null) return this.#stop(describeMisplaced(parent, tag));
        ordinal = parent.countChild(position);
        mayRepeat = position.mayRepeat;
        element = position.element ?? this.#wild(parent, tag, position.wildcard?.process ?? 'skip');
      } else {
        element = this.#childOf(parent, tag);
        ordinal = parent.children;
        mayRepeat = true;
      }
      if (element === null) return this.#skip();
    }
    return this.#begin(tag, element, ordinal, mayRepeat);
  }

  text(chars: string): void {
    const frame = this.#frames[this.#depth - 1];
    if (frame === undefined || this.#isOver) return;
    if (frame.textState === 'nil') {
      this.#fail({ rule: 'nil', what: 'must be empty, because it is nil', below: '' });
    } else if (frame.type.simple === null && !hasMixedText(frame.type)) {
      this.#fail({ rule: 'text', what: 'must not have text', below: '' });
    } else if (frame.textState === 'streamed') {
      this.#base64?.add(chars);
    } else if (frame.text.length + chars.length > this.#options.textChars) {
      const limit = { key: 'limits.xml.textBytes', value: this.#options.textChars };
      this.#report('XML_TEXT_LIMIT', { ...FINDINGS.tooLong, limit });
    } else {
      frame.text += chars;
    }
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    const frame = this.#frames[this.#depth - 1];
    if (this.#isOver) return true;
    if (frame === undefined || frame.fastTest === null || !frame.fastTest(bytes, start, end)) {
      return false;
    }
    frame.treatText('known');
    return true;
  }

  close(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    if (this.#isOver) return;
    const frame = this.#frames[this.#depth - 1];
    if (frame === undefined) return;
    this.#end(frame);
    frame.text = '';
    this.#depth--;
    if (this.#identity !== null && !this.#isOver) {
      if (this.#depth === 0) {
        this.#identity.end();
      }
      this.#checkIdentity();
    }
    if (this.#depth > 0) return;
    this.#pool.release(this.#frames);
    this.#frames = [];
  }

  /** Content with identities is validated by events alone. */
  get model(): XmlHandler['model'] {
    return this.#isOver || this.#identity !== null ? null : this;
  }

  enter(depth: number): number {
    if (this.#isOver || this.#identity !== null) return 0;
    this.#outer = depth - this.#depth;
    return this.#records.enter(this.#frames, this.#depth, depth);
  }

  leave(lowest: number, depth: number): void {
    this.#depth = lowest - this.#outer;
    let frame = this.#frames[this.#depth - 1];
    for (let level = lowest; frame !== undefined; level++) {
      const position = this.#records.leave(frame, level);
      if (level === depth || position?.element == null) return;
      const { element, mayRepeat } = position;
      frame = this.#open(element, frame.lastOrdinal, mayRepeat);
    }
  }

  learn(uri: string, local: string): boolean {
    const frame = this.#frames[this.#depth - 1];
    return frame !== undefined && this.#records.learn(frame, uri, local);
  }

  #advance({ walk }: Frame, { uri, local }: StartTag): Position<ElementRules> | null {
    const position = walk.advance(uri, local);
    const { unqualifiedAs } = this.#options;
    if (position !== null || unqualifiedAs === undefined) return position;
    if (uri === '') return walk.advance(unqualifiedAs, local);
    return uri === unqualifiedAs ? walk.advance('', local) : null;
  }

  #open(element: ElementRules, ordinal: number, mayRepeat: boolean): Frame {
    const { type } = element;
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame(element, type);
      this.#frames.push(frame);
    }
    this.#depth++;
    frame.begin(element, type);
    frame.ordinal = ordinal;
    frame.mayRepeat = mayRepeat;
    return frame;
  }

  #begin(tag: StartTag, element: ElementRules, ordinal: number, mayRepeat: boolean): Interest {
    let { type } = element;
    const frame = this.#open(element, ordinal, mayRepeat);
    if (tag.attributeCount > 0) {
      const effective = instanceType(tag, element, this.#schema);
      if ('rule' in effective) return this.#stop(effective);
      if (effective !== type) {
        frame.begin(element, effective);
      }
      type = effective;
      const isNil = nilOf(tag, element);
      if (typeof isNil === 'object') return this.#stop(isNil);
      if (isNil) {
        frame.treatText('nil');
      }
    }
    if (type.isAbstract) return this.#stop(FINDINGS.abstractType);
    if (element.declaration.abstract) return this.#stop(FINDINGS.abstract);
    if ((tag.attributeCount > 0 || type.requiredAttributes > 0) && !this.#attributes(tag, type)) {
      return this.#skip();
    }
    if (this.#identity !== null || element.declaration.constraints.length > 0) {
      this.#openIdentity(tag, element, frame);
    }
    if (this.#isOver) return this.#skip();
    // Keys may be anywhere within: nothing is skipped.
    const isThorough = this.#options.isThorough || this.#identity !== null;
    const isNil = frame.textState === 'nil';
    if (type.kind === 'any' && !isNil && !this.#hasUnvalidated) {
      if (this.#options.isThorough) return this.#stop(FINDINGS.unvalidated);
      this.#hasUnvalidated = true;
      this.#emit('SCHEMA_INVALID', FINDINGS.unvalidated);
    }
    if ((type.kind === 'any' || (type.kind === 'lax' && !isThorough)) && !isNil) {
      this.#identity?.closeUnread(this.#depth);
      this.#depth--;
      return this.#skip();
    }
    return this.#interest(frame, type);
  }

  #interest(frame: Frame, type: TypeRules): Interest {
    // White space is text as well where there must be none (cvc-elt.3.2.1, cvc-complex-type.2.1).
    if (frame.textState === 'nil' || type.kind === 'empty') return STREAM;
    const { simple } = type;
    const { fixed, default: initial } = frame.element.declaration;
    if (simple === null) {
      return type.kind === 'model'
        ? PRESENCE
        : hasMixedText(type) && fixed !== null
          ? STREAM
          : ELEMENTS_ONLY;
    }
    if (simple.isStreamable && !frame.isField && fixed === null && initial === null) {
      frame.treatText('streamed');
      this.#base64 ??= new StreamedBase64();
      this.#base64.begin();
    }
    if (!frame.isField && fixed === null && simple.identity === null) {
      frame.fastTest = simple.fastTest;
    }
    return simple.check !== null || frame.isField || fixed !== null ? STREAM : ELEMENTS_ONLY;
  }

  /**
   * The rules for a child of an element without a content model; null after a violation, and for an
   * XOP Include.
   */
  #childOf(parent: Frame, tag: StartTag): ElementRules | null {
    if (parent.textState === 'nil') {
      return this.#fail({ rule: 'nil', what: 'must be empty, because it is nil', below: '' });
    }
    if (parent.type.kind === 'lax') {
      return this.#schema.global(tag.uri, tag.local) ?? this.#schema.undeclared;
    }
    if (
      parent.type.simple?.type.builtIn === 'base64Binary' &&
      tag.local === 'Include' &&
      tag.uri === namespaces.XOP
    ) {
      parent.treatText('known');
      return null;
    }
    return this.#fail({ rule: 'element', what: 'must not have elements', below: '' });
  }

  /**
   * The rules for an element that a wildcard allows; null where it is skipped, and after a
   * violation.
   */
  #wild(parent: Frame, tag: StartTag, process: 'strict' | 'lax' | 'skip'): ElementRules | null {
    const allowed = wildcardRules(this.#schema, parent, tag, process);
    return allowed !== null && 'rule' in allowed ? this.#fail(allowed) : allowed;
  }

  #attributes(tag: StartTag, type: TypeRules): boolean {
    const finding = checkAttributes(tag, type, this.#schema);
    if (finding !== null) return this.#fail(finding) !== null;
    for (const { uri, local, simple } of identitiesIn(tag, type, this.#schema)) {
      const value = tag.attribute(uri, local);
      if (value !== null) {
        this.#trackIdentity(simple, value);
      }
    }
    this.#checkIdentity();
    return !this.#isOver;
  }

  #openIdentity(tag: StartTag, element: ElementRules, frame: Frame): void {
    this.#identity ??= new IdentityTracker(this.#options);
    const attributes = identityAttributes(tag, frame.type, this.#schema);
    frame.isField = this.#identity.open(
      tag,
      this.#depth,
      element.declaration.constraints,
      attributes,
    );
    this.#checkIdentity();
  }

  #end(frame: Frame): void {
    const { type, textState } = frame;
    const isNil = textState === 'nil';
    const { simple } = type;
    if (!isNil && type.automaton !== null && !frame.walk.isComplete) {
      this.#fail({ rule: 'missing', what: describeMissing(frame), below: '' });
      return;
    }
    if (!isNil && simple !== null && textState !== 'known' && !this.#text(frame, simple)) return;
    const what = isNil || simple !== null ? null : checkContent(frame);
    if (what !== null) {
      this.#fail({ rule: 'value', what, below: '' });
    }
    if (this.#identity === null) return;
    const { default: initial, fixed } = frame.element.declaration;
    const text = frame.text === '' ? (initial ?? fixed ?? '') : frame.text;
    this.#identity.close(this.#depth, isNil || simple === null ? null : text, simple?.type ?? null);
  }

  #text(frame: Frame, simple: SimpleRules): boolean {
    const what =
      frame.textState === 'streamed' ? (this.#base64?.end() ?? null) : checkText(frame, simple);
    if (what !== null) {
      this.#fail({ rule: 'value', what, below: '' });
    } else if (simple.identity !== null) {
      this.#trackIdentity(simple, frame.text);
      this.#checkIdentity();
    }
    return !this.#isOver;
  }

  #trackIdentity({ identity }: SimpleRules, text: string): void {
    this.#identity ??= new IdentityTracker(this.#options);
    this.#identity.value(identity, text);
  }

  #checkIdentity(): void {
    const finding = this.#identity?.finding ?? null;
    if (finding === null || this.#isOver) return;
    const { what } = finding;
    if (finding.kind === 'limit') {
      this.#report('XML_IDENTITY_LIMIT', { rule: 'limit', what, below: '', limit: finding.limit });
    } else {
      this.#fail({ rule: 'identity', what, below: '' });
    }
  }

  /** Skips the content of the element opened last. */
  #skip(): Interest {
    this.#skipping = true;
    return SKIP;
  }

  #stop(finding: BrokenRule): Interest {
    this.#fail(finding);
    return this.#skip();
  }

  #fail(finding: BrokenRule): null {
    this.#report('SCHEMA_INVALID', finding);
    return null;
  }

  #report(code: Violation['code'], finding: BrokenRule): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#emit(code, finding);
  }

  #emit(code: Violation['code'], { below, ...finding }: BrokenRule): void {
    let path = '';
    for (let depth = 0; depth < this.#depth; depth++) {
      path += this.#frames[depth]?.step ?? '';
    }
    this.#sink({ code, ...finding, path: shortenPath(`${path}${below}`) });
  }
}

const hasMixedText = ({ kind }: TypeRules): boolean => kind === 'mixed' || kind === 'lax';
