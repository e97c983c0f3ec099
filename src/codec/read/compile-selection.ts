import { ELEMENTS_ONLY, type QName } from '../../xml/index.js';
import type {
  ChildTable,
  NamedSlots,
  SlotChild,
  SlotProgram,
  SlotSelection,
  VariantProgram,
} from './program.js';

/**
 * The children of a table as the reader takes them. Made when it first asks: slots of a list are
 * not complete before.
 */
export class TableSelection implements SlotSelection {
  readonly #named: ChildTable['named'];
  #children: readonly SlotChild[] | null = null;

  constructor(named: ChildTable['named']) {
    this.#named = named;
  }

  get children(): readonly SlotChild[] {
    this.#children ??= [...this.#named].flatMap(([local, entries]) =>
      entries.map((entry) => childOf(local, entry)),
    );
    return this.#children;
  }
}

function childOf(local: string, { uri, slots }: NamedSlots): SlotChild {
  const name: QName = { uri, local };
  const [slot] = slots;
  if (slot === undefined || slots.length > 1) {
    return { name, content: null, hasAttributes: false, slot: null };
  }
  if (slot.isLeaf) return { name, content: 'text', hasAttributes: false, slot };
  // The item of a wrapped list is filled by the slot of the list.
  if (slot.items !== null && slots !== itemSlots(slot.items)) {
    return { name, content: slot.items.selection, hasAttributes: false, slot };
  }
  return new ObjectChild(name, slot);
}

/**
 * A child that is an object. Its content is known once an element has been read by the scanners:
 * types that no reply has are not compiled.
 */
class ObjectChild implements SlotChild {
  readonly name: QName;
  readonly slot: SlotProgram;

  constructor(name: QName, slot: SlotProgram) {
    this.name = name;
    this.slot = slot;
  }

  get content(): SlotSelection | null {
    const variant = variantOf(this.slot);
    return variant === null ? null : contentOf(variant);
  }

  get hasAttributes(): boolean {
    const variant = variantOf(this.slot);
    return variant !== null && variant.attributes.length > 0;
  }
}

const itemSlots = ({ named }: ChildTable): readonly SlotProgram[] | null => {
  const [entries] = named.values();
  return entries?.[0]?.slots ?? null;
};

/** The variant of an element that names no type. */
const variantOf = ({ value, group }: SlotProgram): VariantProgram | null =>
  value.kind === 'object' && group === null ? value.declaredSoFar : null;

/** The selection of an object with one reading; null where its tag matters beyond attributes. */
function contentOf(variant: VariantProgram): SlotSelection | null {
  const isPlain =
    variant.interest === ELEMENTS_ONLY &&
    variant.selves.length === 0 &&
    !variant.attributes.some(({ isName }) => isName);
  return isPlain ? variant.children.selection : null;
}
