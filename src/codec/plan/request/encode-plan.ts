import type { Wildcard } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import type { AnyTypes } from '../any-types.js';
import type { ItemRange } from '../item-range.js';
import type { LiftedMember } from '../lift-step.js';
import type { Scalar } from '../scalar.js';

/**
 * Plans for writing a request, made at start-up from the model and the GraphQL schema. The encoder
 * knows nothing else: neither WSDL nor GraphQL.
 */

/** The source of a value that is not an argument. */
export type EncodeSource =
  /**
   * As it stands in the configuration, in its lexical form. It may be a secret: it is never
   * printed.
   */
  | { readonly from: 'constant'; readonly lexical: string }
  /** The header field of the client's request with this name, in lower case. */
  | { readonly from: 'header'; readonly header: string }
  /** The claim of this name in the client's token. */
  | { readonly from: 'claim'; readonly claim: string }
  /** The page that a call asks for. */
  | { readonly from: 'page'; readonly isNumber: boolean };

/** An element to be written from the member `key` of the client's object. */
export interface EncodeElement {
  /** The member's name: an argument or an input field. */
  readonly key: string;
  readonly name: QName;
  /**
   * `many`: an array, one element an item. `wrapped`: an array inside `name`, each item an element
   * of that name; a null item is refused unless `itemNillable`.
   */
  readonly occurs: 'one' | 'many' | { readonly wrapped: QName; readonly itemNillable?: boolean };
  /**
   * How many items a list may have, where that is not any number. Of `many`, none is as many as
   * absent.
   */
  readonly counts?: { readonly min: number; readonly max: number };
  /** At least one must be written. */
  readonly required: boolean;
  readonly nillable: boolean;
  /** The value that is always written; null: that of the client. */
  readonly fixed: string | null;
  /**
   * The name of its type, which SOAP encoding writes; of the items, where it is a list in a
   * wrapper.
   */
  readonly typeName?: QName | null;
  /** Set where the value is not an argument. It is a scalar then. */
  readonly source?: EncodeSource;
  /** Written even without an argument: an object with values from other sources. */
  readonly always?: boolean;
  /**
   * There is no such element, only its content: a group, with an object for each time, or XML, an
   * element of any name.
   */
  readonly transparent?: boolean;
  /** Elements that may be written as XML there; none, or absent: any. */
  readonly wildcards?: readonly Wildcard[];
  /** Which items of a list stand here, where others stand further on; absent: all of them. */
  readonly itemRange?: ItemRange;
  /** Set after construction: input types may be recursive. */
  readonly value: EncodeValue;
}

export type EncodeValue =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | EncodeObject
  | EncodeVariants
  | EncodeArray
  /** Content that is not modelled: the whole element as XML, or text. */
  | { readonly kind: 'xml' }
  /**
   * A value of any type, or of any simple one: an object with its type and the value as JSON, or
   * the element as XML.
   */
  | {
      readonly kind: 'any';
      readonly types: AnyTypes;
      readonly isSimple: boolean;
      /**
       * The declared type of the element is not that of any: JSON does not name types of its own.
       * Absent: it is.
       */
      readonly isPlain?: boolean;
      /** The value may not be null: its element is not nillable. Absent: it may. */
      readonly refusesNil?: boolean;
      /** The types that the value may be of; absent: any. */
      readonly family?: TypeFamily;
      /**
       * The object has the name of the element, where a wildcard allows any. Absent: the element is
       * declared.
       */
      readonly isNamed?: boolean;
    };

/** Types that may stand for one declared type, too many to have an argument each. */
export interface TypeFamily {
  /** The type of a value that names none; null where the declared type is abstract. */
  readonly base: QName | null;
  /** Keys of all of them, by `typeKey`. */
  readonly types: ReadonlySet<string>;
}

export interface EncodeObject {
  readonly kind: 'object';
  readonly attributes: readonly EncodeAttribute[];
  /** Member that holds the text of simple content, or null. */
  readonly text: { readonly key: string; readonly scalar: Scalar } | null;
  /** In schema order, inherited ones first. */
  readonly children: readonly EncodeElement[];
  /**
   * Members of which exactly one must be provided, for a required choice; [] where there is none.
   */
  readonly choices: readonly (readonly string[])[];
  /** Members that are written inside others; absent: none. */
  readonly lifts?: readonly LiftedMember[];
  /** Members that must be provided together, or not together. */
  readonly branches?: readonly BranchRule[];
  /** The object is the element as a value of any type. It has no other members then. */
  readonly any?: Extract<EncodeValue, { readonly kind: 'any' }>;
  /** Member that holds the whole element as XML, where its content is not modelled. */
  readonly xml?: string;
  /**
   * The members that hold the text of mixed content, or the whole element as XML instead of all
   * others.
   */
  readonly mixed?: { readonly text: string; readonly xml: string };
  /**
   * The member that names the type of an element whose declared type is abstract. It has no others
   * then.
   */
  readonly variant?: { readonly key: string; readonly value: EncodeVariants };
}

/** The text of simple content. */
export interface EncodeText {
  readonly key: string;
  readonly scalar: Scalar;
  /** Set where the value is not an argument; `required`: a caller without it is refused. */
  readonly source?: EncodeSource;
  readonly required?: boolean;
}

/** An object with one member, whose name is that of the element's type. */
export interface EncodeVariants {
  readonly kind: 'variants';
  readonly members: ReadonlyMap<string, EncodeVariant>;
}

export interface EncodeVariant {
  /** Written as xsi:type; null for the declared type, which needs none. */
  readonly type: QName | null;
  readonly value: EncodeValue;
}

/** An array of the SOAP encoding: the names of its item elements carry no meaning. */
export interface EncodeArray {
  readonly kind: 'array';
  /** Null where the type of the items has no name. */
  readonly itemType: QName | null;
  readonly item: EncodeValue;
}

export interface EncodeAttribute {
  readonly key: string;
  readonly name: QName;
  readonly required: boolean;
  readonly fixed: string | null;
  readonly scalar: Scalar;
  readonly source?: EncodeSource;
}

/** The members of one branch may be provided: all that it requires, and none of the others. */
export interface BranchRule {
  /** One must be provided. */
  readonly required: boolean;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly keys: readonly string[];
  /** The keys that the branch requires. */
  readonly required: readonly string[];
  /** Choices within it. */
  readonly rules: readonly BranchRule[];
}
