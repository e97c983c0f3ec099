import { getOrMake } from '../../core/index.js';
import type {
  ComplexType,
  ElementDeclaration,
  Particle,
  SimpleType,
  Wildcard,
  XsdType,
  xsd,
} from '../../wsdl/index.js';
import { escapeQuoted, escapeText, type QName } from '../../xml/index.js';
import { distinctValue, ValueCounts } from './distinct-values.js';
import { exampleValue } from './example-value.js';
import { NO_TEXTS, textsBelow, type WantedTexts, type WantedTextsOf } from './wanted-texts.js';

/**
 * Elements in one another with what is optional in them; deeper, only what is required is written.
 */
const OPTIONAL_DEPTH = 4;
/** Elements in one another at all. */
const DEPTH_MAX = 24;
/** Elements of one example: beyond it nothing optional is written. */
const ELEMENTS_MAX = 500;
/** Items of a list. */
const ITEMS = 2;

/** The position of an element that is written. */
interface Position {
  /** Elements around it. */
  readonly depth: number;
  /** Their types. */
  readonly open: ReadonlySet<XsdType>;
  /** Texts that are wanted inside it. */
  readonly texts: WantedTexts;
  /** Values that the innermost element with keys has so far; null outside such elements. */
  readonly keyed: ValueCounts | null;
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';

/** Writes elements as their schema wants them: bounded, and always the same. */
export class ExampleWriter {
  readonly #prefixes = new Map<string, string>();
  readonly #textsOf: WantedTextsOf | null;
  #elements = 0;
  #ids = 0;

  /** `textsOf`: texts that values must have besides their schema; null: none. */
  constructor(textsOf: WantedTextsOf | null = null) {
    this.#textsOf = textsOf;
  }

  /** The namespaces of what was written, as declarations for an element around it. */
  get declarations(): string {
    return [...this.#prefixes]
      .map(([uri, prefix]) => ` xmlns:${prefix}="${escapeQuoted(uri)}"`)
      .join('');
  }

  /** The element by itself, with the namespaces of all that is in it. */
  root(element: ElementDeclaration): string {
    return this.element(element).replace(/[\s/>]/, (sign) => `${this.declarations}${sign}`);
  }

  /** The element with example content. */
  element(element: ElementDeclaration): string {
    return this.#element(element, { depth: 0, open: new Set(), texts: NO_TEXTS, keyed: null });
  }

  #element(element: ElementDeclaration, at: Position): string {
    this.#elements++;
    const { depth, open, texts } = at;
    const name = this.#name(element.name);
    const { type } = element;
    if (type.kind === 'simple') {
      const text = this.#value(type, element.fixed, at, { path: '', owner: element });
      return `<${name}>${escapeText(text)}</${name}>`;
    }
    if (open.has(type) && element.nillable) return `<${name} ${this.#prefix(XSI)}:nil="true"/>`;
    const used = concreteOf(type, open);
    const typed =
      used === type || used.name === null
        ? ''
        : ` ${this.#prefix(XSI)}:type="${this.#name(used.name)}"`;
    const own = this.#textsOf?.(used, element) ?? NO_TEXTS;
    const inside = {
      depth,
      open: new Set([...open, type, used]),
      texts: own.size === 0 ? texts : new Map([...own, ...texts]),
      keyed: element.constraints.length > 0 ? new ValueCounts() : at.keyed,
    };
    const attributes = used.attributes.map((each) => this.#attribute(each, inside)).join('');
    const content = depth >= DEPTH_MAX ? '' : this.#content(used, element, inside);
    const array = used.content.kind === 'array' ? this.#arrayType(used.content.item) : '';
    return `<${name}${typed}${array}${attributes}>${content}</${name}>`;
  }

  /** A fixed value, the text that is wanted at a path, or one by the schema. */
  #value(
    type: SimpleType,
    fixed: string | null,
    { texts, keyed }: Position,
    { path, owner }: { readonly path: string; readonly owner: object },
  ): string {
    const wanted = fixed ?? texts.get(path)?.(type);
    if (wanted != null) return wanted;
    const first = exampleValue(type, ++this.#ids);
    return keyed === null ? first : distinctValue(type, first, keyed.next(owner));
  }

  #content({ content }: ComplexType, element: ElementDeclaration, at: Position): string {
    const { depth, open, texts } = at;
    if (content.kind === 'empty') return '';
    if (content.kind === 'text') {
      const path = texts.has('value') ? 'value' : '';
      return escapeText(this.#value(content.type, element.fixed, at, { path, owner: element }));
    }
    if (content.kind === 'elements') return this.#particle(content.particle, at);
    if (content.kind === 'opaque') {
      return content.mixed?.particle == null ? 'text' : this.#particle(content.mixed.particle, at);
    }
    if (open.has(content.item) || depth > OPTIONAL_DEPTH) return '';
    return this.#element({ ...ITEM, type: content.item }, this.#below(at, ITEM.name)).repeat(ITEMS);
  }

  #below({ depth, open, texts, keyed }: Position, { local }: QName): Position {
    return { depth: depth + 1, open, texts: textsBelow(texts, local), keyed };
  }

  #particle(particle: Particle, at: Position): string {
    const count = this.#countOf(particle, at);
    let text = '';
    for (let written = 0; written < count; written++) {
      text += this.#once(particle, at);
    }
    return text;
  }

  #once(particle: Particle, at: Position): string {
    const { open } = at;
    if (particle.kind === 'one') {
      return this.#element(particle.element, this.#below(at, particle.element.name));
    }
    if (particle.kind === 'any') {
      return `<${this.#name({ uri: uriIn(particle.wildcard), local: 'example' })}/>`;
    }
    if (particle.kind !== 'choice') {
      return particle.particles.map((each) => this.#particle(each, at)).join('');
    }
    const branches = particle.particles.filter((each) => each.kind !== 'any');
    const chosen =
      branches.find((each) => !leadsBack(each, open) && !isAbstract(each) && hasEnd(each)) ??
      branches[0];
    if (chosen === undefined) return '';
    // A branch that may be empty is written all the same, so that something is chosen.
    return chosen.min > 0 || leadsBack(chosen, open)
      ? this.#particle(chosen, at)
      : this.#once(chosen, at);
  }

  #countOf(particle: Particle, { depth, open }: Position): number {
    const { min, max } = particle;
    const isShort =
      depth >= OPTIONAL_DEPTH || this.#elements >= ELEMENTS_MAX || particle.kind === 'any';
    if (
      isShort ||
      leadsBack(particle, open) ||
      (particle.kind === 'one' && particle.element.abstract)
    ) {
      return Math.min(min, ELEMENTS_MAX);
    }
    return Math.min(
      max,
      Math.max(min, max > 1 && particle.kind === 'one' ? ITEMS : 1),
      ELEMENTS_MAX,
    );
  }

  #attribute(declaration: xsd.AttributeDeclaration, at: Position): string {
    const { name, type, required, fixed, default: standard } = declaration;
    const { depth, texts } = at;
    if (!required && (fixed === null || depth > OPTIONAL_DEPTH)) return '';
    const path = texts.has(`@${name.local}`) ? `@${name.local}` : name.local;
    const given = fixed ?? (texts.has(path) || at.keyed !== null ? null : standard);
    const value = this.#value(type, given, at, { path, owner: declaration });
    return ` ${this.#name(name)}="${escapeQuoted(value)}"`;
  }

  #arrayType(item: XsdType): string {
    const name = item.name ?? {
      uri: 'http://www.w3.org/2001/XMLSchema',
      local: item.kind === 'simple' ? item.builtIn : 'anyType',
    };
    return ` ${this.#prefix(ENCODING)}:arrayType="${this.#name(name)}[]"`;
  }

  #name({ uri, local }: QName): string {
    return uri === '' ? local : `${this.#prefix(uri)}:${local}`;
  }

  #prefix(uri: string): string {
    if (uri === 'http://www.w3.org/XML/1998/namespace') return 'xml';
    return getOrMake(this.#prefixes, uri, () => `n${this.#prefixes.size + 1}`);
  }
}

/** An item of an array of the SOAP encoding has any name. */
const ITEM: Omit<ElementDeclaration, 'type'> = {
  kind: 'element',
  name: { uri: '', local: 'item' },
  nillable: false,
  default: null,
  fixed: null,
  abstract: false,
  constraints: [],
  documentation: null,
};

/**
 * The type itself, or the first of those derived from it that is not abstract; one that is not open
 * where there is one, for it may hold itself.
 */
function concreteOf(type: ComplexType, open: ReadonlySet<XsdType>): ComplexType {
  if (!type.abstract) return type;
  let first: ComplexType | null = null;
  const left: ComplexType[] = [...type.derived];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (!next.abstract && !open.has(next)) return next;
    if (!next.abstract) first ??= next;
    left.push(...next.derived);
  }
  return first ?? type;
}

/**
 * A namespace that a wildcard allows. Where it demands a declaration, there may be none for the
 * example.
 */
function uriIn({ namespaces }: Wildcard): string {
  if (namespaces.kind === 'only') return namespaces.uris[0] ?? '';
  return 'urn:example';
}

/** Nothing may stand for an abstract element that is still in the model. */
const isAbstract = (particle: Particle): boolean =>
  particle.kind === 'one' && particle.element.abstract;

/**
 * Whether what a particle demands can be written: false for a type that always holds itself.
 * `within` are the types around it.
 */
function hasEnd(particle: Particle, within: readonly XsdType[] = []): boolean {
  if (particle.min === 0 || particle.kind === 'any') return true;
  if (particle.kind === 'choice') return particle.particles.some((each) => hasEnd(each, within));
  if (particle.kind !== 'one') return particle.particles.every((each) => hasEnd(each, within));
  const { type, nillable } = particle.element;
  if (nillable || type.kind === 'simple' || type.content.kind !== 'elements') return true;
  if (FINITE.has(type)) return true;
  if (within.includes(type)) return false;
  const isBounded = within.length >= DEPTH_MAX || hasEnd(type.content.particle, [...within, type]);
  if (isBounded) {
    FINITE.add(type);
  }
  return isBounded;
}

/** Types whose content is known to end. */
const FINITE = new WeakSet<XsdType>();

/**
 * Whether a particle has an element of a type that is open: what is optional of it would go on
 * without end.
 */
function leadsBack(particle: Particle, open: ReadonlySet<XsdType>): boolean {
  const left: Particle[] = [particle];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (
      next.kind === 'one' &&
      next.element.type.kind === 'complex' &&
      open.has(next.element.type)
    ) {
      return true;
    }
    if ('particles' in next && next.kind !== 'choice') {
      left.push(...next.particles.filter(({ min }) => min > 0));
    }
  }
  return false;
}
