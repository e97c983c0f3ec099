import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import t from 'tap';
import { encodeRequest } from '../../../src/codec/write/encode.js';
import { InputError } from '../../../src/codec/write/input-error.js';
import { DIALECTS } from '../../../src/soap/dialect.js';
import { HAS_XMLLINT, lint } from '../../kit/xmllint.js';
import { wsdlWith } from '../../wsdl/written.js';
import { builtOf } from '../built.js';

/**
 * Random schemas, random values by the input types made of them: what is written, xmllint finds
 * valid.
 */

const TYPES = 4;
const VALUES = 12;

/** Follows from its seed: what fails can be tried again. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  one<T>(...values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }
}

class Schemas {
  readonly #dice: Dice;
  #names = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  print(): string {
    const types = Array.from({ length: TYPES }, (_, at) => this.#type(at)).join('\n');
    return `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t">
<xs:element name="Get"><xs:complexType>${this.#group('sequence', '', 0)}</xs:complexType>\
</xs:element>
<xs:element name="GetResponse" type="xs:string"/>
<xs:element name="head" type="xs:string" abstract="true"/>
<xs:element name="one" type="xs:string" substitutionGroup="t:head"/>\
<xs:element name="other" type="xs:string" substitutionGroup="t:head"/>
${types}</xs:schema>`;
  }

  #type(at: number): string {
    const base = at > 0 && this.#dice.one(true, false) ? this.#dice.below(at) : null;
    const content = this.#dice.one(true, false, true)
      ? this.#group(this.#dice.one('sequence', 'choice'), '', 1)
      : '';
    const attributes = `${
      this.#dice.one(true, false)
        ? `<xs:attribute name="a${at}" type="xs:int" \
use="${this.#dice.one('required', 'optional')}"/>`
        : ''
    }`;
    const abstract = this.#dice.one(' abstract="true"', '', '', '');
    if (base === null)
      return `<xs:complexType name="T${at}"${abstract}>${content}${attributes}</xs:complexType>`;
    return (
      `<xs:complexType name="T${at}"${abstract}><xs:complexContent>` +
      `<xs:extension base="t:T${base}">${content}${attributes}</xs:extension>` +
      '</xs:complexContent></xs:complexType>'
    );
  }

  #occurs(): string {
    return this.#dice.one(
      '',
      '',
      ' minOccurs="0"',
      ' minOccurs="0" maxOccurs="unbounded"',
      ' maxOccurs="3"',
      ' minOccurs="2" maxOccurs="2"',
    );
  }

  #group(kind: string, occurs: string, depth: number): string {
    const particles = Array.from({ length: this.#dice.one(1, 2, 3) }, () =>
      this.#particle(depth + 1),
    );
    return `<xs:${kind}${occurs}>${particles.join('')}</xs:${kind}>`;
  }

  #particle(depth: number): string {
    const kind =
      depth > 3
        ? 'element'
        : this.#dice.one('element', 'element', 'element', 'sequence', 'choice', 'head');
    if (kind === 'head' && !this.#headed) return this.#head();
    if (kind !== 'element' && kind !== 'head') {
      // Repetition within repetition xmllint does not always get right.
      const occurs = depth > 1 ? this.#dice.one('', ' minOccurs="0"') : this.#occurs();
      return this.#group(kind, occurs, depth);
    }
    this.#names += 1;
    // What holds itself must be able to end.
    const type = this.#dice.one(
      'xs:int',
      'xs:string',
      'xs:boolean',
      `t:T${this.#dice.one(0, 1, 2, 3)}`,
    );
    const occurs = type.startsWith('t:')
      ? this.#dice.one(' minOccurs="0"', ' minOccurs="0" maxOccurs="4"')
      : this.#occurs();
    const nillable = this.#dice.one('', '', ' nillable="true"');
    return `<xs:element name="e${this.#names}" type="${type}"${occurs}${nillable}/>`;
  }

  /** Once in a schema: where it stood twice, which one is meant could not be told. */
  #head(): string {
    this.#headed = true;
    return `<xs:element ref="t:head"${this.#occurs()}/>`;
  }
  #headed = false;
}

class Values {
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  object(
    fields: readonly (GraphQLInputField | GraphQLArgument)[],
    depth: number,
  ): Record<string, unknown> {
    const given: Record<string, unknown> = {};
    for (const { name, type } of fields) {
      const isNeeded = isNonNullType(type);
      if (!isNeeded && (depth > 3 || this.#dice.below(10) < 4)) continue;
      given[name] = !isNeeded && this.#dice.below(10) === 0 ? null : this.#value(type, depth);
    }
    return given;
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const length = this.#dice.below(4);
      return Array.from({ length }, () => this.#value(nullable.ofType, depth + 1));
    }
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields());
      if (!nullable.isOneOf) return this.object(fields, depth + 1);
      const field = fields[this.#dice.below(fields.length)];
      if (field === undefined) return {};
      return { [field.name]: this.#value(field.type, depth + 1) };
    }
    if (nullable.name === 'Int') return this.#dice.below(11) - 5;
    return nullable.name === 'Boolean' ? true : this.#dice.one('', 'x', '<&>"');
  }
}

t.test(
  'what is written is valid, whatever the schema and whatever is given',
  { skip: !HAS_XMLLINT, timeout: 120_000 },
  async (t) => {
    const totals = { written: 0, refused: 0, schemas: 0 };
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const dice = new Dice(seed);
        totals.schemas += 1;
        const schema = new Schemas(dice).print();
        const built = await builtOf(wsdlWith({ types: schema }));
        // What is sent as XML is the caller's own.
        if (built.warnings.some(({ what }) => what.includes('abstract'))) return;
        const plan = built.fields.get('Query.get')?.requestPlan;
        const field = built.schema.getQueryType()?.getFields()['get'];
        if (plan === undefined || field === undefined) throw new Error('no field');
        const written: string[] = [];
        for (let at = 0; at < VALUES; at++) {
          const args = new Values(dice).object(
            field.args.filter(({ name }) => name !== '_'),
            0,
          );
          try {
            written.push(
              bodyOf(
                encodeRequest(plan, DIALECTS['1.1'], { arguments: args, headers: {} }).toString(),
              ),
            );
          } catch (caught) {
            if (!(caught instanceof InputError)) throw caught;
            totals.refused += 1;
          }
        }
        totals.written += written.length;
        // Of schemas whose content models are ambiguous nothing can be said.
        const wrong = lint(schema, written)?.find((result) => result !== null) ?? null;
        if (wrong !== null) throw new Error(wrong.slice(0, 2000));
      }),
      { numRuns: 60, endOnFailure: true },
    );
    t.ok(totals.written > totals.refused / 4, JSON.stringify(totals));
    t.comment(JSON.stringify(totals));
  },
);

/** The child of Body as a document of its own. */
function bodyOf(text: string): string {
  const [, declared = '', name = '', rest = ''] =
    /<s:Envelope([^>]*)>.*<s:Body><([^\s>/]+)(.*)<\/s:Body>/s.exec(text) ?? [];
  return `<${name}${declared}${rest}`;
}
