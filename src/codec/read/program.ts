import type { Wildcard } from '../../wsdl/index.js';
import type { Interest, QName, StartTag, XmlHandler } from '../../xml/index.js';
import type { ChildPositions } from '../plan/lift-step.js';
import type { RepeatedGroup } from '../plan/reply/repeated-group.js';
import type { ListPlan, ObjectPlan, SlotSource, ValuePlan } from '../plan/reply/reply-plan.js';
import type { ScalarValue } from '../plan/scalar.js';

/*
 * A reply plan as the decoder has it: children by local name, slots by position.
 * `compile-program.ts` makes it.
 */

export type ValueProgram =
  | ObjectProgram
  | Exclude<ValuePlan, ObjectPlan | ListPlan>
  /** An array within an array; `slot` is that of its items. */
  | { readonly kind: 'list'; readonly slot: SlotProgram };

/** An object plan, compiled for each type of element when the first one is met. */
export interface ObjectProgram {
  readonly kind: 'object';
  /** For an element that names no type. */
  readonly declared: VariantProgram | null;
  /** `declared` where it has been compiled already, else null. */
  readonly declaredSoFar: VariantProgram | null;
  /**
   * The variant of an element by its xsi:type; null where that is unknown, or its type is abstract
   * and it names no other.
   */
  variantOf(tag: StartTag): VariantProgram | null;
}

export interface VariantProgram {
  readonly slots: readonly SlotProgram[];
  readonly children: ChildTable;
  readonly attributes: readonly SlotProgram[];
  readonly attachments: readonly SlotProgram[];
  /** Slots that hold the name of the element. */
  readonly elementNames: readonly SlotProgram[];
  /** And those that are withheld from the reader of the plan. */
  readonly constants: readonly SlotProgram[];
  /** Slots that are filled by children of any name. */
  readonly anyItems: readonly SlotProgram[];
  /** Slots that read the same element as another object. */
  readonly selves: readonly SlotProgram[];
  /** Slots with the address of the text. */
  readonly addresses: readonly SlotProgram[];
  readonly interest: Interest;
  /** As many `undefined` as there are slots: a copy is faster than a new array. */
  readonly unset: readonly undefined[];
  readonly weight: number;
  /** It may have nothing but attributes. */
  readonly mayBeNil: boolean;
  /** True if the text is a QName, or several. */
  readonly hasNames: boolean;
  /** True if the text is base64. */
  readonly isBinary: boolean;
  readonly order: ChildPositions | null;
  /** Lists whose lengths are reported. */
  readonly counted: readonly SlotProgram[];
}

export interface SlotProgram {
  /** The position in `VariantProgram.slots` and among the object's values. */
  readonly position: number;
  readonly key: string;
  readonly fieldName: string;
  readonly from: SlotSource['from'];
  /** The value is inside this object, which is not shown: that of its only slot. */
  readonly isLifted: boolean;
  /**
   * The name that the attribute, the child, or one child in the group has; empty for other sources.
   */
  readonly name: QName;
  /** The part of the WSDL that is its attachment; '' for other sources. */
  readonly part: string;
  /**
   * Which of the elements of its name fills it, from 0; `ANY`, or `LATER` for all but the first.
   */
  readonly occurrence: number;
  /** Only the first element of its name fills it. */
  readonly isOnce: boolean;
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly itemNonNull: boolean;
  readonly value: ValueProgram;
  /** The items of a wrapped list: this very slot. Null for other sources. */
  readonly items: ChildTable | null;
  /** Each element that fills it is an item. */
  readonly isItem: boolean;
  /** True if the value is simple, and is in the element that fills the slot. */
  readonly isSimple: boolean;
  /**
   * True if it is a single value that nothing but the text of one child decides, unless that has
   * attributes.
   */
  readonly isLeaf: boolean;
  /** True if the value is simple, in base64. */
  readonly isBinary: boolean;
  /** True if the value may name an attachment. */
  readonly isReference: boolean;
  /** True if the value is a QName, resolved by the namespaces in scope. */
  readonly isName: boolean;
  /**
   * True if the items are those of an array of the SOAP encoding, which may have positions of their
   * own.
   */
  readonly isArray: boolean;
  /**
   * The decoded default, or the constant; null where there is none. Of a withheld slot: whether
   * that is an error.
   */
  readonly fallback: ScalarValue | null;
  /** The text of an object whose element is empty: its default. */
  readonly emptyText: string;
  readonly listName: string | null;
  /** Each repetition is an item. */
  readonly group: RepeatedGroup | null;
}

/** The slots that child elements fill. */
export interface ChildTable {
  /** Maps local names to the slots that such children fill, one entry for each namespace. */
  readonly named: ReadonlyMap<string, readonly NamedSlots[]>;
  /** Those that every other child fills; null where there are none. */
  readonly any: readonly SlotProgram[] | null;
  /** Wildcards of the content model: an element they allow is matched by its exact name only. */
  readonly wildcards: readonly Wildcard[];
  /** What the reader selects by; null where children matter whatever their names. */
  readonly selection: SlotSelection | null;
}

/** The children that fill slots, by their names. */
export interface SlotSelection extends NonNullable<XmlHandler['selection']> {
  readonly children: readonly SlotChild[];
}

type ReadChild = NonNullable<XmlHandler['selection']>['children'][number];

export interface SlotChild extends ReadChild {
  /** The only slot that it fills; null where there are several, or none. */
  readonly slot: SlotProgram | null;
}

/** Slots of the elements of one namespace. */
export interface NamedSlots {
  readonly uri: string;
  readonly slots: readonly SlotProgram[];
}

export const ANY = -1;
export const LATER = -2;
