import { XSI_URI } from '../../codec/index.js';
import { DIALECT_NAMES, DIALECTS } from '../../soap/index.js';
import { expandedName, type StartTag, XML_NAMESPACE } from '../../xml/index.js';
import type { PathFacts } from './path-facts.js';
import type { ReplyTypes, TypeShape } from './reply-types.js';
import { boundIn, typedValue } from './typed-value.js';

/** Attributes of these namespaces describe the message, and are no part of its content. */
const DESCRIBING: ReadonlySet<string> = new Set([
  XSI_URI,
  XML_NAMESPACE,
  ...DIALECT_NAMES.flatMap((name) => [DIALECTS[name].envelopeUri, DIALECTS[name].encodingUri]),
]);

/** Adds the attributes of elements to their facts. */
export class AttributeFacts {
  readonly #types: ReplyTypes;
  readonly #ignore: ReadonlySet<string>;

  constructor(types: ReplyTypes, ignore: ReadonlySet<string>) {
    this.#types = types;
    this.#ignore = ignore;
  }

  /** The type that xsi:type names; undefined where it names none that is known. */
  namedType(tag: StartTag): number | undefined {
    const name = typeNameOf(tag);
    return name === null ? undefined : this.#types.named[name];
  }

  /**
   * Adds the attributes of an element; `declared` is the index of the type that its declaration
   * has. True where it is nil.
   */
  add(
    tag: StartTag,
    facts: PathFacts,
    type: TypeShape | null,
    declared: number | undefined,
  ): boolean {
    let isNil = false;
    for (let at = 0; at < tag.attributeCount; at++) {
      const name = { uri: tag.attributeUri(at), local: tag.attributeLocal(at) };
      if (name.uri === XSI_URI && name.local === 'nil') {
        isNil = TRUE.has(tag.attributeValue(at).trim());
      } else if (!DESCRIBING.has(name.uri)) {
        const value = tag.attributeValue(at);
        const shape = type?.attributes?.[expandedName(name)] ?? null;
        this.#addOne(name, facts, typedValue(value, shape, boundIn(value, tag)));
      }
    }
    const named = typeNameOf(tag);
    // A type that is the declared one says nothing more.
    const isDeclared = named !== null && this.#types.types[declared ?? -1]?.name === named;
    if (named !== null && !isDeclared) {
      this.#addOne({ uri: XSI_URI, local: 'type' }, facts, named);
    }
    if (type !== null) {
      this.#addDefaults(tag, facts, type);
    }
    return isNil;
  }

  #addDefaults(tag: StartTag, facts: PathFacts, { attributes }: TypeShape): void {
    for (const key in attributes) {
      const shape = attributes[key];
      if (shape?.default === undefined) continue;
      const end = key.indexOf('}');
      const name = { uri: key.slice(1, end), local: key.slice(end + 1) };
      if (tag.attribute(name.uri, name.local) !== null) continue;
      this.#addOne(name, facts, typedValue(shape.default, shape, null));
    }
  }

  #addOne(
    name: { readonly uri: string; readonly local: string },
    owner: PathFacts,
    value: string,
  ): void {
    const facts = owner.child(`@${expandedName(name)}`, `@${name.local}`);
    if (facts === null || this.#ignore.has(facts.path)) return;
    facts.count++;
    facts.values.add(`\x01${owner.count}\x03${value}`);
  }
}

const TRUE: ReadonlySet<string> = new Set(['true', '1']);

/** The type that xsi:type names, as `{uri}local`; null for none. */
function typeNameOf(tag: StartTag): string | null {
  const written = tag.attributeCount === 0 ? null : tag.attribute(XSI_URI, 'type');
  if (written === null) return null;
  const name = written.trim();
  const colon = name.indexOf(':');
  const uri = tag.namespace(colon < 0 ? '' : name.slice(0, colon)) ?? '';
  return expandedName({ uri, local: name.slice(colon + 1) });
}
