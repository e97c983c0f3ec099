import { scopeRules } from '../../../core/index.js';
import { NO_EXTENSIONS } from './extensions.js';

export const MASKS = ['last4', 'hash', 'null', 'remove'] as const;

/**
 * What replaces a value: its last characters, its keyed hash, null. With `remove` the field is left
 * out of the answer.
 */
export type Mask = (typeof MASKS)[number];

/**
 * The clients that may read a field, and those that read it masked. It stands in the extensions of
 * the field.
 */
export class FieldRule {
  /** As in the configuration: `Customer.iban`. */
  readonly name: string;
  /** Null: nothing. */
  readonly requires: scopeRules.Requirement | null;
  /** Maps the class of a client to the mask for it. */
  readonly masks: ReadonlyMap<string, Mask>;

  constructor(
    name: string,
    requires: scopeRules.Requirement | null,
    masks: ReadonlyMap<string, Mask> = NO_MASKS,
  ) {
    this.name = name;
    this.requires = requires;
    this.masks = masks;
  }
}

const NO_MASKS: ReadonlyMap<string, Mask> = new Map();

/** Both rules. Of two masks the one that reveals less counts. */
export function bothRules(one: FieldRule | null, other: FieldRule | null): FieldRule | null {
  if (one === null || other === null || one === other) return one ?? other;
  const masks = new Map(one.masks);
  for (const [name, mask] of other.masks) {
    const known = masks.get(name);
    masks.set(name, known === undefined || STRENGTH[mask] > STRENGTH[known] ? mask : known);
  }
  return new FieldRule(one.name, scopeRules.bothOf(one.requires, other.requires), masks);
}

/** How little each mask shows. */
export const STRENGTH: Readonly<Record<Mask, number>> = { last4: 0, hash: 1, null: 2, remove: 3 };

/**
 * The rule without its masks: for an operation, which has no value to be masked; null where it
 * requires nothing.
 */
export const withoutMasks = (rule: FieldRule | null): FieldRule | null =>
  rule === null || rule.requires === null ? null : new FieldRule(rule.name, rule.requires);

/** The description of a field with what its rule demands; names of classes are not shown. */
export function describedWith(
  description: string | null | undefined,
  rule: FieldRule | null,
): string | null {
  const required = rule?.requires == null ? null : scopeRules.describeRequirement(rule.requires);
  const masks = new Set(rule?.masks.values());
  const isLeftOut = masks.delete('remove');
  const sentences = [
    ...(required === null ? [] : [`Requires ${required}.`]),
    ...(masks.size === 0 ? [] : [`Some clients see it masked (${[...masks].join(', ')}).`]),
    ...(isLeftOut ? ['It is left out for some clients.'] : []),
  ];
  if (sentences.length === 0) return description ?? null;
  return [...(description ? [description] : []), sentences.join(' ')].join('\n\n');
}

/** A field of a schema. */
interface Ruled {
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The rule of a field; null without one. */
export function ruleOf(field: Ruled | undefined): FieldRule | null {
  const rule = field?.extensions?.['rule'];
  return rule instanceof FieldRule ? rule : null;
}

/**
 * The rules of what the value of a field may hold, where no other field shows it; null without one.
 */
export function ruleWithin(field: Ruled): FieldRule | null {
  const rule = field.extensions?.['ruleWithin'];
  return rule instanceof FieldRule ? rule : null;
}

/** The extensions of a field with this rule; `within`: of what its value may hold. */
export const ruleExtensions = (
  rule: FieldRule | null,
  within: FieldRule | null = null,
): Readonly<Record<string, FieldRule>> =>
  rule === null && within === null
    ? NO_EXTENSIONS
    : { ...(rule === null ? {} : { rule }), ...(within === null ? {} : { ruleWithin: within }) };
