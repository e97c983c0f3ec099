import { stepsOf } from '../input/input-mapping.js';
import { bothRules, type FieldRule, withoutMasks } from '../rights/field-rule.js';
import type { ReplyPath } from '../types/paging.js';
import type { FieldShape, ObjectShape, ReplyRoot } from '../types/shape.js';

/** A path that leads to nothing. */
interface LostPath {
  readonly what: string;
  /** The names that are there. */
  readonly known: readonly string[];
  readonly written: string;
}

/** A path that was followed: the value at its end, and the rules of all fields on the way. */
interface FoundPath extends ReplyPath {
  readonly rules: FieldRule | null;
  readonly isMasked: boolean;
}

export const isLostReplyPath = (path: FoundPath | LostPath): path is LostPath => 'written' in path;

/**
 * Follows a path of XML names in a reply. A reply that is one field is followed with or without its
 * name.
 */
export function replyPath(root: ReplyRoot, path: string): FoundPath | LostPath {
  const written = [...stepsOf(path)];
  if (root.kind === 'done') return { what: 'The reply has no content.', known: [], written: path };
  let field: FieldShape | null = null;
  const passed: FieldShape[] = [];
  const steps: string[] = [];
  const take = (next: FieldShape): void => {
    field = next;
    passed.push(next);
    const { source } = next;
    // The items of a wrapped list may be named too.
    if (
      source.from === 'wrapped list' &&
      source.item !== null &&
      source.item.local === written[0]
    ) {
      written.shift();
    }
  };
  if (root.kind === 'unwrap') {
    if (written.length > 0 && isNamed(root.field, null, written[0])) {
      written.shift();
    }
    take(root.field);
  }
  for (let step = written.shift(); step !== undefined; step = written.shift()) {
    const object = field === null ? wholeOf(root) : objectOf(field);
    if (object === null) {
      const known = field === null ? [] : itemNames(field);
      return { what: `There is no \`${step}\` inside.`, known, written: step };
    }
    const found = [...object.fields].find(([name, each]) => isNamed(each, name, step));
    if (found === undefined) {
      const known = [...object.fields].map(([name, each]) => xmlNameOf(each) ?? name);
      return { what: `The reply has no \`${step}\` there.`, known, written: step };
    }
    steps.push(found[0]);
    take(found[1]);
  }
  if (field === null) return { what: 'The path is empty.', known: [], written: path };
  const rules = passed.map(({ rule }) => rule ?? null);
  return {
    steps,
    field,
    rules: rules.reduce((all: FieldRule | null, rule) => bothRules(all, withoutMasks(rule)), null),
    isMasked: rules.some((rule) => (rule?.masks.size ?? 0) > 0),
  };
}

const itemNames = ({ source }: FieldShape): readonly string[] =>
  source.from === 'wrapped list' && source.item !== null ? [source.item.local] : [];

const wholeOf = (root: ReplyRoot): ObjectShape | null =>
  root.kind === 'whole' ? root.shape.declared : null;

const objectOf = ({ value, list }: FieldShape): ObjectShape | null =>
  value.kind === 'object' && !list ? value.shape.declared : null;

/**
 * The name of the element or attribute that a field is read from; null where it has none of its
 * own.
 */
function xmlNameOf({ source, lift }: FieldShape): string | null {
  if (lift !== undefined) return null;
  if (source.from === 'attribute') return `@${source.name.local}`;
  return source.from === 'child' || source.from === 'wrapped list' ? source.name.local : null;
}

/** Whether a step names a field. An element goes before an attribute of the same name. */
const isNamed = (field: FieldShape, name: string | null, step: string | undefined): boolean => {
  const own = xmlNameOf(field);
  return own === null ? name === step : own === step || own === `@${step}`;
};
