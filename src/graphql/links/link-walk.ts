import { isRecord } from '../../base/record.js';
import { markOf } from './link-plan.js';
import { HIDDEN } from './link-slots.js';
import type { Walk } from './walk.js';

/** A place in the response, from its end. */
export interface Place {
  readonly parent: Place | null;
  readonly step: string | number;
}

/** A place that the answer of a link is put into. */
export interface Site {
  readonly owner: Record<string, unknown>;
  readonly key: string;
  /** What was read for the call. */
  readonly mark: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

/** The path that a place has in the response; what is read for links only is not part of it. */
export function pathOf(place: Place | null): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at !== null; at = at.parent) path.push(at.step);
  return path.reverse();
}

/** A path as far as the response has it. */
export function visible(path: readonly (string | number)[]): readonly (string | number)[] {
  const hidden = path.findIndex((step) => typeof step === 'string' && step.startsWith(HIDDEN));
  return hidden === -1 ? path : path.slice(0, hidden);
}

/** The links in a value, in the order of the response. Only what leads to links is looked at. */
export function sitesOf(value: unknown, walk: Walk, place: Place): readonly Site[] {
  const sites: Site[] = [];
  const stack: Step[] = [{ value, walk, place, site: null }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.site !== null) sites.push(step.site);
    else for (const inner of stepsBelow(step).reverse()) stack.push(inner);
  }
  return sites;
}

interface Step {
  readonly value: unknown;
  readonly walk: Walk;
  readonly place: Place;
  /** Null where links are further below. */
  readonly site: Site | null;
}

function stepsBelow({ value, walk, place: parent }: Step): Step[] {
  if (Array.isArray(value)) {
    return value.map((item, index) => ({ value: item, walk, place: { parent, step: index }, site: null }));
  }
  if (!isRecord(value)) return [];
  return [...walk].map(([key, inner]): Step => {
    const held = value[key];
    const place = { parent, step: key };
    const mark = markOf(held);
    return { value: held, walk: inner, place, site: mark === null ? null : { owner: value, key, mark, place } };
  });
}

/** A copy in which links can be filled while the value stays as it is: what leads to no link is shared. */
export function copyAlong(value: unknown, walk: Walk): unknown {
  const copy = copied(value);
  const stack: { readonly copy: unknown; readonly walk: Walk }[] = [{ copy, walk }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (Array.isArray(step.copy)) {
      for (const [index, item] of step.copy.entries()) {
        const inner = copied(item);
        step.copy[index] = inner;
        stack.push({ copy: inner, walk: step.walk });
      }
    } else if (isRecord(step.copy) && markOf(step.copy) === null) {
      for (const [key, below] of step.walk) {
        if (below.size === 0) continue;
        const inner = copied(step.copy[key]);
        step.copy[key] = inner;
        stack.push({ copy: inner, walk: below });
      }
    }
  }
  return copy;
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  // As decoded answers are: a caller may give a key the name of what objects inherit.
  return isRecord(value) && markOf(value) === null ? Object.assign(Object.create(BARE), value) : value;
}

const BARE = Object.freeze(Object.create(null));
