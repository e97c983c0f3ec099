import fc from 'fast-check';

import { DIALECT_NAMES, DIALECTS, type Dialect } from '../../src/soap/dialect.js';

/**
 * Messages for bridges: the envelope's namespace under any prefixes, declared anywhere, used for
 * names, attributes and values in the content.
 */

export interface BridgedMessage {
  readonly from: Dialect;
  readonly text: string;
}

/** Namespaces by prefix where an element is. */
type Scope = ReadonlyMap<string, string>;

const PREFIXES = ['s', 'a.b', 'é', '_', 'ns-1', 'soap-bridge', 'soap-encoding', 'xsd', ''] as const;
const URIS = ['urn:x', 'urn:o', ...DIALECT_NAMES.map((name) => DIALECTS[name].envelopeUri)];
const BLANKS = ['', '\n  ', '<!-- s:c -->'] as const;

/** A source of choices, each from a list. */
class Choices {
  readonly #gen: fc.GeneratorValue;

  constructor(gen: fc.GeneratorValue) {
    this.#gen = gen;
  }

  of<const T>(values: readonly [T, ...T[]]): T {
    return values[this.number(values.length - 1)] ?? values[0];
  }

  number(max: number): number {
    return this.#gen(fc.nat, max);
  }

  /** One of a list that may be empty. */
  any(values: readonly string[], otherwise: string): string {
    return values[this.number(Math.max(0, values.length - 1))] ?? otherwise;
  }
}

/** Writes one message by choices. */
class MessageWriter {
  readonly #from: Dialect;
  readonly #choices: Choices;

  constructor(from: Dialect, choices: Choices) {
    this.#from = from;
    this.#choices = choices;
  }

  envelope(): string {
    const { envelopeUri, encodingUri, needsEncodingNamespace } = this.#from;
    const declared = this.#declarations(2);
    declared.set(this.#choices.of(PREFIXES), envelopeUri);
    if (needsEncodingNamespace) {
      declared.set('enc', encodingUri);
    }
    const scope: Scope = declared;
    const name = qualified(this.#ofEnvelope(scope), 'Envelope');
    const header = this.#choices.number(2) > 0 ? this.#part('Header', scope) : '';
    return `<${name}${written(declared)}>${this.#blank()}${header}${this.#part('Body', scope)}</${name} >`;
  }

  #part(local: string, outer: Scope): string {
    const declared = this.#declarations(1);
    const scope = new Map([...outer, ...declared]);
    const prefix = this.#ofEnvelope(scope);
    if (prefix === null) return this.#partIn(local, outer, new Map());
    return this.#partIn(local, scope, declared);
  }

  #partIn(local: string, scope: Scope, declared: Scope): string {
    const name = qualified(this.#ofEnvelope(scope), local);
    const children = Array.from({ length: this.#choices.number(3) }, (_, at) =>
      local === 'Header' ? this.#block(scope) : this.#operation(scope, at),
    );
    const blank = this.#blank();
    return `<${name}${written(declared)}>${blank}${children.join(blank)}${blank}</${name}>`;
  }

  #block(outer: Scope): string {
    const declared = this.#declarations(1).set('h', 'urn:h');
    const scope = new Map([...outer, ...declared]);
    const attributes = [...this.#blockAttributes(scope), ` a="${this.#value(scope)}"`];
    return this.#element('h:B', declared, attributes, scope);
  }

  *#blockAttributes(scope: Scope): Iterable<string> {
    const { targetAttribute, mustUnderstandTrue, mustUnderstandFalse, nextTargets } = this.#from;
    const [prefix] = this.#prefixesOf(scope).filter((each) => each !== '');
    if (prefix === undefined) return;
    const values = {
      mustUnderstand: [...mustUnderstandTrue, ...mustUnderstandFalse],
      [targetAttribute]: ['urn:a', '', ...nextTargets],
      relay: ['true', 'false'],
    };
    for (const [local, options] of Object.entries(values)) {
      if (this.#choices.number(1) === 1) {
        yield ` ${prefix}:${local}="${this.#choices.any(options, '')}"`;
      }
    }
  }

  #operation(outer: Scope, at: number): string {
    const declared = this.#declarations(1).set('o', 'urn:op');
    const scope = new Map([...outer, ...declared]);
    return this.#element(`o:Op${at === 0 ? '' : at + 1}`, declared, [], scope);
  }

  #content(outer: Scope, levels: number): string {
    const declared = this.#declarations(1);
    const scope = new Map([...outer, ...declared]);
    const named = [...scope.keys()].filter((prefix) => prefix !== '');
    const name = qualified(this.#choices.any(named, ''), this.#choices.of(['Body', 'x']));
    const type = qualified(this.#choices.any(named, ''), 'type');
    const attributes = [` ${type}="${this.#value(scope)}"`];
    return this.#element(name, declared, attributes, scope, levels);
  }

  #element(
    name: string,
    declared: Scope,
    attributes: readonly string[],
    scope: Scope,
    levels = 2,
  ): string {
    const inner = levels === 0 || this.#choices.number(1) === 0;
    const content = this.#value(scope, true) + (inner ? '' : this.#content(scope, levels - 1));
    return `<${name}${attributes.join('')}${written(declared)}>${content}</${name}>`;
  }

  /** A text or an attribute value, with names that have prefixes. */
  #value(scope: Scope, isText = false): string {
    const prefix = this.#choices.any([...scope.keys()].filter(Boolean), 'q');
    const [first = 's'] = prefix;
    const rest = prefix.slice(first.length);
    const reference = `&#${first.codePointAt(0)};${rest}:a`;
    const values = [
      'ü&lt;',
      `${prefix}:a b`,
      `c ${prefix}:a`,
      reference,
      `${prefix}&#x3a;a`,
    ] as const;
    if (!isText) return this.#choices.of(values);
    const split = [
      `${first}<!-- c -->${rest}:a`,
      `${prefix}<![CDATA[:a]]>`,
      `<![CDATA[${prefix}:a]]>`,
    ];
    return this.#choices.of([...values, ...split]);
  }

  #declarations(most: number): Map<string, string> {
    const count = this.#choices.number(most);
    const pairs = Array.from({ length: count }, (): [string, string] => [
      this.#choices.of(PREFIXES),
      this.#choices.any([...URIS, this.#from.envelopeUri], 'urn:x'),
    ]);
    return new Map(pairs);
  }

  #prefixesOf(scope: Scope): readonly string[] {
    const { envelopeUri } = this.#from;
    return [...scope].filter(([, uri]) => uri === envelopeUri).map(([prefix]) => prefix);
  }

  /** A prefix of the envelope; null where none is bound to it. */
  #ofEnvelope(scope: Scope): string | null {
    return this.#prefixesOf(scope)[0] ?? null;
  }

  #blank(): string {
    return this.#choices.of(BLANKS);
  }
}

const qualified = (prefix: string | null, local: string): string =>
  prefix === null || prefix === '' ? local : `${prefix}:${local}`;

const written = (declared: Scope): string =>
  [...declared]
    .map(([prefix, uri]) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${uri}"`)
    .join('');

/** Any message of any dialect. */
export const anyMessage: fc.Arbitrary<BridgedMessage> = fc.gen().map((gen) => {
  const choices = new Choices(gen);
  const from: Dialect = DIALECTS[choices.of(['1.1', '1.2', '2001-12'])];
  return { from, text: new MessageWriter(from, choices).envelope() };
});
