import type { Interest, NamespaceBinding, StartTag, WrittenTag, XmlHandler } from '../events.js';
import { attributesOf, type CanonicalWriter, type WrittenAttribute } from './canonical-writer.js';

/** A comment of a tree. */
export class CommentNode {
  readonly chars: string;

  constructor(chars: string) {
    this.chars = chars;
  }
}

export type TreeNode = ElementNode | CommentNode | string;

const XML = 'http://www.w3.org/XML/1998/namespace';

/** An element that is kept, with its place in the tree. Adjacent text is one node. */
export class ElementNode implements StartTag, WrittenTag {
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  readonly depth: number;
  readonly offsetBytes: number;
  readonly contentBytes: number;
  /** Offset behind its end tag; 0 while it is open. */
  endBytes = 0;
  readonly parent: ElementNode | null;
  readonly children: TreeNode[] = [];
  readonly attributes: readonly WrittenAttribute[];
  readonly #declarations: readonly NamespaceBinding[];

  constructor(tag: StartTag, parent: ElementNode | null) {
    this.uri = tag.uri;
    this.local = tag.local;
    this.prefix = tag.prefix;
    this.depth = tag.depth;
    this.offsetBytes = tag.offsetBytes;
    this.contentBytes = tag.contentBytes;
    this.parent = parent;
    const { written } = tag;
    this.attributes = attributesOf(tag, written);
    const declarations: NamespaceBinding[] = [];
    for (let index = 0; index < (written?.declarationCount ?? 0); index++) {
      declarations.push({
        prefix: written?.declaredPrefix(index) ?? '',
        uri: written?.declaredUri(index) ?? '',
      });
    }
    this.#declarations = declarations;
  }

  /** The child elements. */
  get elements(): readonly ElementNode[] {
    return this.children.filter((child) => child instanceof ElementNode);
  }

  /** All text of this element itself, whatever stands between. */
  get ownText(): string {
    return this.children.filter((child) => typeof child === 'string').join('');
  }

  get attributeCount(): number {
    return this.attributes.length;
  }

  attributeUri(index: number): string {
    return this.attributes[index]?.uri ?? '';
  }

  attributeLocal(index: number): string {
    return this.attributes[index]?.local ?? '';
  }

  attributeValue(index: number): string {
    return this.attributes[index]?.value ?? '';
  }

  attributePrefix(index: number): string {
    return this.attributes[index]?.prefix ?? '';
  }

  attribute(uri: string, local: string): string | null {
    return this.attributes.find((one) => one.local === local && one.uri === uri)?.value ?? null;
  }

  namespace(prefix: string): string | null {
    for (let at: ElementNode | null = this; at !== null; at = at.parent) {
      for (const declared of at.#declarations) {
        if (declared.prefix === prefix) return declared.uri;
      }
    }
    if (prefix === '') return '';
    return prefix === 'xml' ? XML : null;
  }

  declares(uri: string): boolean {
    return this.#declarations.some((declared) => declared.uri === uri);
  }

  get written(): WrittenTag {
    return this;
  }

  get declarationCount(): number {
    return this.#declarations.length;
  }

  declaredPrefix(index: number): string {
    return this.#declarations[index]?.prefix ?? '';
  }

  declaredUri(index: number): string {
    return this.#declarations[index]?.uri ?? '';
  }

  namespacesInScope(): readonly NamespaceBinding[] {
    const found = new Map<string, NamespaceBinding>();
    for (let at: ElementNode | null = this; at !== null; at = at.parent) {
      for (const declared of at.#declarations) {
        if (!found.has(declared.prefix)) {
          found.set(declared.prefix, declared);
        }
      }
    }
    return [...found.values()];
  }

  /** Attributes `xml:` in force at the content of this element: of each name the innermost. */
  xmlAttributes(): readonly WrittenAttribute[] {
    const found = new Map<string, WrittenAttribute>();
    for (let at: ElementNode | null = this; at !== null; at = at.parent) {
      for (const one of at.attributes) {
        if (one.uri === XML && !found.has(one.local)) {
          found.set(one.local, one);
        }
      }
    }
    return [...found.values()];
  }
}

/** Builds the tree of one element from its events. */
export class TreeBuilder implements XmlHandler {
  /** The element; its content is complete once `isComplete`. */
  root: ElementNode | null = null;
  isComplete = false;
  readonly #parent: ElementNode | null;
  readonly #interest: Interest;
  readonly #onNode: () => void;
  #top: ElementNode | null = null;

  /** `parent`: the element around it. `onNode` is called for each node more, and may refuse it. */
  constructor(parent: ElementNode | null, interest: Interest, onNode: () => void) {
    this.#parent = parent;
    this.#interest = interest;
    this.#onNode = onNode;
  }

  open(tag: StartTag): Interest {
    this.#onNode();
    const node = new ElementNode(tag, this.#top ?? this.#parent);
    this.#top?.children.push(node);
    this.root ??= node;
    this.#top = node;
    return this.#interest;
  }

  close(_contentEndBytes: number, endBytes: number): void {
    const top = this.#top;
    if (top === null) return;
    top.endBytes = endBytes;
    this.isComplete = top === this.root;
    this.#top = this.isComplete ? null : top.parent;
  }

  text(chars: string): void {
    const children = this.#top?.children;
    if (children === undefined) return;
    const last = children.at(-1);
    if (typeof last === 'string') {
      children[children.length - 1] = last + chars;
    } else {
      this.#onNode();
      children.push(chars);
    }
  }

  comment(chars: string): void {
    this.#onNode();
    this.#top?.children.push(new CommentNode(chars));
  }
}

/**
 * Gives the events of an element to a writer, without those of the element `left`. Both are as in a
 * document.
 */
export function writeTree(
  root: ElementNode,
  writer: CanonicalWriter,
  left: ElementNode | null = null,
): void {
  const open: { readonly node: ElementNode; next: number }[] = [];
  const enter = (node: ElementNode): void => {
    writer.open(node);
    open.push({ node, next: 0 });
  };
  enter(root);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const child = frame.node.children[frame.next++];
    if (child === undefined) {
      writer.close();
      open.pop();
    } else if (typeof child === 'string') {
      writer.text(child);
    } else if (child instanceof CommentNode) {
      writer.comment(child.chars);
    } else if (child !== left) {
      enter(child);
    }
  }
}
