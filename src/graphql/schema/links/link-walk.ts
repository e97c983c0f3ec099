import { isRecord } from '../../../core/index.js';
import { HIDDEN } from '../feeds/hidden-slots.js';
import type { Walk } from './link.js';
import { feedValuesIn } from './link-plan.js';

/** A path in the response, linked from its end. */
export interface PathNode {
  readonly parent: PathNode | null;
  readonly step: string | number;
}

/** The position of an answer in the response. */
export interface AnswerPosition {
  readonly owner: Record<string, unknown>;
  readonly key: string;
  readonly place: PathNode;
}

/** The position of a link's answer. */
export interface LinkPosition extends AnswerPosition {
  /** The values that fill the arguments of the call. */
  readonly feedValues: Readonly<Record<string, unknown>>;
}

/** The path as a list. */
export function linkPath(place: PathNode | null): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at !== null; at = at.parent) {
    path.push(at.step);
  }
  return path.reverse();
}

/** The path without the end that is read for links only. */
export function visible(path: readonly (string | number)[]): readonly (string | number)[] {
  const hidden = path.findIndex((step) => typeof step === 'string' && step.startsWith(HIDDEN));
  return hidden === -1 ? path : path.slice(0, hidden);
}

/**
 * The positions of links in a value, in the order of the response. Only the keys of `walk` are
 * visited.
 */
export function linkPositionsIn(
  value: unknown,
  walk: Walk,
  place: PathNode,
): readonly LinkPosition[] {
  const positions: LinkPosition[] = [];
  const stack: Step[] = [{ value, walk, place, position: null }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.position !== null) {
      positions.push(step.position);
    } else {
      for (const inner of stepsBelow(step).reverse()) {
        stack.push(inner);
      }
    }
  }
  return positions;
}

interface Step {
  readonly value: unknown;
  readonly walk: Walk;
  readonly place: PathNode;
  /** Null for a step on the way to links. */
  readonly position: LinkPosition | null;
}

function stepsBelow({ value, walk, place: parent }: Step): Step[] {
  if (Array.isArray(value)) {
    return value.map((item, index) => ({
      value: item,
      walk,
      place: { parent, step: index },
      position: null,
    }));
  }
  if (!isRecord(value)) return [];
  return [...walk].map(([key, inner]): Step => {
    const held = value[key];
    const place = { parent, step: key };
    const feedValues = feedValuesIn(held);
    return {
      value: held,
      walk: inner,
      place,
      position: feedValues === null ? null : { owner: value, key, feedValues, place },
    };
  });
}

/** Copies a value along the way to links, so that they can be filled; other parts are shared. */
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
    } else if (isRecord(step.copy) && feedValuesIn(step.copy) === null) {
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
  // Like decoded answers: an alias may be the name of an inherited property.
  return isRecord(value) && feedValuesIn(value) === null
    ? Object.assign(Object.create(BARE), value)
    : value;
}

const BARE = Object.freeze(Object.create(null));
