import type { Diagnostic } from '../core/index.js';
import type { DialectName, mime } from '../soap/index.js';
import type { QName } from '../xml/index.js';
import type { WsdlDocument } from './document.js';
import type { ProfileFinding } from './profile-rules.js';

/**
 * The model of a WSDL and its schemas, as one frozen graph. References are direct (types may be
 * recursive, so the graph has cycles); nothing here knows files, prefixes or the order of
 * declarations any more.
 *
 * SDL types for a backend without a WSDL produce the same model, so everything behind it is one
 * path.
 */
export interface WsdlModel {
  readonly services: readonly WsdlService[];
  /** Operations that no port of these services has. Absent: there are none. */
  readonly uncallable?: readonly UncallableOperation[];
  /** Every named type, by `typeKey`: xsi:type is resolved here. */
  readonly types: ReadonlyMap<string, XsdType>;
  /** Every global element, by `typeKey`: header blocks and fault details are found here. */
  readonly elements: ReadonlyMap<string, ElementDeclaration>;
  /**
   * Every global attribute, by `typeKey`: attributes that wildcards allow are found here. Absent:
   * there are none.
   */
  readonly attributes?: ReadonlyMap<string, AttributeDeclaration>;
  readonly documents: readonly WsdlDocument[];
  /**
   * Content that was left out or approximated, with its position: the import report. None stops the
   * service.
   */
  readonly warnings: readonly Diagnostic[];
  /** The rules of WS-I Basic Profile that it breaks; absent: none. None changes how it is read. */
  readonly profile?: readonly ProfileFinding[];
}

export interface WsdlService {
  readonly name: QName;
  readonly ports: readonly Port[];
}

export interface Port {
  readonly name: string;
  /**
   * The `typeKey` of its port type: ports that share it offer the same operations. Absent: not
   * known.
   */
  readonly portType?: string;
  readonly dialect: DialectName;
  /**
   * The address in the WSDL. Information only: the backend's address comes from the configuration.
   */
  readonly address: string | null;
  readonly operations: readonly Operation[];
  /** The kinds of protection that its policies demand, as warnings; absent: none. */
  readonly demands?: readonly Diagnostic[];
}

export interface Operation {
  /** Unique within its port: a further overload is `name2`, `name3`, ... */
  readonly name: string;
  /** The name as the WSDL writes it, where `name` has a number. */
  readonly writtenName?: string;
  /**
   * The name that tells this operation from others of its WSDL with the same name and other request
   * elements.
   */
  readonly distinctName?: string;
  readonly documentation: string | null;
  /** The soapAction as written, without quotes; null when the binding gives none. */
  readonly soapAction: string | null;
  /**
   * The action of its requests in WS-Addressing: as named, else the default (Metadata 4.4.1,
   * 4.4.4). Null without a port type.
   */
  readonly addressingAction: string | null;
  /** The WSDL names that action; else it is the default. */
  readonly namesAction?: boolean;
  /** The style of the binding. Absent for SDL types. */
  readonly style?: 'document' | 'rpc';
  /**
   * `encoded`: by the rules of SOAP 1.1 section 5, with xsi:type, arrays and multi-ref elements.
   * Absent: literal.
   */
  readonly use?: 'literal' | 'encoded';
  /**
   * `ok`: all of it is understood. `partial`: parts became opaque. `disabled`: not callable; it
   * still passes as SOAP.
   */
  readonly status: 'ok' | 'partial' | 'disabled';
  /** Why it is not `ok`. */
  readonly reasons: readonly Diagnostic[];
  /**
   * The message of a request. For a disabled operation only the name of the body is reliable, where
   * it is known.
   */
  readonly input: Payload;
  /** Null for a one-way operation. */
  readonly output: Payload | null;
  /**
   * True if its result is a Boolean that means `done`: a reply without content is `true`. Only SDL
   * types have it.
   */
  readonly isDoneWithoutContent?: boolean;
  readonly faults: readonly FaultDeclaration[];
  /** The use of WS-Addressing in its requests by the WSDL; absent where the WSDL has none. */
  readonly addressing?: AddressingUse;
  /**
   * Set where its action alone tells its requests from those of another: the namespace of
   * WS-Addressing blocks.
   */
  readonly actionNamespace?: string;
  /** Set where a policy demands that messages are packages by XOP. */
  readonly isPackaged?: true;
}

/** The warnings of a model, with the demands of the policies of these ports, each once. */
export function warningsOfPorts(
  { warnings }: WsdlModel,
  ports: readonly Port[],
): readonly Diagnostic[] {
  const byRemedy = new Map<string | null, Diagnostic>();
  for (const demand of ports.flatMap(({ demands = [] }) => demands)) {
    if (!byRemedy.has(demand.remedy)) {
      byRemedy.set(demand.remedy, demand);
    }
  }
  return [...warnings, ...byRemedy.values()];
}

/** Whether requests carry WS-Addressing blocks, and of which version. */
export interface AddressingUse {
  /** The namespace of the blocks. */
  readonly uri: string;
  /** Else requests may have them. */
  readonly isRequired: boolean;
}

export interface Payload {
  /**
   * The child of Body, the first one where there are several: it identifies the message. Null when
   * Body is empty.
   */
  readonly body: ElementDeclaration | null;
  /** The children of a Body that has several; absent: `body` is the only one. */
  readonly several?: SeveralParts;
  readonly headers: readonly HeaderDeclaration[];
  /** Parts beside the envelope, in a MIME package (WSDL 1.1 section 5). Absent: there are none. */
  readonly attachments?: readonly mime.AttachedPart[];
}

/**
 * A Body of several elements: document style of several parts, which WS-I Basic Profile R2201
 * forbids.
 */
export interface SeveralParts {
  /** In the order in which they stand. */
  readonly parts: readonly BodyPart[];
  /** Body itself, as an element that holds them in this order. */
  readonly whole: ElementDeclaration;
}

export interface BodyPart {
  /** As the message names it. */
  readonly name: string;
  readonly element: ElementDeclaration;
}

export interface HeaderDeclaration {
  readonly element: ElementDeclaration;
}

export interface FaultDeclaration {
  readonly name: string;
  /** The child of `detail`. */
  readonly element: ElementDeclaration;
}

export interface ElementDeclaration {
  readonly kind: 'element';
  /** The name on the wire: `uri` is '' for an unqualified local element. */
  readonly name: QName;
  readonly type: XsdType;
  readonly nillable: boolean;
  readonly default: string | null;
  readonly fixed: string | null;
  /** A global element that never occurs itself: only its substitutes do. */
  readonly abstract: boolean;
  /** Types derived so from its own may not be named by xsi:type (`block`); absent: any may. */
  readonly blocked?: readonly ('extension' | 'restriction')[];
  /** The identity constraints that the element declares (XSD 1.0 part 1 section 3.11). */
  readonly constraints: readonly IdentityConstraint[];
  readonly documentation: string | null;
}

/** `xs:unique`, `xs:key` or `xs:keyref`. */
export interface IdentityConstraint {
  readonly kind: 'unique' | 'key' | 'keyref';
  readonly name: QName;
  /** The key or unique that a keyref refers to; null for others. */
  readonly refer: QName | null;
  /** The alternatives of the selector (`a/b|.//c`). */
  readonly selector: readonly IdentityPath[];
  /** The alternatives that each field has. */
  readonly fields: readonly (readonly IdentityPath[])[];
}

/** One path of the XPath subset of XSD 1.0 part 1 section 3.11.6. */
export interface IdentityPath {
  /** It begins with `.//`. */
  readonly descendant: boolean;
  readonly steps: readonly NameTest[];
  /** The attribute at its end; null where it ends in an element. */
  readonly attribute: NameTest | null;
}

/** `null` stands for any: `*` has neither a name nor a namespace, `p:*` only a namespace. */
export interface NameTest {
  readonly uri: string | null;
  readonly local: string | null;
}

export type XsdType = SimpleType | ComplexType;

export interface SimpleType {
  readonly kind: 'simple';
  /** Null for an anonymous type. */
  readonly name: QName | null;
  readonly variety: 'atomic' | 'list' | 'union';
  /**
   * Local name of the nearest built-in type of XML Schema ('string', 'int', 'decimal', 'dateTime',
   * ...), which decides the lexical rules. For a list that of the items; for a union, and for an
   * unsupported type, 'string'.
   */
  readonly builtIn: string;
  /**
   * The type it restricts: xsi:type may name a type derived from the declared one. Null for
   * built-in types.
   */
  readonly base: SimpleType | null;
  /** The type that the items of a list have; null otherwise. */
  readonly item: SimpleType | null;
  /** The member types that a union has, in order; [] otherwise. */
  readonly members: readonly SimpleType[];
  /** The permitted values in order, or null when not enumerated. */
  readonly enumeration: readonly EnumerationValue[] | null;
  readonly facets: Facets;
  readonly documentation: string | null;
}

export interface EnumerationValue {
  readonly value: string;
  readonly documentation: string | null;
}

/**
 * Constraining facets of XSD 1.0 part 2 section 4.3; null where not constrained. Bounds are
 * lexical.
 */
export interface Facets {
  readonly length: number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly totalDigits: number | null;
  readonly fractionDigits: number | null;
  readonly minInclusive: string | null;
  readonly maxInclusive: string | null;
  readonly minExclusive: string | null;
  readonly maxExclusive: string | null;
  /** XSD regular expressions, all of which must match. */
  readonly patterns: readonly string[];
  readonly whiteSpace: 'preserve' | 'replace' | 'collapse' | null;
}

/** The facets of a type that constrains nothing. */
export const NO_FACETS: Facets = Object.freeze({
  length: null,
  minLength: null,
  maxLength: null,
  totalDigits: null,
  fractionDigits: null,
  minInclusive: null,
  maxInclusive: null,
  minExclusive: null,
  maxExclusive: null,
  patterns: Object.freeze([]),
  whiteSpace: null,
});

export interface ComplexType {
  readonly kind: 'complex';
  readonly name: QName | null;
  readonly abstract: boolean;
  /**
   * Types derived so from it may not be named by xsi:type where it is declared (`block`); absent:
   * any may.
   */
  readonly blocked?: readonly ('extension' | 'restriction')[];
  /** The complex type this one extends or restricts, or null. */
  readonly base: ComplexType | null;
  readonly derivation: 'extension' | 'restriction' | null;
  /** Types derived from this one, directly; in declaration order. */
  readonly derived: readonly ComplexType[];
  /** All attributes, inherited ones first. */
  readonly attributes: readonly AttributeDeclaration[];
  /** The wildcard for further attributes; null for none. */
  readonly anyAttribute: Wildcard | null;
  /** All content, inherited content first. */
  readonly content: Content;
  readonly documentation: string | null;
}

export type Content =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly type: SimpleType }
  | { readonly kind: 'elements'; readonly particle: Particle }
  /**
   * Mixed content, anyType and unsupported types: kept as XML. `mixed` is the model of mixed
   * content, whose particle is null where there are no elements; null where anything is valid.
   */
  | { readonly kind: 'opaque'; readonly mixed: { readonly particle: Particle | null } | null }
  /**
   * An array of the SOAP encoding (SOAP 1.1 section 5.4.2): elements of any name, each an item of
   * this type. `dimensions` are those of the declared type, 1 for `T[]`.
   */
  | { readonly kind: 'array'; readonly item: XsdType; readonly dimensions: number };

/** A particle of a content model. `max` is `Infinity` for unbounded. */
export type Particle =
  | {
      readonly kind: 'one';
      readonly element: ElementDeclaration;
      readonly min: number;
      readonly max: number;
    }
  | {
      readonly kind: 'sequence' | 'choice' | 'all';
      readonly particles: readonly Particle[];
      readonly min: number;
      readonly max: number;
    }
  | {
      readonly kind: 'any';
      readonly wildcard: Wildcard;
      readonly min: number;
      readonly max: number;
    };

/** `xs:any` and `xs:anyAttribute` (XSD 1.0 part 1 section 3.10). */
export interface Wildcard {
  /**
   * Whether content it allows must be declared, is validated where it is declared, or is not
   * validated.
   */
  readonly process: 'strict' | 'lax' | 'skip';
  /**
   * True where the schema says `strict` itself: what callers write there must be declared. Absent
   * where it is the default of XSD, by which stacks write what no schema declares (SharePoint).
   */
  readonly isDeclaredOnly?: boolean;
  /** `not`: any namespace but these ('' is no namespace). */
  readonly namespaces:
    | { readonly kind: 'any' }
    | { readonly kind: 'only' | 'not'; readonly uris: readonly string[] };
}

/** The wildcard that allows anything. */
export const ANYTHING: Wildcard = Object.freeze({
  process: 'lax',
  namespaces: Object.freeze({ kind: 'any' }),
});

export interface AttributeDeclaration {
  /** `uri` is '' for an unqualified attribute. */
  readonly name: QName;
  readonly type: SimpleType;
  readonly required: boolean;
  readonly default: string | null;
  readonly fixed: string | null;
  readonly documentation: string | null;
}

/** The operations of all ports. */
export const allOperations = ({ services }: Pick<WsdlModel, 'services'>): readonly Operation[] =>
  services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations));

/** The key of a name in the maps of the model: `{uri}local`. */
export const typeKey = (name: QName): string => `{${name.uri}}${name.local}`;

/** The name that distinguishes an operation from the others of its WSDL. */
export const distinctName = ({ name, distinctName }: Operation): string => distinctName ?? name;

/** The children of Body, in order. */
export const childrenOfBody = ({ body, several }: Payload): readonly ElementDeclaration[] =>
  several !== undefined ? several.parts.map(({ element }) => element) : body === null ? [] : [body];

/**
 * An operation of a port that does not speak SOAP over HTTP, or of a binding or port type without a
 * port.
 */
export interface UncallableOperation {
  readonly name: string;
  /** `port Quote`, `binding B` or `port type P`. */
  readonly place: string;
  readonly reason: Diagnostic;
}
