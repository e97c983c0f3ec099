import { XSD } from '../../wsdl/documents/namespaces.js';
import { ELEMENTS, type Interest, PIECES, PRESENCE, SKIP, type StartTag, type XmlHandler } from '../../xml/events.js';
import { trimXml } from '../plan/lexical.js';
import { attributeTrouble, identitiesIn, identityAttributes } from './attributes.js';
import { Base64Flow } from './base64-flow.js';
import { contentTrouble, textTrouble } from './element-value.js';
import { Frame } from './frame.js';
import type { FramePool } from './frame-pool.js';
import { IdentityTracker } from './identity.js';
import { nilOf, typeOf } from './instance.js';
import type { ValidityLimits } from './limits.js';
import { misplaced } from './misplaced.js';
import type { ElementRules, SchemaRules, TypeRules } from './rules.js';
import type { SimpleRules } from './simple-rules.js';
import type { Trouble, Violation, ViolationSink } from './violation.js';

export interface ValidatorOptions extends ValidityLimits {
  /** Length of one text that is kept until it can be validated. */
  readonly textChars: number;
  /**
   * Looks for what is declared within content that may be anything (lax wildcards, anyType) as XML Schema says. Not
   * thorough, such content is passed over: to hear of every element of it is what makes validating expensive.
   */
  readonly isThorough: boolean;
}

/**
 * Validates an element and its content against a schema while it streams: no tree, one frame for each open element. The
 * first violation is told to the sink; unless that throws, the rest of the message is not looked at.
 */
export class ContentValidator implements XmlHandler {
  readonly #schema: SchemaRules;
  readonly #root: ElementRules;
  readonly #sink: ViolationSink;
  readonly #options: ValidatorOptions;
  readonly #pool: FramePool;
  #frames: Frame[];
  #depth = 0;
  #isOver = false;
  /** The element opened last is one whose content nobody wants. */
  #skipping = false;
  #identity: IdentityTracker | null = null;
  #flow: Base64Flow | null = null;

  /** The first element it is given is `root`; its name is not judged. */
  constructor(
    schema: SchemaRules,
    root: ElementRules,
    sink: ViolationSink,
    options: ValidatorOptions,
    frames: FramePool,
  ) {
    this.#schema = schema;
    this.#root = root;
    this.#sink = sink;
    this.#options = options;
    this.#pool = frames;
    this.#frames = frames.take();
  }

  open(tag: StartTag): Interest {
    if (this.#isOver) return this.#skip();
    const parent = this.#depth === 0 ? null : (this.#frames[this.#depth - 1] ?? null);
    let place = 1;
    let repeats = false;
    let element: ElementRules | null = this.#root;
    if (parent !== null) {
      parent.children++;
      const { automaton } = parent.type;
      if (automaton !== null && !parent.isNil) {
        const position = parent.walk.advance(tag.uri, tag.local);
        if (position === null) return this.#stop(misplaced(parent, tag));
        place = parent.placeOf(position);
        repeats = position.repeats;
        element = position.element ?? this.#wild(parent, tag, position.wildcard?.process ?? 'skip');
      } else {
        element = this.#childOf(parent, tag);
        place = parent.children;
        repeats = true;
      }
      if (element === null) return this.#skip();
    }
    return this.#begin(tag, element, place, repeats);
  }

  text(piece: string): void {
    const frame = this.#frames[this.#depth - 1];
    if (frame === undefined || this.#isOver) return;
    if (frame.isNil) this.#fail({ rule: 'nil', what: 'must be empty, because it is nil', below: '' });
    else if (frame.type.simple === null && !hasMixedText(frame.type))
      this.#fail({ rule: 'text', what: 'must not have text', below: '' });
    else if (frame.isFlowing) this.#flow?.add(piece);
    else if (frame.text.length + piece.length > this.#options.textChars) {
      this.#report('XML_TEXT_LIMIT', TOO_LONG);
    } else frame.text += piece;
  }

  plain(bytes: Uint8Array, start: number, end: number): boolean {
    const frame = this.#frames[this.#depth - 1];
    if (this.#isOver) return true;
    if (frame === undefined || frame.quick === null || !frame.quick(bytes, start, end)) return false;
    frame.isTaken = true;
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
      if (this.#depth === 0) this.#identity.end();
      this.#judgeIdentity();
    }
    if (this.#depth > 0) return;
    this.#pool.give(this.#frames);
    this.#frames = [];
  }

  #begin(tag: StartTag, element: ElementRules, place: number, repeats: boolean): Interest {
    let { type } = element;
    let frame = this.#frames[this.#depth];
    if (frame === undefined) {
      frame = new Frame(element, type);
      this.#frames.push(frame);
    }
    this.#depth++;
    frame.begin(element, type);
    frame.place = place;
    frame.repeats = repeats;
    if (tag.attributeCount > 0) {
      const effective = typeOf(tag, element, this.#schema);
      if ('rule' in effective) return this.#stop(effective);
      if (effective !== type) frame.begin(element, effective);
      type = effective;
      const isNil = nilOf(tag, element);
      if (typeof isNil === 'object') return this.#stop(isNil);
      frame.isNil = isNil;
    }
    if (type.isAbstract) return this.#stop(ABSTRACT_TYPE);
    if (element.declaration.abstract) return this.#stop(ABSTRACT);
    if ((tag.attributeCount > 0 || type.requiredAttributes > 0) && !this.#attributes(tag, type)) return this.#skip();
    if (this.#identity !== null || element.declaration.constraints.length > 0) this.#openIdentity(tag, element, frame);
    if (this.#isOver) return this.#skip();
    // Keys may lie anywhere: where there are some everything is heard.
    const isThorough = this.#options.isThorough || this.#identity !== null;
    if ((type.kind === 'any' || (type.kind === 'lax' && !isThorough)) && !frame.isNil) {
      this.#identity?.closeUnread(this.#depth);
      this.#depth--;
      return this.#skip();
    }
    return this.#interest(frame, type);
  }

  #interest(frame: Frame, type: TypeRules): Interest {
    // White space is text as well where there must be none (cvc-elt.3.2.1, cvc-complex-type.2.1).
    if (frame.isNil || type.kind === 'empty') return PIECES;
    const { simple } = type;
    const { fixed, default: initial } = frame.element.declaration;
    if (simple === null)
      return type.kind === 'model' ? PRESENCE : hasMixedText(type) && fixed !== null ? PIECES : ELEMENTS;
    frame.isFlowing = simple.flows && !frame.isField && fixed === null && initial === null;
    if (frame.isFlowing) {
      this.#flow ??= new Base64Flow();
      this.#flow.begin();
    }
    if (!frame.isField && fixed === null && simple.identity === null) frame.quick = simple.quick;
    return simple.check !== null || frame.isField || fixed !== null ? PIECES : ELEMENTS;
  }

  /** What the child of an element without a content model is; null after a violation, and where it does not matter. */
  #childOf(parent: Frame, tag: StartTag): ElementRules | null {
    if (parent.isNil) return this.#fail({ rule: 'nil', what: 'must be empty, because it is nil', below: '' });
    if (parent.type.kind === 'lax') return this.#schema.global(tag.uri, tag.local) ?? this.#schema.undeclared;
    if (parent.type.simple?.type.builtIn === 'base64Binary' && tag.local === 'Include' && tag.uri === XOP_URI) {
      parent.isElsewhere = true;
      return null;
    }
    return this.#fail({ rule: 'element', what: 'must not have elements', below: '' });
  }

  /** What an element is that a wildcard lets in; null where it is not looked at, and after a violation. */
  #wild(parent: Frame, tag: StartTag, process: 'strict' | 'lax' | 'skip'): ElementRules | null {
    if (process === 'skip') return null;
    const known = this.#schema.global(tag.uri, tag.local);
    if (known === null && DECLARED_ELSEWHERE.has(tag.uri)) return null;
    if (known !== null || process === 'lax') return known ?? this.#schema.undeclared;
    return this.#fail({ rule: 'element', what: 'is not declared, and must be here', below: `/*[${parent.children}]` });
  }

  #attributes(tag: StartTag, type: TypeRules): boolean {
    const trouble = attributeTrouble(tag, type, this.#schema);
    if (trouble !== null) return this.#fail(trouble) !== null;
    for (const { uri, local, simple } of identitiesIn(tag, type, this.#schema)) {
      const value = tag.attribute(uri, local);
      if (value !== null) this.#noteIdentity(simple, value);
    }
    this.#judgeIdentity();
    return !this.#isOver;
  }

  #openIdentity(tag: StartTag, element: ElementRules, frame: Frame): void {
    this.#identity ??= new IdentityTracker(this.#options);
    const attributes = identityAttributes(tag, frame.type, this.#schema);
    frame.isField = this.#identity.open(tag, this.#depth, element.declaration.constraints, attributes);
    this.#judgeIdentity();
  }

  #end(frame: Frame): void {
    const { type, isNil } = frame;
    const { simple } = type;
    if (!isNil && type.automaton !== null && !frame.walk.isComplete) {
      this.#fail({ rule: 'missing', what: `must have further elements${frame.walk.expected}`, below: '' });
      return;
    }
    if (!isNil && simple !== null && !frame.isElsewhere && !frame.isTaken && !this.#text(frame, simple)) return;
    const what = isNil || simple !== null ? null : contentTrouble(frame);
    if (what !== null) this.#fail({ rule: 'value', what, below: '' });
    if (this.#identity === null) return;
    const { default: initial, fixed } = frame.element.declaration;
    const text = frame.text === '' ? (initial ?? fixed ?? '') : frame.text;
    this.#identity.close(this.#depth, isNil || simple === null ? null : text, simple?.type ?? null);
  }

  #text(frame: Frame, simple: SimpleRules): boolean {
    const what = frame.isFlowing ? (this.#flow?.end() ?? null) : textTrouble(frame, simple);
    if (what !== null) this.#fail({ rule: 'value', what, below: '' });
    else if (simple.identity !== null) {
      this.#noteIdentity(simple, frame.text);
      this.#judgeIdentity();
    }
    return !this.#isOver;
  }

  #noteIdentity({ identity }: SimpleRules, text: string): void {
    this.#identity ??= new IdentityTracker(this.#options);
    if (identity === 'id') this.#identity.id(trimXml(text));
    else if (identity === 'idref') this.#identity.reference(trimXml(text));
    else for (const item of trimXml(text).split(/[ \t\r\n]+/)) this.#identity.reference(item);
  }

  #judgeIdentity(): void {
    const trouble = this.#identity?.trouble ?? null;
    if (trouble === null || this.#isOver) return;
    if (trouble.kind === 'limit') this.#report('XML_IDENTITY_LIMIT', { rule: 'limit', what: trouble.what, below: '' });
    else this.#fail({ rule: 'identity', what: trouble.what, below: '' });
  }

  /** Nothing of what is inside the element opened last is wanted. */
  #skip(): Interest {
    this.#skipping = true;
    return SKIP;
  }

  #stop(trouble: Trouble): Interest {
    this.#fail(trouble);
    return this.#skip();
  }

  #fail(trouble: Trouble): null {
    this.#report('SCHEMA_INVALID', trouble);
    return null;
  }

  #report(code: Violation['code'], { rule, what, below }: Trouble): void {
    if (this.#isOver) return;
    this.#isOver = true;
    let path = '';
    for (let depth = 0; depth < this.#depth; depth++) path += this.#frames[depth]?.step ?? '';
    this.#sink({ code, rule, what, path: shortened(`${path}${below}`) });
  }
}

/** Beginning and end of a path that is longer than anybody reads. */
const PATH_CHARS = 1000;
const shortened = (path: string): string =>
  path.length <= PATH_CHARS ? path : `${path.slice(0, PATH_CHARS / 2)}...${path.slice(-PATH_CHARS / 2)}`;

const hasMixedText = ({ kind }: TypeRules): boolean => kind === 'mixed' || kind === 'lax';

const ABSTRACT_TYPE: Trouble = { rule: 'type', what: 'is of an abstract type: xsi:type must name another', below: '' };
const ABSTRACT: Trouble = { rule: 'element', what: 'is abstract', below: '' };
const TOO_LONG: Trouble = { rule: 'limit', what: 'is longer than what is validated', below: '' };
/** Their elements are declared, but by no schema that a WSDL holds: schemas, and the tables .NET sends with them. */
const DECLARED_ELSEWHERE: ReadonlySet<string> = new Set([XSD, 'urn:schemas-microsoft-com:xml-diffgram-v1']);

const XOP_URI = 'http://www.w3.org/2004/08/xop/include';
