import { getOrMake } from '../../core/index.js';
import type {
  AttributeDeclaration,
  ComplexType,
  ElementDeclaration,
  Particle,
  Wildcard,
  XsdType,
} from '../../wsdl/index.js';
import { escapeQuoted, escapeText, type QName } from '../../xml/index.js';
import { exampleValue } from './example-value.js';

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

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';

/** Writes elements as their schema wants them: bounded, and always the same. */
export class ExampleWriter {
  readonly #prefixes = new Map<string, string>();
  #elements = 0;
  #ids = 0;

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
  element(element: ElementDeclaration, depth = 0, open: ReadonlySet<XsdType> = new Set()): string {
    this.#elements++;
    const name = this.#name(element.name);
    const { type } = element;
    if (type.kind === 'simple') {
      const value = element.fixed ?? exampleValue(type, ++this.#ids);
      return `<${name}>${escapeText(value)}</${name}>`;
    }
    if (open.has(type) && element.nillable) return `<${name} ${this.#prefix(XSI)}:nil="true"/>`;
    const used = concreteOf(type, open);
    const typed =
      used === type || used.name === null
        ? ''
        : ` ${this.#prefix(XSI)}:type="${this.#name(used.name)}"`;
    const attributes = used.attributes.map((each) => this.#attribute(each, depth)).join('');
    const content =
      depth >= DEPTH_MAX ? '' : this.#content(used, element, depth, new Set([...open, type, used]));
    const array = used.content.kind === 'array' ? this.#arrayType(used.content.item) : '';
    return `<${name}${typed}${array}${attributes}>${content}</${name}>`;
  }

  #content(
    { content }: ComplexType,
    element: ElementDeclaration,
    depth: number,
    open: ReadonlySet<XsdType>,
  ): string {
    if (content.kind === 'empty') return '';
    if (content.kind === 'text') {
      return escapeText(element.fixed ?? exampleValue(content.type, ++this.#ids));
    }
    if (content.kind === 'elements') return this.#particle(content.particle, depth, open);
    if (content.kind === 'opaque') {
      return content.mixed?.particle == null
        ? 'text'
        : this.#particle(content.mixed.particle, depth, open);
    }
    if (open.has(content.item) || depth > OPTIONAL_DEPTH) return '';
    return this.element({ ...ITEM, type: content.item }, depth + 1, open).repeat(ITEMS);
  }

  #particle(particle: Particle, depth: number, open: ReadonlySet<XsdType>): string {
    const count = this.#countOf(particle, depth, open);
    let text = '';
    for (let at = 0; at < count; at++) {
      text += this.#once(particle, depth, open);
    }
    return text;
  }

  #once(particle: Particle, depth: number, open: ReadonlySet<XsdType>): string {
    if (particle.kind === 'one') return this.element(particle.element, depth + 1, open);
    if (particle.kind === 'any') {
      return `<${this.#name({ uri: uriIn(particle.wildcard), local: 'example' })}/>`;
    }
    if (particle.kind !== 'choice') {
      return particle.particles.map((each) => this.#particle(each, depth, open)).join('');
    }
    const branches = particle.particles.filter((each) => each.kind !== 'any');
    const chosen =
      branches.find((each) => !leadsBack(each, open) && !isAbstract(each)) ?? branches[0];
    if (chosen === undefined) return '';
    // A branch that may be empty is written all the same, so that something is chosen.
    return chosen.min > 0 || leadsBack(chosen, open)
      ? this.#particle(chosen, depth, open)
      : this.#once(chosen, depth, open);
  }

  #countOf(particle: Particle, depth: number, open: ReadonlySet<XsdType>): number {
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

  #attribute(
    { name, type, required, fixed, default: standard }: AttributeDeclaration,
    depth: number,
  ): string {
    if (!required && (fixed === null || depth > OPTIONAL_DEPTH)) return '';
    const value = fixed ?? standard ?? exampleValue(type, ++this.#ids);
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
