import type { Wildcard } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import type { AnyTypes } from '../any-types.js';
import type { ChildPositions, LiftStep } from '../lift-step.js';
import type { Scalar } from '../scalar.js';
import type { RepeatedGroup } from './repeated-group.js';

/**
 * Plans for reading a reply, made once per document from the model and the GraphQL schema. The
 * decoder knows nothing else: neither WSDL nor GraphQL.
 */

export type ValuePlan =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | ObjectPlan
  | OpaquePlan
  | DigestPlan
  | AddressPlan
  | AnyPlan
  | TablesPlan
  | ListPlan;

/** Content that is not modelled, as XML text (a `XML` scalar). */
interface OpaquePlan {
  readonly kind: 'opaque';
}

/**
 * A hash of an element with all that is in it, by which elements are compared; '' where it has
 * none.
 */
interface DigestPlan {
  readonly kind: 'digest';
}

/** The address of binary content, which is not read itself. */
interface AddressPlan {
  readonly kind: 'address';
}

/**
 * An array of the SOAP encoding that is an item of another: its children, of any name, are the
 * items.
 */
export interface ListPlan {
  readonly kind: 'list';
  readonly itemNonNull: boolean;
  readonly value: ValuePlan;
}

/** An element of any type, as JSON (a `JSON` scalar). */
export interface AnyPlan {
  readonly kind: 'any';
  /**
   * The element is of any name as well: a declaration of that name has its type. Absent: it is not.
   */
  readonly isNamed?: boolean;
  readonly types: AnyTypes;
}

/** The tables of a data set of .NET. */
export interface TablesPlan {
  readonly kind: 'tables';
  readonly types: AnyTypes;
  /** The name of the GraphQL type of a table. */
  readonly typeName: string;
  /** What is shown of each table, by response key. */
  readonly fields: readonly {
    readonly key: string;
    readonly field: 'name' | 'rows' | 'before' | 'typeName';
  }[];
}

/** An element with structure. Its plan depends on its type at run time. */
export interface ObjectPlan {
  readonly kind: 'object';
  /**
   * Maps the `typeKey` of xsi:type to its variant. An element without xsi:type takes `declared`; an
   * unknown type takes it as well, unless `declaredType` is set.
   */
  readonly variants: Variants<ObjectVariant>;
  /**
   * Null when the declared type is abstract: then an element without a known xsi:type is invalid.
   */
  readonly declared: ObjectVariant | null;
  /**
   * The `typeKey` of the declared type, '' for one without a name: an element with the xsi:type of
   * neither it nor a variant is invalid. Absent: such an element is read as the declared type, as
   * in an encoding, where stacks name types freely.
   */
  readonly declaredType?: string | undefined;
}

export interface ObjectVariant {
  /** In the order of the response. */
  readonly slots: readonly FieldSlot[];
  /** Points that each such object adds to `Decoded.points`; 0 by default. */
  readonly weight?: number;
  /**
   * Positions of child elements, by which a value can be complete before the end; absent: anywhere.
   */
  readonly order?: ChildPositions;
}

/** One response key and its source in the element. Two aliases of one field are two slots. */
export interface FieldSlot {
  /** The response key. */
  readonly key: string;
  /** The name of the field, where its key is an alias; absent: the key. */
  readonly name?: string;
  readonly source: SlotSource;
  readonly list: boolean;
  /** The key may not be null: a missing value makes the object null (GraphQL section 6.4.4). */
  readonly nonNull: boolean;
  /** For lists: an item may not be null. */
  readonly itemNonNull: boolean;
  readonly value: ValuePlan;
  /**
   * The elements around the value, outermost first; absent: none. `source` is inside the last one.
   */
  readonly lift?: readonly LiftStep[];
  /** The name under which the lengths of these lists are reported; absent: they are not. */
  readonly listName?: string;
}

interface NamedChild {
  readonly name: QName;
  /** Only this occurrence of the child, counted from 0. */
  readonly occurrence?: number;
  /**
   * The value of an element, or of an item, that is present and empty (XSD 1.0 part 1 section
   * 3.3.1).
   */
  readonly default: string | null;
  /**
   * The wildcards of the same content: an element they allow is this child only by its exact name.
   */
  readonly wildcards?: readonly Wildcard[];
}

export type SlotSource =
  /**
   * Child elements of this name. For lists: every one is an item, none is []. An absent element is
   * null.
   */
  | (NamedChild & { readonly from: 'child' })
  /**
   * A child element whose children `item` are the items; absent or nil is null, present and empty
   * is []. Where `item` is null, children of any name are (arrays of the SOAP encoding, SOAP 1.1
   * section 5.4.2).
   */
  | (NamedChild & { readonly from: 'wrapped list'; readonly item: QName | null })
  /**
   * The child elements of this element, whatever their names: an array that is not unwrapped.
   * Always a list.
   */
  | { readonly from: 'items' }
  /**
   * Child elements with none of these names, or a further one of `once`: content of the wildcards.
   * A list.
   */
  | {
      readonly from: 'rest';
      readonly except: readonly QName[];
      readonly once: readonly QName[];
      readonly wildcards: readonly Wildcard[];
    }
  /**
   * Child elements of a choice: each is read as the object of its branch, whose own slots are
   * filled from that very element (`self`, for one). The slot's value plays no part.
   */
  | { readonly from: 'choice'; readonly branches: readonly ChoiceBranch[] }
  /**
   * Child elements of a group that is repeated: a list, its items objects whose slots are filled
   * from one repetition.
   */
  | {
      readonly from: 'group';
      readonly group: RepeatedGroup;
      readonly wildcards?: readonly Wildcard[];
    }
  | { readonly from: 'attribute'; readonly name: QName; readonly default: string | null }
  /** The text of this element (simple content). */
  | { readonly from: 'text' }
  /** The name of this element, as `{namespace}name`. */
  | { readonly from: 'name' }
  /** A constant, by its lexical form: `__typename`. */
  | { readonly from: 'constant'; readonly value: string }
  /** Nothing: it is null for the reader of the plan, with an error where it is forbidden. */
  | { readonly from: 'withheld'; readonly isForbidden: boolean }
  /** The element itself read as another object, for groups that exist in GraphQL only. */
  | { readonly from: 'self' }
  /** The attachment of the message that is this part of the WSDL. */
  | { readonly from: 'attachment'; readonly part: string }
  /**
   * The Header of the message: its blocks are the children of this object. Of the outermost object
   * alone.
   */
  | { readonly from: 'header' };

interface ChoiceBranch {
  readonly name: QName;
  readonly value: ObjectPlan;
}

/** The reply of one operation. */
export interface ReplyPlan {
  /**
   * The (first) child of Body that answers this operation. Its local name alone decides where `uri`
   * is null.
   */
  readonly element: { readonly uri: string | null; readonly local: string };
  /**
   * `unwrap`: the one slot's value is the answer. `whole`: the object is. `done`: `true` as soon as
   * it answered.
   */
  readonly shape: 'unwrap' | 'whole' | 'done';
  readonly value: ObjectPlan;
  /** Whether a null answer is null (false) or must propagate to the parent (true). */
  readonly nonNull: boolean;
  /** Elements may stand for others (`Ref` of .NET). */
  readonly hasReferences?: boolean;
  /** How the Faults that the operation declares are read. */
  readonly faults?: FaultPlans;
}

/** `data`: a declared Fault is the answer. `error`: it is an error, which holds its entry. */
export interface FaultPlans {
  readonly as: 'data' | 'error';
  readonly entries: readonly FaultPlan[];
  /** Fields are left out for the reader: nothing else of the detail is shown. */
  readonly isRestricted?: boolean;
}

export interface FaultPlan {
  readonly element: QName;
  /** Local names that the entry of the detail goes by. */
  readonly names: ReadonlySet<string>;
  readonly plan: ReplyPlan;
}

/** A decoded reply. Paths of its errors begin below the field's own response key. */
export interface Decoded {
  readonly value: unknown;
  /** The first few, in document order. */
  readonly errors: readonly DecodeError[];
  /** How many more there were. */
  readonly furtherErrors: number;
  /**
   * The reply is as its schema has it: all errors are about the rights of its reader. Absent: not
   * known.
   */
  readonly isValid?: boolean;
  /**
   * The weight of the objects that were read, also of those that a null has removed; absent:
   * unknown.
   */
  readonly points?: number;
  /** Lists that were read, by `Slot.listName`. */
  readonly lists?: ReadonlyMap<string, ListLengths>;
  /** Bytes of the reply, decoded; absent: unknown. */
  readonly replyBytes?: number;
  /** Upstream calls made for it: 1 by default, 0 where the answer was known. */
  readonly calls?: number;
  /** The failure after which the rest of the value is missing; absent: it is whole. */
  readonly restFailure?: unknown;
}

/** An error of a value in a reply, which is null for it. */
export interface DecodeError {
  readonly code:
    | 'UPSTREAM_SCHEMA_INVALID'
    | 'UPSTREAM_RESPONSE_LIMIT'
    | 'UPSTREAM_INVALID_RESPONSE'
    | 'VALUE_NOT_REPRESENTABLE'
    | 'GRAPHQL_UPSTREAM_ERROR'
    | 'FORBIDDEN';
  readonly path: readonly (string | number)[];
  /** Names the rule, never the value. */
  readonly rule: string;
  /** The backend's own message, for the client; absent: none. */
  readonly message?: string;
  /** The refusal of another gateway behind this one; absent: none. */
  readonly upstream?: UpstreamRefusal;
}

/** A refusal of another gateway, as its callers see it. */
export interface UpstreamRefusal {
  readonly code: string;
  readonly id: string;
}

/** How long the lists of one name were. */
interface ListLengths {
  /** Lists. */
  readonly count: number;
  /** Items of all of them. */
  readonly items: number;
  /** Items of the longest. */
  readonly longest: number;
}

/** A read-only map whose values may be made on demand. */
export interface Variants<V> {
  readonly size: number;
  get(type: string): V | undefined;
  keys(): Iterable<string>;
  values(): Iterable<V>;
}
