import { collections, getOrMake } from '../../core/index.js';
import { namespaces, typeKey, type Wildcard } from '../../wsdl/index.js';
import { ALL, ELEMENTS_ONLY, type QName, SKIP, STREAM, type StartTag } from '../../xml/index.js';
import type { LiftStep } from '../plan/lift-step.js';
import type {
  FieldSlot,
  ObjectPlan,
  ObjectVariant,
  ReplyPlan,
  SlotSource,
  ValuePlan,
} from '../plan/reply/reply-plan.js';
import { decodedScalar, type Scalar, type ScalarValue } from '../plan/scalar.js';
import { typeNameOf } from '../plan/xsi.js';
import { TableSelection } from './compile-selection.js';
import {
  ANY,
  type ChildTable,
  LATER,
  type NamedSlots,
  type ObjectProgram,
  type SlotProgram,
  type ValueProgram,
  type VariantProgram,
} from './program.js';

/**
 * The program of a reply plan. Made once per plan and kept with it, so a plan that is used again
 * costs a look-up.
 */
export const programOf = ({ value }: ReplyPlan): ObjectProgram => compileObject(value);

/**
 * Namespaces whose types say no more of an object than that it is one: `xsd:anyType`, `enc:Struct`.
 */
const UNTYPED: ReadonlySet<string> = new Set([
  namespaces.XSD,
  ...namespaces.OLDER_XSD,
  ...namespaces.SOAP_ENCODINGS,
]);

class CompiledObject implements ObjectProgram {
  readonly kind = 'object';
  readonly #plan: ObjectPlan;
  /** Whether an xsi:type says anything. */
  readonly #isTyped: boolean;
  readonly #variants = new Map<string, VariantProgram>();
  /** One variant may stand for several types. */
  readonly #made = new Map<ObjectVariant, VariantProgram>();
  #declared: VariantProgram | null | undefined;

  constructor(plan: ObjectPlan) {
    this.#plan = plan;
    this.#isTyped = plan.variants.size > 0 || plan.declaredType !== undefined;
  }

  get declared(): VariantProgram | null {
    if (this.#declared === undefined) {
      this.#declared = this.#compiled(this.#plan.declared);
    }
    return this.#declared;
  }

  get declaredSoFar(): VariantProgram | null {
    return this.#declared ?? null;
  }

  variantOf(tag: StartTag): VariantProgram | null {
    const name = this.#isTyped ? typeNameOf(tag) : null;
    if (name === null) return this.declared;
    const key = typeKey(name);
    const known = this.#variants.get(key) ?? this.#addVariant(key);
    if (known !== null) return known;
    const { declaredType } = this.#plan;
    const isUnknown = declaredType !== undefined && key !== declaredType && !UNTYPED.has(name.uri);
    return isUnknown ? null : this.declared;
  }

  #addVariant(type: string): VariantProgram | null {
    const program = this.#compiled(this.#plan.variants.get(type) ?? null);
    if (program !== null) {
      this.#variants.set(type, program);
    }
    return program;
  }

  #compiled(variant: ObjectVariant | null): VariantProgram | null {
    if (variant === null) return null;
    const program = this.#made.get(variant) ?? compileVariant(variant);
    this.#made.set(variant, program);
    return program;
  }
}

interface NamedSlot {
  readonly name: QName;
  readonly slot: SlotProgram;
}

/**
 * Types that derive from one another share the plans of their common fields: shared plans are
 * compiled once.
 */
const compileObject = collections.makeOncePer(
  (plan: ObjectPlan): ObjectProgram => new CompiledObject(plan),
);

function compileVariant(variant: ObjectVariant): VariantProgram {
  const slots = variant.slots.map(compileSlot);
  const of = (from: SlotProgram['from']): readonly SlotProgram[] =>
    slots.filter((slot) => slot.from === from);
  const named = namedSlots(
    variant.slots.flatMap((slot, position) => {
      if (slot.source.from === 'choice') return choiceSlots(slot, position);
      const program = slots[position];
      return program === undefined ? [] : namesOf(slot).map((name) => ({ name, slot: program }));
    }),
    slots.flatMap((slot, position) => furtherSlots(variant.slots[position]?.source, slot)),
    variant.slots.flatMap(({ source }) => (source.from === 'rest' ? source.except : [])),
  );
  const items = of('items');
  const others = [...items, ...of('rest')];
  const [texts, addresses] = [
    of('text').filter(isRead),
    of('text').filter((slot) => !isRead(slot)),
  ];
  const isBinary = texts.some((slot) => slot.isBinary);
  return {
    slots,
    children: {
      named,
      any: others.length === 0 ? null : others,
      wildcards: wildcardsOf(variant),
      selection: others.length === 0 ? new TableSelection(named) : null,
    },
    attributes: of('attribute'),
    attachments: of('attachment'),
    elementNames: of('name'),
    // Blocks of the Header are read beside this: null stands for them until then.
    constants: [...of('constant'), ...of('header'), ...of('withheld')],
    anyItems: items,
    selves: of('self'),
    addresses,
    interest: isBinary
      ? STREAM
      : texts.length > 0
        ? ALL
        : named.size + others.length > 0
          ? ELEMENTS_ONLY
          : SKIP,
    unset: slots.map(() => undefined),
    weight: variant.weight ?? 0,
    order: variant.order ?? null,
    mayBeNil: slots.every(
      ({ nonNull, from, isItem }) =>
        !nonNull ||
        isItem ||
        from === 'attribute' ||
        from === 'name' ||
        from === 'constant' ||
        from === 'withheld',
    ),
    hasNames: texts.some(({ isName }) => isName),
    isBinary,
    counted: slots.filter((slot) => slot.listName !== null),
  };
}

const isRead = ({ value }: SlotProgram): boolean => value.kind !== 'address';

const NAMELESS: QName = { uri: '', local: '' };

function compileSlot(slot: FieldSlot, position: number): SlotProgram {
  const { source, lift = NO_LIFT } = slot;
  if (lift.length > 0) return compileLifted(slot, lift, position);
  const value = compileValue(slot.value);
  const group = source.from === 'group' ? source.group : null;
  const scalar = value.kind === 'scalar' ? value.scalar : null;
  const isOnce =
    'occurrence' in source && source.occurrence === 0 && source.wildcards !== undefined;
  const occurrence = 'occurrence' in source ? (source.occurrence ?? ANY) : ANY;
  const isSimple = scalar !== null && source.from !== 'wrapped list';
  const hasOwnReading =
    scalar?.name === 'Base64' || scalar?.name === 'QName' || scalar?.isReference === true;
  const program = {
    position,
    key: slot.key,
    fieldName: slot.name ?? slot.key,
    from: source.from,
    isLifted: false,
    name: 'name' in source ? source.name : (group?.names[0] ?? NAMELESS),
    part: source.from === 'attachment' ? source.part : '',
    occurrence,
    isOnce,
    list: slot.list,
    nonNull: slot.nonNull,
    itemNonNull: slot.itemNonNull,
    value,
    items: null,
    isItem: slot.list && source.from !== 'wrapped list',
    isSimple,
    isLeaf:
      isSimple &&
      source.from === 'child' &&
      !slot.list &&
      !hasOwnReading &&
      (isOnce || occurrence === ANY),
    isBinary: scalar?.name === 'Base64',
    isReference: scalar?.isReference === true,
    isName: scalar?.name === 'QName',
    isArray: source.from === 'items' || (source.from === 'wrapped list' && source.item === null),
    fallback: fallbackOf(slot.source, scalar),
    emptyText: 'default' in source && value.kind === 'object' ? (source.default ?? '') : '',
    listName: slot.listName ?? null,
    group,
  };
  if (source.from !== 'wrapped list') return program;
  const named = new Map<string, readonly NamedSlots[]>();
  const itself: SlotProgram[] = [];
  const others = source.item === null ? itself : null;
  if (source.item !== null) {
    named.set(source.item.local, [{ uri: source.item.uri, slots: itself }]);
  }
  const selection = source.item === null ? null : new TableSelection(named);
  const wrapped: SlotProgram = {
    ...program,
    items: { named, any: others, wildcards: [], selection },
  };
  itself.push(wrapped);
  return wrapped;
}

const NO_LIFT: readonly LiftStep[] = [];

/** The slot of the outermost element around a value, with the others inside. */
function compileLifted(
  { lift: _lift, ...slot }: FieldSlot,
  [outer, ...inner]: readonly LiftStep[],
  position: number,
): SlotProgram {
  if (outer === undefined) return compileSlot(slot, position);
  const { order, ...match } = outer;
  const slots = [{ ...slot, lift: inner }];
  const declared = order === undefined ? { slots } : { slots, order };
  const { key, name = key, nonNull } = slot;
  const around = compileSlot(
    {
      key,
      name,
      source: { from: 'child', ...match, default: null },
      list: false,
      nonNull,
      itemNonNull: false,
      value: { kind: 'object', variants: new Map(), declared },
    },
    position,
  );
  return { ...around, isLifted: true };
}

/** The slot for wildcard content, under the names whose first element fills a slot of its own. */
const furtherSlots = (source: SlotSource | undefined, rest: SlotProgram): readonly NamedSlot[] =>
  source?.from === 'rest'
    ? source.once.map((name) => ({ name, slot: { ...rest, occurrence: LATER } }))
    : [];

/** A slot for each branch, all with the same position. */
const choiceSlots = (slot: FieldSlot, position: number): readonly NamedSlot[] =>
  slot.source.from !== 'choice'
    ? []
    : slot.source.branches.map(({ name, value }) => ({
        name,
        slot: compileSlot({ ...slot, value }, position),
      }));

/** Lists nest as deep as the types of the WSDL, up to a bound. */
function compileValue(value: ValuePlan): ValueProgram {
  if (value.kind === 'object') return compileObject(value);
  if (value.kind !== 'list') return value;
  const source = { from: 'wrapped list', name: NAMELESS, item: null, default: null } as const;
  return {
    kind: 'list',
    slot: compileSlot(
      { key: '', nonNull: false, list: true, ...value, source, value: value.value },
      0,
    ),
  };
}

/**
 * The table by name. Elements named in `others` fill no slot: without their entry they would fill
 * those of `any`.
 */
function namedSlots(
  named: readonly NamedSlot[],
  further: readonly NamedSlot[],
  others: readonly QName[],
): ChildTable['named'] {
  const table = new Map<string, { readonly uri: string; readonly slots: SlotProgram[] }[]>();
  const slotsOf = ({ uri, local }: QName): SlotProgram[] => {
    const sameLocal = getOrMake(table, local, () => []);
    const known = sameLocal.find((candidate) => candidate.uri === uri);
    if (known !== undefined) return known.slots;
    const slots: SlotProgram[] = [];
    sameLocal.push({ uri, slots });
    return slots;
  };
  for (const { name, slot } of [...named, ...further]) {
    slotsOf(name).push(slot);
  }
  for (const name of others) {
    slotsOf(name);
  }
  return table;
}

/** The names of the elements that fill a slot; [] where it is not filled by name. */
function namesOf({ source, lift }: FieldSlot): readonly QName[] {
  const [outer] = lift ?? NO_LIFT;
  if (outer !== undefined) return [outer.name];
  if (source.from === 'group') return source.group.names;
  return source.from === 'child' || source.from === 'wrapped list' ? [source.name] : [];
}

/**
 * The wildcards of an object's content model: those of the first slot that has any, for all have
 * the same.
 */
function wildcardsOf({ slots }: ObjectVariant): readonly Wildcard[] {
  for (const { source, lift: [outer] = NO_LIFT } of slots) {
    if (outer?.wildcards !== undefined) return outer.wildcards;
    const isOwn = outer === undefined && 'wildcards' in source;
    if (isOwn && source.wildcards !== undefined) return source.wildcards;
  }
  return [];
}

/** The decoded default of a slot, or its constant; null where it has none. */
function fallbackOf(source: SlotSource, scalar: Scalar | null): ScalarValue | null {
  if (source.from === 'withheld') return source.isForbidden;
  const lexical =
    source.from === 'constant' ? source.value : 'default' in source ? source.default : null;
  return lexical === null || scalar === null ? null : decodedScalar(scalar, lexical);
}
