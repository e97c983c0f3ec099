import {
  type ComplexType,
  type Content,
  type ElementDeclaration,
  namespaces,
  typeKey,
  type Wildcard,
  type WsdlModel,
  type XsdType,
  xsd,
} from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';
import { ContentAutomaton } from './automaton.js';
import { type SimpleRules, simpleRulesOf } from './simple-rules.js';

/**
 * How the content of a type is validated. `lax`: only declared elements are. `any`: it cannot be.
 */
type ContentKind = 'empty' | 'text' | 'model' | 'mixed' | 'lax' | 'any';

export interface AttributeRules {
  readonly declaration: xsd.AttributeDeclaration;
  readonly uri: string;
  readonly local: string;
  readonly simple: SimpleRules;
}

/** A type, compiled for validation. */
export interface TypeRules {
  readonly type: XsdType;
  readonly kind: ContentKind;
  /** The rules that text must satisfy; null where the type has none. */
  readonly simple: SimpleRules | null;
  /** Null for mixed content without elements. */
  readonly automaton: ContentAutomaton<ElementRules> | null;
  readonly attributes: readonly AttributeRules[];
  readonly requiredAttributes: number;
  /** Attributes that are IDs, or references to them. */
  readonly identities: readonly AttributeRules[];
  readonly anyAttribute: Wildcard | null;
  readonly isAbstract: boolean;
}

/** An element, compiled for validation; its type is when the first message has one. */
export class ElementRules {
  readonly declaration: ElementDeclaration;
  readonly local: string;
  readonly #schema: SchemaRules;
  #type: TypeRules | null = null;

  constructor(schema: SchemaRules, declaration: ElementDeclaration) {
    this.#schema = schema;
    this.declaration = declaration;
    this.local = declaration.name.local;
  }

  get type(): TypeRules {
    this.#type ??= this.#schema.type(this.declaration.type);
    return this.#type;
  }
}

/** The schemas of one WSDL, compiled for validation; each type when it is first needed. */
export class SchemaRules {
  readonly #model: Pick<WsdlModel, 'types' | 'elements' | 'attributes'>;
  readonly #elements = new Map<ElementDeclaration, ElementRules>();
  readonly #types = new Map<XsdType, TypeRules>();
  /** Global attributes, which wildcards allow. */
  readonly #attributes: ReadonlyMap<string, AttributeRules>;
  /** Some of those are IDs, or references to them. */
  readonly hasWildIdentities: boolean;
  /** The rules for an undeclared element, in which declared ones are validated. */
  readonly undeclared: ElementRules;

  readonly #isLenient: boolean;

  /** `isLenient`: elements that are required may be left out. */
  constructor(model: Pick<WsdlModel, 'types' | 'elements' | 'attributes'>, isLenient = false) {
    this.#isLenient = isLenient;
    this.#model = model;
    this.#attributes = new Map(
      [...(model.attributes ?? [])].map(([key, each]) => [key, attributeRules(each)]),
    );
    this.hasWildIdentities = [...this.#attributes.values()].some(
      ({ simple }) => simple.identity !== null,
    );
    this.undeclared = new ElementRules(this, UNDECLARED);
  }

  element(declaration: ElementDeclaration): ElementRules {
    const known = this.#elements.get(declaration);
    if (known !== undefined) return known;
    const made = new ElementRules(this, declaration);
    this.#elements.set(declaration, made);
    return made;
  }

  /** The global element with this name. */
  global(uri: string, local: string): ElementRules | null {
    const declaration = this.#model.elements.get(typeKey({ uri, local }));
    return declaration === undefined ? null : this.element(declaration);
  }

  /** The global attribute with this name. */
  globalAttribute(uri: string, local: string): AttributeRules | null {
    return this.#attributes.get(typeKey({ uri, local })) ?? null;
  }

  /** The type that an xsi:type may name. */
  named(name: QName): XsdType | null {
    const known = this.#model.types.get(typeKey(name));
    if (known !== undefined) return known;
    if (name.uri !== namespaces.XSD) return null;
    return name.local === 'anyType' ? xsd.ANY_TYPE : xsd.builtInSimple(name);
  }

  type(type: XsdType): TypeRules {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const made = type.kind === 'complex' ? this.#complex(type) : simpleType(simpleRulesOf(type));
    this.#types.set(type, made);
    return made;
  }

  #complex(type: ComplexType): TypeRules {
    const attributes = type.attributes.map(attributeRules);
    const { content } = type;
    const particle =
      content.kind === 'elements'
        ? content.particle
        : content.kind === 'opaque' && content.mixed?.particle;
    const automaton = particle
      ? ContentAutomaton.of(particle, (element) => this.element(element), this.#isLenient)
      : null;
    return {
      type,
      // A model that is too large to be one is not validated.
      kind: particle && automaton === null ? 'any' : contentKind(content),
      simple: content.kind === 'text' ? simpleRulesOf(content.type) : null,
      automaton,
      attributes,
      requiredAttributes: attributes.filter(({ declaration }) => declaration.required).length,
      identities: attributes.filter(({ simple }) => simple.identity !== null),
      anyAttribute: type.anyAttribute,
      isAbstract: type.abstract,
    };
  }
}

const attributeRules = (declaration: xsd.AttributeDeclaration): AttributeRules => ({
  declaration,
  uri: declaration.name.uri,
  local: declaration.name.local,
  simple: simpleRulesOf(declaration.type),
});

function contentKind(content: Content): ContentKind {
  if (content.kind === 'empty' || content.kind === 'text') return content.kind;
  if (content.kind === 'elements') return 'model';
  if (content.kind === 'opaque' && content.mixed !== null) return 'mixed';
  return content === xsd.ANY_TYPE.content ? 'lax' : 'any';
}

const simpleType = (simple: SimpleRules): TypeRules => ({
  type: simple.type,
  kind: 'text',
  simple,
  automaton: null,
  attributes: [],
  requiredAttributes: 0,
  identities: [],
  anyAttribute: null,
  isAbstract: false,
});

const UNDECLARED: ElementDeclaration = xsd.plainElement({ uri: '', local: '*' }, xsd.ANY_TYPE, {
  nillable: true,
});
