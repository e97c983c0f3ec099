import { validateSchema } from 'graphql';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { schemaWith, wsdlWith } from './written.js';

/** Names of each kind; one in eight of them is not declared. */
const COUNT = 8;

/**
 * Writes a schema in which anything refers to anything: right, wrong, in circles, before it is
 * declared.
 */
class SchemaWriter {
  readonly #next: (below: number) => number;

  constructor(next: (below: number) => number) {
    this.#next = next;
  }

  write(): string {
    return Array.from({ length: COUNT - 1 }, (_, at) => this.#components(at)).join('\n');
  }

  #components(at: number): string {
    const head = this.#maybe(`substitutionGroup="t:${this.#name('E')}"`);
    return `<xs:complexType name="C${at}" ${this.#maybe('abstract="true"')} \
${this.#maybe('mixed="true"')}>${this.#complex(0)}</xs:complexType>
      <xs:simpleType name="S${at}">${this.#simple(0)}</xs:simpleType>\
<xs:element name="E${at}" type="${this.#type()}" ${head} ${this.#maybe('abstract="1"')}/>
      <xs:group name="G${at}">${this.#compositor(2)}</xs:group>\
<xs:attribute name="B${at}" type="${this.#simpleName()}"/>
      <xs:attributeGroup name="A${at}">${this.#attributes()}</xs:attributeGroup>`;
  }

  #pick(...choices: readonly (() => string)[]): string {
    return choices[this.#next(choices.length)]?.() ?? '';
  }

  #maybe(text: string): string {
    return this.#next(4) === 0 ? text : '';
  }

  #name(kind: string): string {
    return kind + this.#next(COUNT);
  }

  /**
   * Of an element or attribute of a type. Some are names that the schema makes for what has none in
   * XML.
   */
  #memberName(kind: string): string {
    const made = ['items', 'items2', 'any', 'value', 'choice', '_'];
    return this.#next(6) === 0 ? (made[this.#next(made.length)] ?? '') : this.#name(kind);
  }

  #simpleName(): string {
    const builtIns = ['int', 'string', 'NMTOKENS', 'QName', 'anySimpleType'];
    return this.#pick(
      () => `xs:${builtIns[this.#next(builtIns.length)]}`,
      () => `t:${this.#name('S')}`,
    );
  }

  #type(): string {
    return this.#pick(
      () => this.#simpleName(),
      () => `t:${this.#name('C')}`,
      () => `t:${this.#name('C')}`,
      () => 'xs:anyType',
      () => 'soapenc:Array',
    );
  }

  #simple(depth: number): string {
    const facets =
      this.#maybe('<xs:enumeration value="a"/><xs:enumeration value="b"/>') +
      this.#maybe('<xs:pattern value="a|b"/>');
    const inner =
      depth > 2 ? '' : this.#maybe(`<xs:simpleType>${this.#simple(depth + 1)}</xs:simpleType>`);
    return this.#pick(
      () => `<xs:restriction base="${this.#simpleName()}">${facets}</xs:restriction>`,
      () => `<xs:restriction>${inner}${facets}</xs:restriction>`,
      () =>
        inner === ''
          ? `<xs:list itemType="${this.#simpleName()}"/>`
          : `<xs:list>${inner}</xs:list>`,
      () =>
        `<xs:union memberTypes="${this.#simpleName()} ${this.#simpleName()}">${inner}</xs:union>`,
    );
  }

  #occurs(): string {
    const occurs = [
      '',
      '',
      'minOccurs="0"',
      'maxOccurs="unbounded"',
      'minOccurs="2" maxOccurs="3"',
      'minOccurs="0" maxOccurs="0"',
    ];
    return occurs[this.#next(occurs.length)] ?? '';
  }

  #compositor(depth: number): string {
    const kind = this.#pick(
      () => 'sequence',
      () => 'choice',
    );
    const particles = Array.from({ length: this.#next(4) }, () => this.#particle(depth + 1)).join(
      '',
    );
    return `<xs:${kind} ${this.#occurs()}>${particles}</xs:${kind}>`;
  }

  #particle(depth: number): string {
    const occurs = this.#occurs();
    const element = () =>
      `<xs:element name="${this.#memberName('e')}" type="${this.#type()}" ${occurs} ` +
      `${this.#maybe('nillable="true"')}/>`;
    if (depth > 3) return element();
    return this.#pick(
      element,
      element,
      () => `<xs:element ref="t:${this.#name('E')}" ${occurs}/>`,
      () => `<xs:any ${occurs} ${this.#maybe('namespace="##other"')}/>`,
      () => `<xs:group ref="t:${this.#name('G')}" ${occurs}/>`,
      () =>
        `<xs:element name="${this.#memberName('e')}" ${occurs}><xs:complexType>` +
        `${this.#complex(depth + 1)}</xs:complexType></xs:element>`,
      () => this.#compositor(depth + 1),
    );
  }

  #attributes(): string {
    return (
      this.#maybe(
        `<xs:attribute name="${this.#memberName('a')}" type="${this.#simpleName()}" ` +
          `${this.#maybe('use="prohibited"')}/>`,
      ) +
      this.#maybe(`<xs:attributeGroup ref="t:${this.#name('A')}"/>`) +
      this.#maybe(`<xs:attribute ref="t:${this.#name('B')}"/>`) +
      this.#maybe('<xs:anyAttribute namespace="##other"/>')
    );
  }

  #complex(depth: number): string {
    const attributes = this.#attributes();
    const step = this.#pick(
      () => 'extension',
      () => 'restriction',
    );
    const arrayType = this.#maybe(
      `<xs:attribute ref="soapenc:arrayType" w:arrayType="${this.#type()}[]" ` +
        'xmlns:w="http://schemas.xmlsoap.org/wsdl/"/>',
    );
    return this.#pick(
      () => this.#compositor(depth + 1) + attributes,
      () => `<xs:group ref="t:${this.#name('G')}"/>${attributes}`,
      () =>
        `<xs:simpleContent><xs:${step} base="${this.#type()}">` +
        `${attributes}</xs:${step}></xs:simpleContent>`,
      () =>
        `<xs:complexContent><xs:${step} base="${this.#type()}">${this.#compositor(depth + 1)}` +
        `${attributes}${arrayType}</xs:${step}></xs:complexContent>`,
    );
  }
}

/**
 * What is wrong with what is read of a random WSDL, or null. `next` gives a number below its
 * argument.
 */
export async function problemOfRandomWsdl(next: (below: number) => number): Promise<string | null> {
  const body = Buffer.from(randomWsdl(next));
  const fetch = async (url: string) => ({ url, contentType: 'text/xml', body });
  return problemWith(await readWsdl('http://h/a.wsdl', { fetch, root: null, hosts: [] }));
}

/** A WSDL of one operation that carries everything, its components chosen by `next`. */
function randomWsdl(next: (below: number) => number): string {
  const elements = Array.from(
    { length: COUNT },
    (_, at) => `<xs:element name="r${at}" type="t:C${at}"/><xs:element ref="t:E${at}"/>`,
  );
  const all =
    `<xs:element name="All"><xs:complexType><xs:sequence>${elements.join('')}</xs:sequence>` +
    '</xs:complexType></xs:element>';
  const messages =
    '<message name="In"><part name="p" element="t:All"/></message><message name="Out">' +
    '<part name="p" element="t:All"/></message>';
  return wsdlWith({ types: schemaWith(all + new SchemaWriter(next).write()), messages });
}

function problemWith(model: WsdlModel): string | null {
  for (const { line, column, what } of model.warnings)
    if (line === null || column === null) return `no place: ${what}`;
  for (const type of model.types.values()) {
    if (type.kind === 'simple') continue;
    const chain = new Set([type]);
    for (let base = type.base; base !== null; base = base.base) {
      if (chain.has(base)) return 'a type is its own base';
      chain.add(base);
    }
    if (type.base !== null && !type.base.derived.includes(type))
      return 'a base does not know what is derived from it';
  }
  const operations = model.services
    .flatMap(({ ports }) => ports)
    .flatMap((port) => port.operations);
  for (const choices of ['fields', 'union'] as const) {
    const { schema } = buildSchema([
      { name: 's', operations, mapping: new Map(), naming: 'camel', choices },
    ]);
    const [mistake] = validateSchema(schema);
    if (mistake !== undefined) return `choices as ${choices}: ${mistake.message}`;
  }
  return null;
}
