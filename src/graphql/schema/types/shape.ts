import type {
  FieldSlot,
  ReplyPlan,
  replyPlans,
  requestPlans,
  Scalar,
} from '../../../codec/index.js';
import type { QName } from '../../../xml/index.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { FieldRule } from '../rights/field-rule.js';

/**
 * The schema's table of replies: for every GraphQL type where its fields stand on the wire. Made
 * once with the schema; a selection picks its plan from here.
 */
export interface ReplyShape {
  readonly element: ReplyPlan['element'];
  readonly root: ReplyRoot;
  readonly nonNull: boolean;
  /** Elements may stand for others (`Ref` of .NET). */
  readonly hasReferences?: boolean;
  /** The Faults that the operation declares. */
  readonly faults?: FaultShapes;
  /**
   * Names of unions by the name of a type that is in them, for what an `ObjectShape` does not know.
   */
  readonly unions?: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * The rules of all fields of the service: Faults that are not declared may hold any. Absent:
   * none.
   */
  readonly everyRule?: FieldRule;
}

/**
 * `data`: selected like the answer, in a union with it. `error`: reported whole in the extensions
 * of an error.
 */
interface FaultShapes {
  readonly as: 'data' | 'error';
  readonly entries: readonly FaultShape[];
}

/** A declared entry of the detail of a Fault. */
export interface FaultShape {
  readonly element: QName;
  /** Local names that it goes by: that of its element, and that of the Fault. */
  readonly names: ReadonlySet<string>;
  /** As a member of a union. */
  readonly root: ReplyRoot;
  /** As JSON in an error; null where its type has no content. */
  readonly typed: ReplyRoot | null;
}

export type ReplyRoot =
  | { readonly kind: 'done' }
  | { readonly kind: 'unwrap'; readonly field: FieldShape }
  | { readonly kind: 'whole'; readonly shape: ElementShape };

/**
 * An element with structure: its declared type, and the types that may stand in for it, by
 * `typeKey`.
 */
export interface ElementShape {
  /** Null where the declared type is abstract. */
  readonly declared: ObjectShape | null;
  readonly variants: ReadonlyMap<string, ObjectShape>;
  /** As in `ObjectPlan`. */
  readonly declaredType?: string | undefined;
}

/** One GraphQL object type. */
export interface ObjectShape {
  readonly typeName: string;
  /** Names of the types a fragment may be on to apply: itself and its interfaces. */
  readonly conditions: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Points for each object; 1 by default. */
  readonly weight?: number;
  /** The positions of its elements on the wire; null or absent where nothing is known of them. */
  readonly order?: requestPlans.ChildPositions | null;
}

/** One field; the names and flags are those of `Slot`. */
export interface FieldShape extends Omit<FieldSlot, 'key' | 'name' | 'value'> {
  readonly value: ValueShape;
  /** The name of this list in observed lengths: type and field as in the mapping, `Order/line`. */
  readonly listName?: string;
  /** Points for each time it is selected of an object; 0 by default. */
  readonly weight?: number;
  /** Absent: every caller may read it. */
  readonly rule?: FieldRule;
}

export type ValueShape =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'opaque' }
  | { readonly kind: 'any'; readonly types: RuledTypes; readonly isNamed?: boolean }
  /** The tables of a data set. */
  | { readonly kind: 'tables'; readonly types: RuledTypes; readonly typeName: string }
  /** An array within an array. */
  | {
      readonly kind: 'list';
      readonly itemNonNull: boolean;
      readonly item: Exclude<ValueShape, { readonly kind: 'choice' }>;
    }
  | { readonly kind: 'object'; readonly shape: ElementShape }
  /**
   * One of several elements, each read as the object of its branch. Only with the source `choice`.
   */
  | { readonly kind: 'choice'; readonly branches: readonly BranchShape[] };

/** The types that values of any type may be of, and the rules of their fields. */
export interface RuledTypes extends replyPlans.AnyTypes {
  /** The rule that joins those of all types; null without any. */
  readonly rule: FieldRule | null;
  /** Returns the types for a kind of callers. */
  restricted(rights: FieldRights): replyPlans.AnyTypes;
}

/** An element that may stand in a choice. Its object is read from that element itself. */
export interface BranchShape {
  readonly name: QName;
  readonly shape: ElementShape;
}
