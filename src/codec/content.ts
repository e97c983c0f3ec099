import { never } from '../base/invariant.js';
import type { QName } from '../xml/events.js';
import { InputError } from './input-error.js';
import { CODEC_LIMITS } from './limits.js';
import { type EncodeElement, type EncodeObject, LexicalError, type Scalar } from './plan.js';

/** What content is made of: written down first, so that every name is known before the first byte. */
export type Mark =
  | { readonly kind: 'open'; readonly name: QName }
  | { readonly kind: 'attribute'; readonly name: QName; readonly value: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'close' };

export type ReadonlyRecord = Readonly<Record<string, unknown>>;

/** The marks of one element for the caller's object `value`. Throws `InputError` with a path that begins with `root`. */
export function markObject(name: QName, object: EncodeObject, value: ReadonlyRecord, root: string): Mark[] {
  const task: Task = { kind: 'object', name, object, value, path: { above: null, step: root, depth: 1 } };
  return run([task]);
}

/** The marks of the elements whose members `value` holds. Throws `InputError` with a path that begins with `root`. */
export function markElements(elements: readonly EncodeElement[], value: ReadonlyRecord, root: string): Mark[] {
  const path: Path = { above: null, step: root, depth: 1 };
  const tasks = elements.flatMap((element) => elementTasks(element, memberOf(value, element.key), path));
  return run(tasks.reverse());
}

/** Where in the caller's value something is; printed only if it is refused. */
interface Path {
  readonly above: Path | null;
  readonly step: string | number;
  readonly depth: number;
}

type Task =
  | { readonly kind: 'mark'; readonly mark: Mark }
  | {
      readonly kind: 'object';
      readonly name: QName;
      readonly object: EncodeObject;
      readonly value: unknown;
      readonly path: Path;
    }
  | {
      readonly kind: 'scalar';
      readonly name: QName;
      readonly scalar: Scalar;
      readonly value: unknown;
      readonly path: Path;
    };

const CLOSE: Mark = { kind: 'close' };
const CLOSE_TASK: Task = { kind: 'mark', mark: CLOSE };
const NIL_NAME: QName = { uri: 'http://www.w3.org/2001/XMLSchema-instance', local: 'nil' };

/** Does the last task first. Input types may be recursive and values are the caller's: no recursion. */
function run(tasks: Task[]): Mark[] {
  const marks: Mark[] = [];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    switch (task.kind) {
      case 'mark':
        marks.push(task.mark);
        break;
      case 'scalar':
        marks.push({ kind: 'open', name: task.name }, ...textMarks(task.scalar, task.value, task.path), CLOSE);
        break;
      case 'object':
        marks.push({ kind: 'open', name: task.name });
        tasks.push(CLOSE_TASK);
        beginObject(task.object, task.value, task.path, marks, tasks);
        break;
      default:
        never(task);
    }
  }
  return marks;
}

function beginObject(object: EncodeObject, value: unknown, path: Path, marks: Mark[], tasks: Task[]): void {
  if (!isRecord(value)) refuse(path, 'must be an object');
  if (path.depth > CODEC_LIMITS.inputDepth.default) refuse(path, 'nested deeper than allowed');
  for (const attribute of object.attributes) {
    const member = attribute.fixed ?? memberOf(value, attribute.key) ?? null;
    const at = below(path, attribute.key);
    if (attribute.fixed !== null) marks.push({ kind: 'attribute', name: attribute.name, value: attribute.fixed });
    else if (member !== null)
      marks.push({ kind: 'attribute', name: attribute.name, value: encode(attribute.scalar, member, at) });
    else if (attribute.required) refuse(at, REQUIRED);
  }
  if (object.text !== null) {
    const { key, scalar } = object.text;
    marks.push(...textMarks(scalar, memberOf(value, key) ?? null, below(path, key)));
  }
  for (const choice of object.choices) checkChoice(object, choice, value, path);
  const children = object.children.flatMap((child) => elementTasks(child, memberOf(value, child.key), path));
  for (const task of children.reverse()) tasks.push(task);
}

/** What one declared element becomes, in order: none, one or many elements. */
function elementTasks(element: EncodeElement, value: unknown, above: Path): readonly Task[] {
  const { name, occurs, fixed } = element;
  if (fixed !== null) return [mark({ kind: 'open', name }), mark({ kind: 'text', value: fixed }), CLOSE_TASK];
  const path = below(above, element.key);
  if (value === undefined || value === null) {
    // Absent and null say the same, unless the schema can tell them apart.
    if (element.nillable && occurs !== 'many' && (value === null || element.required)) return nilTasks(name);
    if (element.required) refuse(path, REQUIRED);
    return [];
  }
  if (occurs === 'one') return [valueTask(element, name, value, path)];
  const items = itemsOf(value, path);
  const many = occurs === 'many';
  if (many && element.required && items.length === 0) refuse(path, 'must have at least one item');
  const itemName = many ? name : occurs.wrapped;
  const itemNillable = many ? element.nillable : occurs.itemNillable === true;
  const tasks = items.flatMap((item, index): readonly Task[] => {
    if (item !== null && item !== undefined) return [valueTask(element, itemName, item, below(path, index, 0))];
    if (!itemNillable) refuse(below(path, index, 0), REQUIRED);
    return nilTasks(itemName);
  });
  return many ? tasks : [mark({ kind: 'open', name }), ...tasks, CLOSE_TASK];
}

function valueTask(element: EncodeElement, name: QName, value: unknown, path: Path): Task {
  const plan = element.value;
  if (plan.kind === 'scalar') return { kind: 'scalar', name, scalar: plan.scalar, value, path };
  return { kind: 'object', name, object: plan, value, path };
}

function itemsOf(value: unknown, path: Path): readonly unknown[] {
  if (!Array.isArray(value)) refuse(path, 'must be a list');
  if (value.length > CODEC_LIMITS.inputItems.default) refuse(path, 'more items than allowed');
  return value;
}

function checkChoice(object: EncodeObject, keys: readonly string[], value: ReadonlyRecord, path: Path): void {
  const given = keys.filter((key) => {
    const member = memberOf(value, key);
    if (member !== null) return member !== undefined;
    return object.children.some((child) => child.key === key && child.nillable);
  });
  if (given.length !== 1) refuse(path, `exactly one must be given of ${keys.join(', ')}`);
}

const mark = (given: Mark): Task => ({ kind: 'mark', mark: given });

const nilTasks = (name: QName): readonly Task[] => [
  mark({ kind: 'open', name }),
  mark({ kind: 'attribute', name: NIL_NAME, value: 'true' }),
  CLOSE_TASK,
];

function textMarks(scalar: Scalar, value: unknown, path: Path): readonly Mark[] {
  if (value === null || value === undefined) refuse(path, REQUIRED);
  const text = encode(scalar, value, path);
  return text === '' ? [] : [{ kind: 'text', value: text }];
}

function encode(scalar: Scalar, value: unknown, path: Path): string {
  try {
    return scalar.encode(value);
  } catch (caught) {
    if (caught instanceof LexicalError) refuse(path, caught.message);
    throw caught;
  }
}

const REQUIRED = 'a value is required';

const isRecord = (value: unknown): value is ReadonlyRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The caller's own member of that name: never one that objects inherit. */
const memberOf = (value: ReadonlyRecord, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);

const below = (above: Path, step: string | number, levels = 1): Path => ({ above, step, depth: above.depth + levels });

function refuse(path: Path, rule: string): never {
  const steps: (string | number)[] = [];
  for (let at: Path | null = path; at !== null; at = at.above) steps.push(at.step);
  throw new InputError(steps.reverse(), rule);
}
