import { dialectOfUri, mime } from '../../soap/index.js';
import {
  ELEMENTS_ONLY,
  expandedName,
  type Interest,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { AttributeFacts } from './attribute-facts.js';
import { faultPart, neutralFaultCode } from './fault-parts.js';
import { noFacts, type PathFacts } from './path-facts.js';
import type { ReplyTypes, TextShape, TypeShape } from './reply-types.js';
import { boundIn, typedValue } from './typed-value.js';

/** UTF-16 units of a text that its type is applied to; a longer one is compared as it stands. */
const TYPED_UNITS_MAX = 64 * 1024;

/** Depth of the children of Body. */
const BODY_CHILD = 3;

/** An element that is open. */
interface OpenElement {
  /** Null where it has no facts of its own: those of its children are its parent's. */
  readonly facts: PathFacts | null;
  readonly type: TypeShape | null;
  readonly tag: StartTag | null;
  readonly parentNumber: number;
  /** The part of a Fault that it is; null: none. */
  readonly part: string | null;
  hasChildren: boolean;
  lastChild: string;
  isNil: boolean;
  text: string;
  /** The namespace of the prefix that its text begins with; null for none. */
  bound: string | null;
  /** The text is too long for its type, and has been added as far as it came. */
  isLong: boolean;
}

/** Nothing has been read of its content. */
const UNREAD = {
  hasChildren: false,
  lastChild: '',
  isNil: false,
  text: '',
  bound: null,
  isLong: false,
} as const;

/** An element that has no facts, and none of whose content is read. */
const HIDDEN: OpenElement = {
  facts: null,
  type: null,
  tag: null,
  parentNumber: 0,
  part: null,
  ...UNREAD,
};

/** Which content of replies is compared, and how. */
export interface ComparedContent {
  readonly types: ReplyTypes;
  /** Paths that are left out, with all below them. */
  readonly ignore: ReadonlySet<string>;
}

/**
 * Reads the meaning of one reply from the events of its envelope: a hash of the values for each
 * path, whatever the prefixes, the order of attributes, and the lexical forms of typed values.
 * Header blocks do not count. Memory depends on the number of paths, not on the length.
 */
export class ReplyMeaning implements XmlHandler {
  /** The document is an envelope. */
  isEnvelope = false;
  /** There are too many different paths to compare them. */
  isTooWide = false;
  readonly facts = noFacts();
  /** Elements whose content is a part of the package. */
  readonly includes: { readonly facts: PathFacts; readonly href: string }[] = [];
  readonly #content: ComparedContent;
  readonly #attributes: AttributeFacts;
  readonly #open: OpenElement[] = [];
  #depth = 0;

  constructor(content: ComparedContent) {
    this.#content = content;
    this.#attributes = new AttributeFacts(content.types, content.ignore);
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) {
      this.isEnvelope = tag.local === 'Envelope' && dialectOfUri(tag.uri) !== null;
      return this.isEnvelope ? ELEMENTS_ONLY : SKIP;
    }
    if (this.#depth < BODY_CHILD) return tag.local === 'Body' ? ELEMENTS_ONLY : SKIP;
    return this.#openContent(tag);
  }

  close(): void {
    this.#depth--;
    if (this.#depth < BODY_CHILD - 1) return;
    const closed = this.#open.pop();
    if (closed !== undefined) {
      this.#endElement(closed);
    }
  }

  text(chars: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || element.facts === null) return;
    if (element.isLong) {
      element.facts.values.add(longPiece(chars, textOf(element.type)));
      return;
    }
    element.text += chars;
    if (element.bound === null && !element.hasChildren && element.tag !== null) {
      element.bound = boundIn(element.text, element.tag);
    }
    if (element.text.length > TYPED_UNITS_MAX) {
      this.#beginLong(element, element.facts);
    }
  }

  #openContent(tag: StartTag): Interest {
    const parent = this.#open.at(-1) ?? null;
    if (parent !== null) {
      this.#beginChild(parent);
    }
    if (tag.local === 'Include' && tag.uri === mime.XOP_URI && parent?.facts != null) {
      this.includes.push({ facts: parent.facts, href: tag.attribute('', 'href') ?? '' });
      this.#open.push(HIDDEN);
      return SKIP;
    }
    const part = faultPart(tag, parent?.part ?? null);
    const isTransparent = part?.isTransparent === true;
    const owner = this.#ownerOf(parent);
    const local = part?.name ?? tag.local;
    const facts = isTransparent ? null : this.#factsOf(owner, part, tag, local);
    const isIgnored = facts === null ? !isTransparent : this.#content.ignore.has(facts.path);
    const declared = isIgnored ? undefined : this.#declaredType(tag, parent);
    const index = this.#attributes.namedType(tag) ?? declared;
    const type = index === undefined ? null : (this.#content.types.types[index] ?? null);
    const element: OpenElement = {
      facts: isIgnored ? null : facts,
      type,
      tag,
      parentNumber: owner.count,
      part: part?.name ?? null,
      ...UNREAD,
    };
    this.#open.push(element);
    if (isIgnored) return SKIP;
    if (facts !== null) {
      this.#begin(element, tag, facts, parent, declared);
    }
    return STREAM;
  }

  /** The facts that those of a child are part of. */
  #ownerOf(parent: OpenElement | null): PathFacts {
    if (parent === null) return this.facts;
    return parent.facts ?? this.#open.findLast((each) => each.facts !== null)?.facts ?? this.facts;
  }

  #factsOf(
    owner: PathFacts,
    part: ReturnType<typeof faultPart>,
    tag: StartTag,
    local: string,
  ): PathFacts | null {
    const facts = owner.child(part === null ? expandedName(tag) : `{}${local}`, local);
    if (facts === null) {
      this.isTooWide = true;
    }
    return facts;
  }

  /** Adds that it is there, where it is among its siblings, and its attributes. */
  #begin(
    element: OpenElement,
    tag: StartTag,
    facts: PathFacts,
    parent: OpenElement | null,
    declared: number | undefined,
  ): void {
    const { type, parentNumber, part } = element;
    const { local } = tag;
    facts.count++;
    facts.values.add(`${BEGIN}${parentNumber}`);
    facts.order.add(BEGIN);
    if (parent?.facts != null && parent.type?.isUnordered !== true && part === null) {
      if (parent.lastChild !== local) {
        parent.facts.order.add(`${local}${NEXT}`);
      }
      parent.lastChild = local;
    }
    if (part === null || part === 'detail') {
      element.isNil = this.#attributes.add(tag, facts, type, declared);
    }
  }

  /** The index of the type that the element is declared with. */
  #declaredType(tag: StartTag, parent: OpenElement | null): number | undefined {
    const key = expandedName(tag);
    return parent === null || parent.part === 'detail'
      ? this.#content.types.roots[key]
      : (parent.type?.elements?.[key] ?? parent.type?.items);
  }

  /** Text before a child is layout, or a part of mixed content. */
  #beginChild(parent: OpenElement): void {
    parent.hasChildren = true;
    this.#addMixed(parent);
  }

  #addMixed(element: OpenElement): void {
    if (element.text !== '' && NOT_WHITE.test(element.text)) {
      element.facts?.values.add(`${VALUE}${element.text}`);
    }
    element.text = '';
    element.bound = null;
    element.isLong = false;
  }

  #endElement(element: OpenElement): void {
    const { facts, part, type, isNil, hasChildren, isLong } = element;
    if (facts === null || isLong) return;
    if (hasChildren) {
      this.#addMixed(element);
    } else if (isNil) {
      facts.values.add(NIL);
    } else if (type === null || type.text !== undefined) {
      // Empty is as if there were no text: an element without the children that it may have.
      const value = this.#valueOf(element, part, textOf(type));
      facts.values.add(value === '' ? '' : `${VALUE}${value}`);
    } else {
      this.#addMixed(element);
    }
  }

  #valueOf({ text, bound }: OpenElement, part: string | null, shape: TextShape | null): string {
    if (part === 'faultcode') return neutralFaultCode(text);
    return part === null ? typedValue(text, shape, bound) : text.trim();
  }

  #beginLong(element: OpenElement, facts: PathFacts): void {
    element.isLong = true;
    facts.values.add(`${VALUE}${longPiece(element.text, textOf(element.type))}`);
    element.text = '';
  }
}

const textOf = (type: TypeShape | null): TextShape | null => type?.text ?? null;

/** White space in binary content is layout. */
const longPiece = (chars: string, shape: TextShape | null): string =>
  shape?.builtIn === 'base64Binary' ? chars.replaceAll(SPACES, '') : chars;

// Characters that XML 1.0 has not, so that no content can be mistaken for them.
const BEGIN = '\x01';
const NEXT = '\x02';
const VALUE = '\x03';
const NIL = '\x04';

const NOT_WHITE = /[^ \t\r\n]/;
const SPACES = /[ \t\r\n]+/g;
