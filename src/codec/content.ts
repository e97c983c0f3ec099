import { never } from '../base/invariant.js';
import type { QName } from '../xml/events.js';
import { below, type InputPath, refuse } from './input-error.js';
import type { CodecLimits } from './limits.js';
import { type EncodeElement, type EncodeObject, LexicalError, type Scalar } from './plan.js';
import { XSI_URI } from './xsi.js';

/** What content is made of: written down first, so that every name is known before the first byte. */
export type Mark =
  | { readonly kind: 'open'; readonly name: QName }
  | { readonly kind: 'attribute'; readonly name: QName; readonly value: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'close' };

export type ReadonlyRecord = Readonly<Record<string, unknown>>;

export type EncodeLimits = Pick<CodecLimits, 'inputItems' | 'inputDepth' | 'stringChars'>;

/**
 * Turns a caller's values into marks, by plan. Its methods throw `InputError` with a path that begins with `root`.
 *
 * Input types may be recursive and values are the caller's, so there is no recursion: what is still to be done stands
 * on a stack.
 */
export class ContentMarker {
  readonly #limits: EncodeLimits;
  readonly #root: InputPath;
  #marks: Mark[] = [];
  readonly #tasks: Task[] = [];

  constructor(limits: EncodeLimits, root: string) {
    this.#limits = limits;
    this.#root = { above: null, step: root, depth: 1 };
  }

  /** One element that holds the caller's object. */
  object(name: QName, object: EncodeObject, value: ReadonlyRecord): readonly Mark[] {
    return this.#run([{ kind: 'object', name, object, value, path: this.#root }]);
  }

  /** The elements whose members the caller's object holds. */
  elements(elements: readonly EncodeElement[], value: ReadonlyRecord): readonly Mark[] {
    return this.#run(elements.flatMap((each) => this.#elementTasks(each, memberOf(value, each.key), this.#root)));
  }

  #run(first: readonly Task[]): readonly Mark[] {
    this.#marks = [];
    this.#postpone(first);
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      switch (task.kind) {
        case 'mark':
          this.#marks.push(task.mark);
          break;
        case 'scalar':
          this.#marks.push({ kind: 'open', name: task.name });
          this.#text(task.scalar, task.value, task.path);
          this.#marks.push(CLOSE);
          break;
        case 'object':
          this.#marks.push({ kind: 'open', name: task.name });
          this.#postpone([CLOSE_TASK]);
          this.#beginObject(task.object, task.value, task.path);
          break;
        default:
          never(task);
      }
    }
    return this.#marks;
  }

  /** Puts tasks before all others, in their order. */
  #postpone(tasks: readonly Task[]): void {
    for (const task of tasks.toReversed()) this.#tasks.push(task);
  }

  #beginObject(object: EncodeObject, value: unknown, path: InputPath): void {
    if (!isRecord(value)) refuse(path, 'must be an object');
    if (path.depth > this.#limits.inputDepth) refuse(path, 'nested deeper than allowed');
    for (const { key, name, fixed, required, scalar } of object.attributes) {
      const member = memberOf(value, key) ?? null;
      const lexical = fixed ?? (member === null ? null : this.#encode(scalar, member, below(path, key)));
      if (lexical !== null) this.#marks.push({ kind: 'attribute', name, value: lexical });
      else if (required) refuse(below(path, key), REQUIRED);
    }
    if (object.text !== null)
      this.#text(object.text.scalar, memberOf(value, object.text.key), below(path, object.text.key));
    for (const choice of object.choices) checkChoice(object, choice, value, path);
    this.#postpone(object.children.flatMap((each) => this.#elementTasks(each, memberOf(value, each.key), path)));
  }

  /** What one declared element becomes, in order: none, one or many elements. */
  #elementTasks(element: EncodeElement, value: unknown, above: InputPath): readonly Task[] {
    const { name, occurs, fixed, nillable, required } = element;
    if (fixed !== null) return [mark({ kind: 'open', name }), mark({ kind: 'text', value: fixed }), CLOSE_TASK];
    const path = below(above, element.key);
    if (value === undefined || value === null) {
      // Absent and null say the same, unless the schema can tell them apart.
      if (nillable && occurs !== 'many' && (value === null || required)) return nilTasks(name);
      if (required) refuse(path, REQUIRED);
      return [];
    }
    if (occurs === 'one') return [valueTask(element, name, value, path)];
    if (occurs === 'many') {
      const tasks = this.#itemTasks(element, name, nillable, value, path);
      if (required && tasks.length === 0) refuse(path, 'must have at least one item');
      return tasks;
    }
    const tasks = this.#itemTasks(element, occurs.wrapped, occurs.itemNillable === true, value, path);
    return [mark({ kind: 'open', name }), ...tasks, CLOSE_TASK];
  }

  #itemTasks(element: EncodeElement, name: QName, nillable: boolean, value: unknown, path: InputPath): readonly Task[] {
    if (!Array.isArray(value)) refuse(path, 'must be a list');
    const items: readonly unknown[] = value;
    if (items.length > this.#limits.inputItems) refuse(path, 'more items than allowed');
    return items.flatMap((item, index) => {
      if (item !== null && item !== undefined) return [valueTask(element, name, item, below(path, index))];
      if (!nillable) refuse(below(path, index), REQUIRED);
      return nilTasks(name);
    });
  }

  #text(scalar: Scalar, value: unknown, path: InputPath): void {
    if (value === null || value === undefined) refuse(path, REQUIRED);
    const text = this.#encode(scalar, value, path);
    if (text !== '') this.#marks.push({ kind: 'text', value: text });
  }

  #encode(scalar: Scalar, value: unknown, path: InputPath): string {
    if (typeof value === 'string' && value.length > this.#limits.stringChars) refuse(path, TOO_LONG);
    try {
      return scalar.encode(value);
    } catch (caught) {
      if (caught instanceof LexicalError) refuse(path, caught.message);
      throw caught;
    }
  }
}

type Task =
  | { readonly kind: 'mark'; readonly mark: Mark }
  | {
      readonly kind: 'object';
      readonly name: QName;
      readonly object: EncodeObject;
      readonly value: unknown;
      readonly path: InputPath;
    }
  | {
      readonly kind: 'scalar';
      readonly name: QName;
      readonly scalar: Scalar;
      readonly value: unknown;
      readonly path: InputPath;
    };

const CLOSE: Mark = { kind: 'close' };
const CLOSE_TASK: Task = { kind: 'mark', mark: CLOSE };
const NIL: Mark = { kind: 'attribute', name: { uri: XSI_URI, local: 'nil' }, value: 'true' };
const REQUIRED = 'a value is required';
const TOO_LONG = 'longer than allowed';

const mark = (given: Mark): Task => ({ kind: 'mark', mark: given });

const nilTasks = (name: QName): readonly Task[] => [mark({ kind: 'open', name }), mark(NIL), CLOSE_TASK];

function valueTask(element: EncodeElement, name: QName, value: unknown, path: InputPath): Task {
  const plan = element.value;
  if (plan.kind === 'scalar') return { kind: 'scalar', name, scalar: plan.scalar, value, path };
  return { kind: 'object', name, object: plan, value, path };
}

function checkChoice(object: EncodeObject, keys: readonly string[], value: ReadonlyRecord, path: InputPath): void {
  const given = keys.filter((key) => {
    const member = memberOf(value, key);
    if (member !== null) return member !== undefined;
    return object.children.some((child) => child.key === key && child.nillable);
  });
  if (given.length !== 1) refuse(path, `exactly one must be given of ${keys.join(', ')}`);
}

const isRecord = (value: unknown): value is ReadonlyRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The caller's own member of that name: never one that objects inherit. */
const memberOf = (value: ReadonlyRecord, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);
