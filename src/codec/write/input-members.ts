import { collections, isRecord } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import type {
  EncodeElement,
  EncodeObject,
  EncodeValue,
  EncodeVariant,
  EncodeVariants,
} from '../plan/request/encode-plan.js';
import { type InputPath, refuseInput } from './input-error.js';

/** An object of the client, by member name. */
export type ReadonlyRecord = Readonly<Record<string, unknown>>;

/** The client's own member of that name: never one that objects inherit. */
export const memberOf = (value: ReadonlyRecord, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** Whether nothing is written for an absent member. */
export const isOmittable = ({ required, fixed, source, always }: EncodeElement): boolean =>
  !required && fixed === null && source === undefined && always !== true;

/** The occurrence rule that a list of so many items breaks, or null. */
export function brokenCount({ counts, occurs }: EncodeElement, items: number): string | null {
  if (counts === undefined) return null;
  const isAbsent = occurs === 'many' && items === 0;
  if (items < counts.min && !isAbsent) return `must have at least ${itemsOf(counts.min)}`;
  return items > counts.max ? `must have at most ${itemsOf(counts.max)}` : null;
}

const itemsOf = (count: number): string => (count === 1 ? 'one item' : `${count} items`);

/** The one member, whose name is that of the element's type. */
export function variantOf(
  plan: EncodeVariants,
  value: unknown,
  path: InputPath,
): readonly [string, EncodeVariant] {
  if (!isRecord(value)) {
    refuseInput(path, 'must be an object');
  }
  const present = Object.keys(value).filter((key) => (value[key] ?? null) !== null);
  const [key, ...others] = present;
  const variant = key === undefined ? undefined : plan.members.get(key);
  if (key === undefined || variant === undefined || others.length > 0) {
    const known = [...plan.members.keys()];
    const shown = known.length > SHOWN ? [...known.slice(0, SHOWN), '...'] : known;
    refuseInput(path, `exactly one must be provided of ${shown.join(', ')}`);
  }
  return [key, variant];
}

const SHOWN = 20;

/**
 * Whether a choice counts the member: not null, unless the element can be nil, and not an empty
 * list of elements, which replies have for the branches that were not taken.
 */
export function isPresent(object: EncodeObject, key: string, member: unknown): boolean {
  if (member === undefined) return false;
  if (member === null) return shapesOf(object).nillable.has(key);
  return !Array.isArray(member) || member.length > 0 || !shapesOf(object).many.has(key);
}

/** The members that can be nil. */
export const nillableOf = (object: EncodeObject): ReadonlySet<string> => shapesOf(object).nillable;

interface Shapes {
  readonly nillable: ReadonlySet<string>;
  readonly many: ReadonlySet<string>;
}

/** Made once for a plan: a choice may be long, and a list may have many objects with one. */
const shapesOf = collections.makeOncePer((object: EncodeObject): Shapes => {
  const many = new Set<string>();
  const nillable = new Set<string>();
  for (const element of object.children) {
    if (element.occurs === 'many') {
      many.add(element.key);
    } else if (element.nillable || nullTextOf(element.value) !== undefined) {
      nillable.add(element.key);
    }
  }
  return { nillable, many };
});

/** The text that is written for null; undefined where none is. */
export const nullTextOf = (value: EncodeValue): string | undefined =>
  value.kind === 'scalar' ? value.scalar.nullText : undefined;

/**
 * The type that a nil element must name, null for the declared one, and the plan of its attributes;
 * null: it has none.
 */
export interface NilForm {
  readonly type: QName | null;
  readonly plan: EncodeValue | null;
}

/** The form of a nil item, or of an element that is no list. */
export function nilForm(value: EncodeValue): NilForm {
  if (value.kind !== 'variants') return { type: null, plan: value };
  const variants = [...value.members.values()];
  const chosen =
    variants.find(({ type }) => type === null) ??
    variants.find((each) => needsNothing(each.value)) ??
    variants[0];
  return { type: chosen?.type ?? null, plan: chosen?.value ?? value };
}

/** The form of a nil element; the wrapper of a list has no attributes. */
export const nilFormOf = ({ occurs, value }: EncodeElement): NilForm =>
  typeof occurs === 'object' ? { type: null, plan: null } : nilForm(value);

/** Whether an element may be nil without attributes of the client. */
export function canBeNil(element: EncodeElement): boolean {
  const { plan } = nilFormOf(element);
  return plan === null || needsNothing(plan);
}

const needsNothing = (value: EncodeValue): boolean =>
  value.kind !== 'object' ||
  value.attributes.every(
    ({ required, fixed, source }) => !required || fixed !== null || source !== undefined,
  );
