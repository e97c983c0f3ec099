import { never } from '../../base/invariant.js';
import { isRecord } from '../../base/record.js';
import type { QName } from '../../xml/events.js';
import { resolveRange } from '../plan/item-range.js';
import type {
  EncodeArray,
  EncodeElement,
  EncodeObject,
  EncodeSource,
  EncodeValue,
  EncodeVariants,
} from '../plan/plan.js';
import { addXml, type Lets } from './add-xml.js';
import { brokenChoice } from './branches.js';
import { arrayMarks, itemElement, NIL, TYPE, typeOfXml } from './encoding.js';
import { brokenCount, isGiven, isSilent, memberOf, type ReadonlyRecord, variantOf, whenNil } from './given.js';
import { below, type InputPath, refuse } from './input-error.js';
import { type EncodeLimits, LeafMarker, REQUIRED } from './leaves.js';
import { CLOSE, type Mark } from './marks.js';
import { NO_CONTEXT, type RequestContext } from './source.js';

/** What else decides how content is written. */
export interface MarkerOptions {
  readonly limits: EncodeLimits;
  readonly context?: RequestContext;
  /** The namespace of the SOAP encoding, where the message is encoded; else null. */
  readonly encodingUri?: string | null;
}

/**
 * Turns a caller's values into marks, by plan. Its methods throw `InputError` with a path that begins with `root`.
 *
 * Input types may be recursive and values are the caller's, so there is no recursion: what is still to be done stands
 * on a stack.
 */
export class ContentMarker {
  readonly #limits: EncodeLimits;
  readonly #leaves: LeafMarker;
  readonly #encodingUri: string | null;
  readonly #root: InputPath;
  #marks: Mark[] = [];
  readonly #tasks: Task[] = [];

  constructor(options: MarkerOptions, root: string) {
    this.#limits = options.limits;
    this.#leaves = new LeafMarker(options.limits, options.context ?? NO_CONTEXT);
    this.#encodingUri = options.encodingUri ?? null;
    this.#root = { above: null, step: root, depth: 1 };
  }

  /** One element that holds the caller's object, `first` before all else. Without a name, what it holds and no more. */
  object(name: QName | null, plan: EncodeObject, value: ReadonlyRecord, first: readonly Mark[] = []): readonly Mark[] {
    this.#marks = name === null ? [] : [{ kind: 'open', name }, ...first];
    this.#beginObject(plan, value, this.#root, name);
    this.#run();
    if (name !== null) this.#marks.push(CLOSE);
    return this.#marks;
  }

  /** The elements whose members the caller's object holds. */
  elements(elements: readonly EncodeElement[], value: ReadonlyRecord): readonly Mark[] {
    this.#marks = [];
    this.#postpone(elements, value, this.#root);
    this.#run();
    return this.#marks;
  }

  #run(): void {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      switch (task.kind) {
        case 'mark':
          this.#marks.push(task.mark);
          break;
        case 'member':
          this.#member(task.element, task.value, task.path);
          break;
        case 'element':
          this.#element(task.element, task.name, task.value, task.path);
          break;
        default:
          never(task);
      }
    }
  }

  /** Puts the members of an object before everything else that is to be done. */
  #postpone(elements: readonly EncodeElement[], value: ReadonlyRecord, path: InputPath): void {
    for (let at = elements.length - 1; at >= 0; at--) {
      const element = elements[at];
      if (element === undefined) continue;
      const member = memberOf(value, element.key);
      if (member === undefined && isSilent(element)) continue;
      this.#tasks.push({ kind: 'member', element, value: member, path });
    }
  }

  #beginObject(object: EncodeObject, value: unknown, path: InputPath, name: QName | null): void {
    if (!isRecord(value)) refuse(path, 'must be an object');
    if (path.depth > this.#limits.inputDepth) refuse(path, 'nested deeper than allowed');
    for (const attribute of object.attributes) this.#put(this.#leaves.attribute(attribute, value, path));
    const { text, xml, variant } = object;
    if (variant !== undefined)
      this.#instead(variant.value, memberOf(value, variant.key), name, below(path, variant.key));
    if (text !== null) this.#put(this.#leaves.text(text.scalar, memberOf(value, text.key), below(path, text.key)));
    if (xml !== undefined) this.#xml(memberOf(value, xml), name, below(path, xml), null);
    const broken = brokenChoice(object, (key) => isGiven(object, key, memberOf(value, key)));
    if (broken !== null) refuse(path, broken);
    this.#postpone(object.children, value, path);
  }

  /** What one declared element becomes, in order: none, one or many elements. */
  #member(element: EncodeElement, given: unknown, above: InputPath): void {
    const { name, occurs, fixed, nillable, required } = element;
    if (fixed !== null) {
      this.#open(element, name);
      if (fixed !== '') this.#marks.push({ kind: 'text', value: fixed });
      this.#marks.push(CLOSE);
      return;
    }
    const path = below(above, element.key);
    const value = element.always === true ? (given ?? {}) : given;
    if (element.source !== undefined) {
      this.#sourced(element, element.source, path);
      return;
    }
    if (value === undefined || value === null) {
      // Absent and null say the same, unless the schema can tell them apart.
      if (nillable && occurs !== 'many' && (value === null || required)) this.#nil(element, name, path);
      else if (required) refuse(path, REQUIRED);
      return;
    }
    if (occurs === 'one') this.#element(element, name, value, path);
    else if (occurs === 'many') {
      if (Array.isArray(value) && value.length === 0 && required) refuse(path, 'must have at least one item');
      this.#items(element, name, nillable, value, path);
    } else {
      this.#marks.push({ kind: 'open', name });
      this.#tasks.push(CLOSE_TASK);
      this.#items(element, occurs.wrapped, occurs.itemNillable === true, value, path);
    }
  }

  #sourced(element: EncodeElement, source: EncodeSource, path: InputPath): void {
    const { value, required, name } = element;
    if (value.kind !== 'scalar') throw new TypeError('only a scalar comes from elsewhere');
    const lexical = this.#leaves.sourced(source, value.scalar, required, path);
    if (lexical === null) return;
    this.#open(element, name);
    if (lexical !== '') this.#marks.push({ kind: 'text', value: lexical });
    this.#marks.push(CLOSE);
  }

  #items(element: EncodeElement, name: QName, nillable: boolean, value: unknown, path: InputPath): void {
    const items = this.#listOf(value, path);
    const broken = brokenCount(element, items.length);
    if (broken !== null) refuse(path, broken);
    const [from, to] =
      element.itemRange === undefined ? [0, items.length] : resolveRange(element.itemRange, items.length);
    const tasks = items.slice(from, to).map((item, at): Task => {
      const index = from + at;
      if (item !== null && item !== undefined) {
        return { kind: 'element', element, name, value: item, path: below(path, index) };
      }
      if (!nillable) refuse(below(path, index), REQUIRED);
      return { kind: 'element', element, name, value: null, path: below(path, index) };
    });
    this.#later(tasks);
  }

  #later(tasks: readonly Task[]): void {
    for (let at = tasks.length - 1; at >= 0; at--) {
      const task = tasks[at];
      if (task !== undefined) this.#tasks.push(task);
    }
  }

  #listOf(value: unknown, path: InputPath): readonly unknown[] {
    if (!Array.isArray(value)) refuse(path, 'must be a list');
    if (value.length > this.#limits.inputItems) refuse(path, 'more items than allowed');
    return value;
  }

  /** One element that is there; null is nil. */
  #element(element: EncodeElement, name: QName, value: unknown, path: InputPath): void {
    if (value === null) {
      this.#nil(element, name, path);
      return;
    }
    if (element.transparent === true) {
      if (element.value.kind === 'object') this.#beginObject(element.value, value, path, null);
      else this.#xml(value, null, path, null, element.wildcards);
      return;
    }
    if (element.value.kind !== 'variants') {
      this.#open(element, name);
      this.#tasks.push(CLOSE_TASK);
      this.#content(element.value, name, value, path, element.typeName);
      return;
    }
    this.#marks.push({ kind: 'open', name });
    this.#tasks.push(CLOSE_TASK);
    this.#instead(element.value, value, name, path, element.typeName ?? null);
  }

  /** The type that the caller chose, and what an element of it holds. */
  #instead(plan: EncodeVariants, value: unknown, name: QName | null, path: InputPath, declared: QName | null = null) {
    const [key, variant] = variantOf(plan, value, path);
    const inner = isRecord(value) ? memberOf(value, key) : null;
    const isOwn = this.#encodingUri === null || variant.value.kind === 'xml';
    const type = variant.type ?? (isOwn ? null : declared);
    if (type !== null) this.#marks.push(TYPE(type));
    this.#content(variant.value, name, inner, below(path, key), variant.type === null ? declared : null);
  }

  /**
   * An element whose type is abstract must say which other it has even then (XSD 1.0 part 1 section 3.3.4), and what
   * attributes its type requires it has all the same.
   */
  #nil({ value }: EncodeElement, name: QName, path: InputPath): void {
    const { type, plan } = whenNil(value);
    this.#marks.push({ kind: 'open', name });
    if (type !== null) this.#marks.push(TYPE(type));
    if (plan.kind === 'object') for (const each of plan.attributes) this.#put(this.#leaves.attribute(each, {}, path));
    this.#marks.push(NIL, CLOSE);
  }

  #open(element: EncodeElement, name: QName): void {
    this.#marks.push({ kind: 'open', name });
    const { typeName = null, value } = element;
    if (this.#encodingUri !== null && typeName !== null && value.kind !== 'xml') this.#marks.push(TYPE(typeName));
  }

  /** The attributes and the content of an element that was opened. */
  #content(plan: EncodeValue, name: QName | null, value: unknown, path: InputPath, declared: QName | null = null) {
    switch (plan.kind) {
      case 'scalar':
        this.#put(this.#leaves.text(plan.scalar, value, path));
        break;
      case 'object':
        this.#beginObject(plan, value, path, name);
        break;
      case 'xml':
        this.#xml(value, name, path, declared);
        break;
      case 'array':
        this.#array(plan, value, path);
        break;
      case 'variants':
        throw new TypeError('a type has no variants of variants');
      default:
        never(plan);
    }
  }

  #array(array: EncodeArray, value: unknown, path: InputPath): void {
    const items = this.#listOf(value, path);
    if (path.depth > this.#limits.inputDepth) refuse(path, 'nested deeper than allowed');
    const encodingUri = this.#encodingUri;
    if (encodingUri !== null) this.#marks.push(...arrayMarks(array, items.length, encodingUri));
    const element = itemElement(array, encodingUri);
    this.#items(element, element.name, true, items, { ...path, depth: path.depth + 1 });
  }

  #put(mark: Mark | null): void {
    if (mark !== null) this.#marks.push(mark);
  }

  /**
   * XML of the caller: the content of the element that was opened, or elements of any name. It names its attributes
   * itself; what was said before it must not be said otherwise. `declared`: what SOAP encoding says where it names none.
   */
  #xml(value: unknown, name: QName | null, path: InputPath, declared: QName | null, lets?: Lets) {
    const marks = this.#leaves.xml(value, name, path);
    const type = this.#encodingUri === null || declared === null ? null : typeOfXml(marks, declared);
    if (type !== null) this.#marks.push(TYPE(type));
    const trouble = addXml(this.#marks, marks, name !== null, lets);
    if (trouble !== null) refuse(path, trouble);
  }
}

type Task =
  | { readonly kind: 'mark'; readonly mark: Mark }
  /** A member of an object, which may be a list or not be there. */
  | { readonly kind: 'member'; readonly element: EncodeElement; readonly value: unknown; readonly path: InputPath }
  | {
      readonly kind: 'element';
      readonly element: EncodeElement;
      readonly name: QName;
      readonly value: unknown;
      readonly path: InputPath;
    };

const CLOSE_TASK: Task = { kind: 'mark', mark: CLOSE };
