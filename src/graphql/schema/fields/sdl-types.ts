import {
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type Location,
} from 'graphql';
import {
  type ComplexType,
  type Operation,
  type Particle,
  type XsdType,
  xsd,
} from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { BUILT_INS } from '../types/retype.js';
import { SDL_URI } from '../types/xsd-type.js';
import { isCostDirectiveDefinition, type ReportInSdl } from './cost-sdl.js';
import type { RootType } from './exposure.js';
import { defaultText, occurrenceOf, type SdlField, xmlDirective } from './sdl-field.js';

/** An operation of a service without a WSDL. */
export interface SdlOperation {
  readonly field: { readonly parent: RootType; readonly name: string };
  /** Local name of the request element. */
  readonly request: string;
  /** Local name of the reply element; null: that of the request with `Response`. */
  readonly response: string | null;
  readonly namespace: string;
  /** Whether the elements inside stand in the namespace too, or in none. */
  readonly qualified: boolean;
  readonly soapAction: string | null;
  /** Absent: it has a result. */
  readonly isOneWay?: boolean;
}

type MutableComplex = { -readonly [K in keyof ComplexType]: ComplexType[K] };

/** The types of one SDL document as types of the model; those of one namespace are made once. */
export class SdlTypes {
  readonly #report: ReportInSdl;
  readonly #roots = new Map<string, FieldDefinitionNode>();
  readonly #used = new Set<string>();
  readonly #structures = new Map<
    string,
    {
      readonly fields: readonly SdlField[];
      readonly isInput: boolean;
      readonly description: string | null;
    }
  >();
  readonly #enums = new Map<string, EnumTypeDefinitionNode>();
  readonly #made = new Map<string, XsdType>();
  /**
   * Types that are known and not yet filled: types may be recursive, and lead to each other at any
   * length.
   */
  readonly #empty: (() => void)[] = [];

  constructor(document: DocumentNode, report: ReportInSdl) {
    this.#report = report;
    for (const definition of document.definitions) {
      switch (definition.kind) {
        case Kind.OBJECT_TYPE_DEFINITION:
        case Kind.OBJECT_TYPE_EXTENSION:
        case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
          const { name, fields = [] } = definition;
          if (name.value === 'Query' || name.value === 'Mutation') {
            for (const field of fields) {
              if (field.kind === Kind.FIELD_DEFINITION) {
                this.#roots.set(`${name.value}.${field.name.value}`, field);
              }
            }
          } else if (definition.kind === Kind.OBJECT_TYPE_EXTENSION) {
            report(
              `${name.value} cannot be extended here.`,
              definition.loc,
              'Write its fields into its definition.',
            );
          } else {
            const isInput = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
            const description = definition.description?.value ?? null;
            this.#structures.set(name.value, { fields, isInput, description });
          }
          break;
        }
        case Kind.ENUM_TYPE_DEFINITION:
          this.#enums.set(definition.name.value, definition);
          break;
        case Kind.SCALAR_TYPE_DEFINITION:
          if (!BUILT_INS.has(definition.name.value) && definition.name.value !== 'XML') {
            const remedy = `The scalars are ${[...BUILT_INS.keys(), 'XML'].join(', ')}.`;
            report(`There is no scalar ${definition.name.value}.`, definition.loc, remedy);
          }
          break;
        case Kind.DIRECTIVE_DEFINITION:
          if (isCostDirectiveDefinition(definition)) break;
          report('Only the cost directives can be defined here.', definition.loc);
          break;
        default:
          report('Only object, input, enum and scalar types can be used here.', definition.loc);
      }
    }
  }

  /** Null, and a diagnostic, if the SDL has no such field. */
  operation(name: string, described: SdlOperation): Operation | null {
    const key = `${described.field.parent}.${described.field.name}`;
    const field = this.#roots.get(key);
    if (field === undefined) {
      this.#report(
        `Operation ${name} is ${key}, which the types do not define.`,
        undefined,
        `Add it to ${key}.`,
      );
      return null;
    }
    this.#used.add(key);
    const { namespace, qualified } = described;
    const inner = qualified ? namespace : '';
    const request = xsd.plainElement(
      { uri: namespace, local: described.request },
      this.#arguments(field, inner),
    );
    const result = this.#result(field, inner);
    if (described.isOneWay === true && !isBoolean(field)) {
      this.#report(
        `Operation ${name} is one-way: ${key} must be a Boolean.`,
        field.loc,
        'Write `: Boolean!`.',
      );
    }
    for (let fill = this.#empty.pop(); fill !== undefined; fill = this.#empty.pop()) {
      fill();
    }
    const replyName = {
      uri: namespace,
      local: described.response ?? `${described.request}Response`,
    };
    return {
      name,
      documentation: field.description?.value ?? null,
      soapAction: described.soapAction,
      addressingAction: null,
      status: 'ok',
      reasons: [],
      input: { body: request, headers: [] },
      output: { body: xsd.plainElement(replyName, result), headers: [] },
      ...(described.field.parent === 'Mutation' && isBoolean(field)
        ? { isDoneWithoutContent: true }
        : {}),
      faults: [],
    };
  }

  /** To be called after the last operation. */
  reportUnused(): void {
    for (const [key, field] of this.#roots) {
      if (!this.#used.has(key)) {
        this.#report(`${key} has no operation.`, field.loc, 'Add one to `operations`.');
      }
    }
  }

  #arguments(field: FieldDefinitionNode, uri: string): ComplexType {
    const made: MutableComplex = xsd.plainComplexType(null, { kind: 'empty' });
    this.#fill(made, field.arguments ?? [], true, uri);
    return made;
  }

  #result(field: FieldDefinitionNode, uri: string): XsdType {
    const { typeName, list } = occurrenceOf(field.type);
    const xml = xmlDirective(field.directives);
    const type = this.#type(typeName, uri, field.loc);
    if (type.kind === 'complex' && type.content.kind !== 'opaque' && !list && xml.name === null) {
      return type;
    }
    return xsd.plainComplexType(
      null,
      xsd.sequenceOf([this.#particle(field, xml.name, false, uri)]),
    );
  }

  #fill(made: MutableComplex, fields: readonly SdlField[], isInput: boolean, uri: string): void {
    const particles: Particle[] = [];
    const attributes: xsd.AttributeDeclaration[] = [];
    for (const field of fields) {
      if (xmlDirective(field.directives).attribute) {
        attributes.push(...this.#attribute(field, uri));
      } else {
        particles.push(this.#particle(field, null, isInput, uri));
      }
    }
    made.content = xsd.sequenceOf(particles);
    made.attributes = attributes;
  }

  #particle(field: SdlField, wireName: string | null, isInput: boolean, uri: string): Particle {
    const { typeName, nonNull, list, itemNonNull } = occurrenceOf(field.type);
    const { item } = xmlDirective(field.directives);
    const type = this.#type(typeName, uri, field.loc);
    const local = wireName ?? field.name.value;
    const text = defaultText(field);
    const documentation = field.description?.value ?? null;
    const single = { name: { uri, local }, type, default: text, documentation };
    if (list && item !== null) {
      const items = xsd.plainElement({ uri, local: item }, type, { nillable: !itemNonNull });
      const particle: Particle = { kind: 'one', element: items, min: 0, max: Infinity };
      const wrapper = xsd.plainComplexType(null, xsd.sequenceOf([particle]));
      const outer = xsd.plainElement({ uri, local }, wrapper, {
        nillable: !nonNull && !isInput,
        documentation,
      });
      return { kind: 'one', element: outer, min: nonNull ? 1 : 0, max: 1 };
    }
    const nillable = list ? !itemNonNull : !nonNull && !isInput;
    const element = xsd.plainElement(single.name, type, { ...single, nillable });
    return {
      kind: 'one',
      element,
      min: nonNull || text !== null ? 1 : 0,
      max: list ? Infinity : 1,
    };
  }

  #attribute(field: SdlField, uri: string): readonly xsd.AttributeDeclaration[] {
    const { typeName, nonNull, list } = occurrenceOf(field.type);
    const type = this.#type(typeName, uri, field.loc);
    if (type.kind === 'complex' || list) {
      this.#report(`Attribute ${field.name.value} must be a scalar or an enumeration.`, field.loc);
      return [];
    }
    return [
      {
        name: { uri: '', local: field.name.value },
        type,
        required: nonNull,
        default: defaultText(field),
        fixed: null,
        documentation: field.description?.value ?? null,
      },
    ];
  }

  #type(name: string, uri: string, location: Location | undefined): XsdType {
    const key = `{${uri}}${name}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const structure = this.#structures.get(name);
    if (structure === undefined) {
      const leaf = this.#leaf(name, location);
      this.#made.set(key, leaf);
      return leaf;
    }
    const { fields, isInput, description: documentation } = structure;
    const made: MutableComplex = xsd.plainComplexType(
      sdlName(name),
      { kind: 'empty' },
      { documentation },
    );
    this.#made.set(key, made);
    this.#empty.push(() => this.#fill(made, fields, isInput, uri));
    return made;
  }

  #leaf(name: string, location: Location | undefined): XsdType {
    const definition = this.#enums.get(name);
    if (definition !== undefined) {
      const values = (definition.values ?? []).map((value) => ({
        value: value.name.value,
        documentation: value.description?.value ?? null,
      }));
      const documentation = definition.description?.value ?? null;
      return xsd.plainSimpleType(sdlName(name), 'string', { enumeration: values, documentation });
    }
    if (name === 'XML') {
      return xsd.plainComplexType({ uri: SDL_URI, local: name }, { kind: 'opaque', mixed: null });
    }
    const builtIn = BUILT_INS.get(name);
    if (builtIn === undefined) {
      this.#report(`There is no type ${name}.`, location, 'Define it, or fix the name.');
    }
    return xsd.plainSimpleType(sdlName(name), builtIn ?? 'string');
  }
}

/** Whether the result is one Boolean. */
function isBoolean({ type }: FieldDefinitionNode): boolean {
  const { typeName, list } = occurrenceOf(type);
  return typeName === 'Boolean' && !list;
}

const sdlName = (local: string): QName => ({ uri: SDL_URI, local });
