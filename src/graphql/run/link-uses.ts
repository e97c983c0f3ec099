import type { FieldSlot, ReplyPlan, replyPlans } from '../../codec/index.js';
import { getOrMake } from '../../core/index.js';
import { HIDDEN } from '../schema/feeds/hidden-slots.js';
import { type LinkSelection, linkIdOf, valuesOf } from '../schema/links/link-plan.js';
import type { EntityPlan } from './entity-plan.js';
import type { RootField, RootPlan } from './root-plan.js';

/** A link in the plan of an operation. */
export interface LinkUse {
  /** From the response key of the root, `[]` after each list: `orders[].customer`. */
  readonly path: string;
  readonly selection: LinkSelection;
}

/** Every link that the answer to a field of the root leads to, each before those beneath it. */
export function linkUses(
  { key, call, entities = null }: Pick<RootField, 'key' | 'call' | 'entities'>,
  links: RootPlan['links'],
): readonly LinkUse[] {
  if (entities !== null) return entityUses(key, entities, links);
  return call?.ask.kind === 'soap' ? usesIn(key, call.ask.reply, links) : [];
}

function usesIn(key: string, reply: ReplyPlan, links: RootPlan['links']): readonly LinkUse[] {
  const uses = new Map<string, LinkUse>();
  const seen = new Map<replyPlans.ObjectPlan, Set<string>>();
  // Recursion is as deep as the selection, which is limited.
  const inReply = (plan: ReplyPlan, path: string): void => {
    const faults = plan.faults?.as === 'data' ? plan.faults.entries.map((entry) => entry.plan) : [];
    for (const { shape, value } of [plan, ...faults]) {
      const slot = shape === 'unwrap' ? value.declared?.slots[0] : undefined;
      if (slot === undefined) {
        inObject(value, path);
      } else {
        inSlot({ ...slot, key: HIDDEN }, path, slot.key !== HIDDEN);
      }
    }
  };
  const inSlot = (slot: FieldSlot, path: string, isShown = !isHidden(slot)): void => {
    const inner =
      path + (isHidden(slot) ? '' : `.${slot.key}`) + (isShown && slot.list ? '[]' : '');
    const id = linkIdOf(slot);
    const selection = id === null ? undefined : links.get(id);
    if (selection === undefined) {
      for (const value of valuesOf(slot)) {
        if (value.kind === 'object') {
          inObject(value, inner);
        }
      }
    } else if (!uses.has(`${inner} ${id}`)) {
      uses.set(`${inner} ${id}`, { path: inner, selection });
      const { ask } = selection.target;
      if (ask.kind === 'soap') {
        inReply(ask.reply, inner + (selection.link.batch?.isGrouped === true ? '[]' : ''));
      }
    }
  };
  const inObject = (plan: replyPlans.ObjectPlan, path: string): void => {
    const paths = getOrMake(seen, plan, () => new Set());
    if (paths.has(path)) return;
    paths.add(path);
    for (const variant of plan.variants.values()) {
      for (const slot of variant.slots) {
        inSlot(slot, path);
      }
    }
    for (const slot of plan.declared?.slots ?? []) {
      inSlot(slot, path);
    }
  };
  inReply(reply, key);
  return [...uses.values()];
}

/** The links of the keys of `_entities`, each before those beneath it. */
function entityUses(
  key: string,
  { types }: EntityPlan,
  links: RootPlan['links'],
): readonly LinkUse[] {
  return [...types].flatMap(([type, keys]) =>
    keys.flatMap(({ key: { fields }, id }): readonly LinkUse[] => {
      const selection = links.get(id);
      if (selection === undefined) return [];
      const { ask } = selection.target;
      const path = `${key}[] on ${type} by ${fields}`;
      const below = ask.kind === 'soap' ? usesIn(`${key}[] on ${type}`, ask.reply, links) : [];
      return [{ path, selection }, ...below];
    }),
  );
}

const isHidden = ({ key }: FieldSlot): boolean => key.startsWith(HIDDEN);
