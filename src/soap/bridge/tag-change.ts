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
  /** Namespace declarations are attributes here: `xmlns:soap`. */
  readonly #attributes = new Map<string, AttributeChange | null>();
  /** Attributes that are added, in their order. */
  readonly #added: [name: string, value: string][] = [];

  get isEmpty(): boolean {
    return this.#attributes.size === 0 && this.#added.length === 0;
  }

  attribute(written: string, change: AttributeChange | null): void {
    this.#attributes.set(written, change);
  }

  /** Binds a prefix that the tag declares to another namespace. */
  rebind(prefix: string, uri: string): void {
    const name = declarationOf(prefix);
    this.#attributes.set(name, { name, value: uri });
  }

  /** Declares a prefix that the tag does not declare. */
  declare(prefix: string, uri: string): void {
    this.add(declarationOf(prefix), uri);
  }

  /** Adds an attribute that the tag does not have. */
  add(name: string, value: string): void {
    this.#added.push([name, value]);
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
    const name = /^<[^ \t\r\n/>]+/.exec(tag)?.[0] ?? '<';
    const rest = tag
      .slice(name.length)
      .replaceAll(ATTRIBUTE, (whole: string, written: string, value: string) => {
        const change = this.#attributes.get(written);
        if (change === undefined) return whole;
        if (change === null) return '';
        return ` ${change.name}=${change.value === undefined ? value : quoted(change.value)}`;
      });
    const added = this.#added.map(([key, value]) => ` ${key}=${quoted(value)}`);
    return `${name}${added.join('')}${rest}`;
  }
}

const declarationOf = (prefix: string): string => (prefix === '' ? 'xmlns' : `xmlns:${prefix}`);

const quoted = (value: string): string =>
  `"${referencesFor(escapeText(value).replaceAll('"', '&quot;'))}"`;

/** Bytes beyond ASCII may be those of a name, so that only white space of XML ends one. */
const ATTRIBUTE = /[ \t\r\n]+([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')/g;
