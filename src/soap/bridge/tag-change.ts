import { escapeText, referencesFor, type StartTag } from '../../xml/index.js';
import type { Edit } from '../edit.js';

/** The new form of one attribute; null: it is left out. */
export interface AttributeChange {
  /** The name as it is written, with its prefix. */
  readonly name: string;
  /** Absent: the value stays as it is written. */
  readonly value?: string;
}

/**
 * The change of one start tag, by the names of its attributes as they are written. Everything else
 * of the tag stays as it is.
 */
export class TagChange {
  /** Namespace declarations are attributes here: `xmlns:soap`. Null for none: most tags stay. */
  #attributes: Map<string, AttributeChange | null> | null = null;
  /** The attributes that are added, as they are written. */
  #added = '';

  get isEmpty(): boolean {
    return this.#attributes === null && this.#added === '';
  }

  attribute(written: string, change: AttributeChange | null): void {
    this.#attributes ??= new Map();
    this.#attributes.set(written, change);
  }

  /** Binds a prefix that the tag declares to another namespace. */
  rebind(prefix: string, uri: string): void {
    const name = declarationOf(prefix);
    this.attribute(name, { name, value: uri });
  }

  /** Declares a prefix that the tag does not declare. */
  declare(prefix: string, uri: string): void {
    this.add(declarationOf(prefix), uri);
  }

  /** Adds an attribute that the tag does not have. */
  add(name: string, value: string): void {
    this.#added += ` ${name}=${quoted(value)}`;
  }

  /** This change in the message of the tag; null where it stays. */
  editOf({
    offsetBytes,
    contentBytes,
  }: Pick<StartTag, 'offsetBytes' | 'contentBytes'>): Edit | null {
    if (this.isEmpty) return null;
    return {
      startBytes: offsetBytes,
      endBytes: contentBytes,
      replacement: null,
      rewrite: (text) => this.apply(text),
    };
  }

  /** The tag, which is well-formed, with this change. */
  apply(tag: string): string {
    const nameEnd = tag.search(NAME_END);
    let written = `${tag.slice(0, nameEnd)}${this.#added}`;
    if (this.#attributes === null) return written + tag.slice(nameEnd);
    let kept = nameEnd;
    ATTRIBUTE.lastIndex = nameEnd;
    for (let found = ATTRIBUTE.exec(tag); found !== null; found = ATTRIBUTE.exec(tag)) {
      const [whole, name = '', value = ''] = found;
      const change = this.#attributes.get(name);
      if (change === undefined) continue;
      written += tag.slice(kept, found.index);
      kept = found.index + whole.length;
      if (change !== null) {
        written += ` ${change.name}=${change.value === undefined ? value : quoted(change.value)}`;
      }
    }
    return written + tag.slice(kept);
  }
}

const declarationOf = (prefix: string): string => (prefix === '' ? 'xmlns' : `xmlns:${prefix}`);

const quoted = (value: string): string =>
  PLAIN.test(value)
    ? `"${value}"`
    : `"${referencesFor(escapeText(value).replaceAll('"', '&quot;'))}"`;

/** Values that are written as they are, such as the namespaces of envelopes. */
const PLAIN = /^[-\w:/.#]*$/;

const NAME_END = /[ \t\r\n/>]/;
/** Bytes beyond ASCII may be those of a name, so that only white space of XML ends one. */
const ATTRIBUTE = /[ \t\r\n]+([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')/g;
