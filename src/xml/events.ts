/**
 * The events of the streaming reader.
 *
 * A handler answers for each element how much of its content is to be reported. Content that is not
 * reported is still checked in full (well-formedness, namespaces, limits), but no string is made
 * for it.
 */
export interface XmlHandler {
  /**
   * An element begins. `tag` is lent: it is valid during this call only. The answer rules the
   * element's content.
   */
  open(tag: StartTag): Interest;
  /**
   * The element ends. Called once for each `open`. `contentEndBytes` is the offset behind its
   * content, where the end tag begins, and `endBytes` the offset behind the end tag; of an empty
   * element both are the offset behind its tag.
   */
  close(contentEndBytes: number, endBytes: number): void;
  /**
   * Character data of the element opened last, references resolved, line ends normalised. One run
   * of text may come in any number of calls; comments and CDATA borders do not show. Only where
   * `open` answered `ALL` or `STREAM`.
   */
  text(chars: string): void;
  /**
   * The whole text of the element opened last, where that is plain ASCII without references and
   * lies in `bytes` as it stands: a handler that can validate the bytes needs no string. False has
   * it reported by `text` after all. Only where `open` answered `STREAM`, and not each time that it
   * could be.
   */
  asciiText?(bytes: Uint8Array, start: number, end: number): boolean;
  /**
   * A processing instruction has been read, anywhere. For a handler without this method they are
   * refused with `XML_PI_FORBIDDEN`, as SOAP demands.
   */
  instruction?(): void;
  /**
   * The model by which the content of the element opened last is validated without events, where
   * `open` answered `PRESENCE`; null or absent: all of it is reported. A handler between the reader
   * and this one may pass it on if it needs no event of content that is valid. That element itself
   * and all around it are reported, whatever depth the model knows.
   */
  readonly model?: ContentModel | null | undefined;
  /**
   * So many elements were opened by the model without an event; negative: closed. For handlers that
   * pass a model on.
   */
  move?(levels: number): void;
  /**
   * The children that matter of the element opened last, where `open` answered `ELEMENTS_ONLY`;
   * null or absent: all. Others may have no events.
   */
  readonly selection?: ChildSelection | null | undefined;
  /**
   * The whole text of a child of the element opened last, the one at this place of its selection,
   * whose content is `text` and which has no attributes. It has no other events.
   */
  leaf?(place: number, text: string): void;
  /** The child with this local name was not selected, and had no event. Not called for each. */
  passed?(local: string): void;
  /**
   * The namespaces of attributes that matter in content with the interest `WATCH`. '': the
   * attributes `Id`, `ID`, `id` and `AssertionID`, which have none.
   */
  readonly watched?: ReadonlySet<string> | undefined;
  /**
   * A start tag in such content that has such an attribute; it has no `close`. A handler between
   * the reader and this one may pass others too. `tag` is lent, as by `open`.
   */
  watch?(tag: StartTag): void;
  /**
   * A comment in content that is reported: what stands between its delimiters, line ends
   * normalised.
   */
  comment?(chars: string): void;
  /**
   * Takes content of the element opened last without events, where `open` answered `STREAM` and the
   * content is canonical XML as it stands; null or absent: all of it is reported. Asked each time.
   */
  readonly canonicalContent?: CanonicalContent | null | undefined;
}

/** Takes content that is canonical XML as it stands, but for the tags of empty elements. */
export interface CanonicalContent {
  /** The depth of the innermost open element whose end must be reported. */
  readonly floor: number;
  /** Elements with attributes in these namespaces are reported; '' as in `watched`. */
  readonly watched: ReadonlySet<string>;
  /** Another number, of all messages, where `isWritten` may answer otherwise. */
  readonly version: number;
  /** Whether the canonical form needs no declaration for a name with this prefix. */
  isWritten(prefix: string, uri: string): boolean;
  pass(run: CanonicalRun): void;
}

/**
 * Content that was passed over. The bytes are lent: they lie from `start` to before `end`. Elements
 * were closed down to the depth `lowest`, then others opened.
 */
export interface CanonicalRun {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly lowest: number;
  /** Elements that are open now, from `lowest + 1` on. */
  readonly opened: readonly WrittenName[];
  /** Tags of empty elements among them, which canonical XML writes as two. */
  readonly emptyTags: readonly EmptyTag[];
  /** Depths of elements that are open now and have text in the content that is not white. */
  readonly textDepths: readonly number[];
}

/** The offsets of the `/` of a tag, and of the name in it. */
export interface EmptyTag {
  readonly slash: number;
  readonly nameStart: number;
  readonly nameEnd: number;
}

/** A name with its prefix, '' for none. */
export interface WrittenName {
  readonly prefix: string;
  readonly local: string;
}

/**
 * A content model in the memory of the skimmer (`models/memory.ts`). The skimmer takes only what is
 * surely valid, elements without attributes of any namespace but `xsi:nil`. All other content is
 * reported.
 */
export interface ContentModel {
  /**
   * Writes the states of the open elements into their frames; `depth` is that of the innermost.
   * Returns the depth of the outermost that is written, or 0 for none.
   */
  enter(depth: number): number;
  /**
   * Takes the states back: elements were closed down to the depth `lowest`, then others opened up
   * to `depth`.
   */
  leave(lowest: number, depth: number): void;
  /** Adds the transition to an element that comes next; false where there is none to be added. */
  learn(uri: string, local: string): boolean;
}

/** The children of an element that matter to its handler; names are ASCII. */
export interface ChildSelection {
  readonly children: readonly SelectedChild[];
}

export interface SelectedChild {
  readonly name: QName;
  /**
   * `text`: nothing but its text matters where it has no attributes. A selection: that of its
   * children, whatever attributes without a namespace it has. Null: that is not known, or not yet.
   */
  readonly content: ChildSelection | 'text' | null;
  /** Attributes of the child matter. */
  readonly hasAttributes: boolean;
}

/** Nothing of the content: neither elements nor text, down to the matching `close`. */
export const SKIP = 0;
/** The child elements, but no text of this element itself; text is checked, not reported. */
export const ELEMENTS_ONLY = 1;
/** The child elements and the text of this element itself. */
export const ALL = 2;
/**
 * The child elements; of the text only that there is some: `text('')` once per run with a non-white
 * character.
 */
export const PRESENCE = 3;
/**
 * As `ALL`, with text of any length: for handlers that do not keep it, or check its length
 * themselves.
 */
export const STREAM = 4;
/**
 * As `SKIP`, but for start tags with attributes in the namespaces that the handler has in
 * `watched`.
 */
export const WATCH = 5;

export type Interest =
  | typeof SKIP
  | typeof ELEMENTS_ONLY
  | typeof ALL
  | typeof PRESENCE
  | typeof STREAM
  | typeof WATCH;

/** A test of the bytes from `start` to before `end`. They are lent. */
export type BytesTest = (bytes: Uint8Array, start: number, end: number) => boolean;

/** A name after namespace processing. `uri` is '' for no namespace. */
export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** The expanded name as text: `{uri}local`. */
export const expandedName = ({ uri, local }: QName): string => `{${uri}}${local}`;

/**
 * A start tag as lent to `XmlHandler.open`. Strings are interned: equal names are the same string
 * object.
 */
export interface StartTag {
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  /** Elements open, this one included: 1 for the document element. */
  readonly depth: number;
  /**
   * Offset of the `<` in the bytes read so far (after transcoding for encodings other than UTF-8).
   */
  readonly offsetBytes: number;
  /** Offset behind the `>`, counted alike: where the content begins. */
  readonly contentBytes: number;
  /** Attributes, namespace declarations not counted. */
  readonly attributeCount: number;
  attributeUri(index: number): string;
  attributeLocal(index: number): string;
  /**
   * Whether the value is plain ASCII as it stands and passes this test of its bytes. False leaves
   * both open.
   */
  attributePasses?(index: number, test: BytesTest): boolean;
  /** The normalised value (XML 1.0 section 3.3.3). */
  attributeValue(index: number): string;
  /** The normalised value of the attribute with this name, or null. */
  attribute(uri: string, local: string): string | null;
  /**
   * What `prefix` ('' for the default) is bound to here, or null: for QNames in content (xsi:type,
   * fault codes). Where no default is declared, '' is bound to '', which is no namespace. Answers
   * also while text of this element is reported.
   */
  namespace(prefix: string): string | null;
  /** True if this very tag declares a namespace with this URI. */
  declares(uri: string): boolean;
  /** How the names of the tag are written. Absent for a tag that no message has. */
  readonly written?: WrittenTag;
}

/**
 * A namespace declaration. The prefix is '' for the default, and then the URI is '' for no
 * namespace.
 */
export interface NamespaceBinding {
  readonly prefix: string;
  readonly uri: string;
}

/** How the names of a start tag are written: what Canonical XML asks for besides its meaning. */
export interface WrittenTag {
  attributePrefix(index: number): string;
  /** Namespace declarations of this very tag. */
  readonly declarationCount: number;
  declaredPrefix(index: number): string;
  declaredUri(index: number): string;
  /** The declarations in force, those of the tag included and `xml` not, each prefix once. */
  namespacesInScope(): readonly NamespaceBinding[];
}
