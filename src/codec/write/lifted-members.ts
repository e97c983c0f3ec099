import { collections, isRecord } from '../../core/index.js';
import type { LiftedMember } from '../plan/lift-step.js';
import { below, type InputPath, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';

/**
 * The object with each lifted member inside the elements that it is written in, and the paths of
 * these for errors.
 */
export function putLifted(
  lifts: readonly LiftedMember[],
  value: ReadonlyRecord,
  path: InputPath,
): { readonly value: ReadonlyRecord; readonly path: InputPath } {
  const members = lifts.map(({ key, steps }) => ({ steps, at: below(path, key) }));
  let made: ReadonlyRecord = value;
  for (const [index, lift] of lifts.entries()) {
    const at = members[index]?.at ?? path;
    const given = memberOf(value, lift.key);
    if (given === undefined || (given === null && !lift.writesNull)) continue;
    made = withMember(made, lift.steps, given, at);
  }
  return { value: made, path: { ...path, moved: movedPaths(members, path) } };
}

interface MovedMember {
  readonly steps: readonly string[];
  readonly at: InputPath;
}

/** Values inside have the path of the argument that they come from. */
function movedPaths(
  members: readonly MovedMember[],
  above: InputPath,
): ReadonlyMap<string, InputPath> {
  const byStep = new Map<string, MovedMember[]>();
  for (const {
    steps: [first = '', ...rest],
    at,
  } of members) {
    collections.addToGroup(byStep, first, { steps: rest, at });
  }
  return new Map(
    [...byStep].map(([step, inner]) => {
      const whole = inner.find(({ steps }) => steps.length === 0);
      if (whole !== undefined) return [step, whole.at] as const;
      return [step, { ...below(above, step), moved: movedPaths(inner, above) }] as const;
    }),
  );
}

/** A copy of the object with the member at these steps, which are as many as the mapping has. */
function withMember(
  object: ReadonlyRecord,
  [step = '', ...rest]: readonly string[],
  member: unknown,
  at: InputPath,
): ReadonlyRecord {
  const known = memberOf(object, step) ?? undefined;
  if (rest.length === 0) {
    if (known !== undefined) {
      refuseInput(at, `is given as \`${step}\` as well`);
    }
    return { ...object, [step]: member };
  }
  const inner = known ?? {};
  return isRecord(inner) ? { ...object, [step]: withMember(inner, rest, member, at) } : object;
}
