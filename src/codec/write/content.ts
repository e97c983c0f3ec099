import { isRecord } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import { resolveRange } from '../plan/item-range.js';
import { TEXT } from '../plan/lexical.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import type {
  EncodeArray,
  EncodeElement,
  EncodeObject,
  EncodeValue,
  EncodeVariants,
} from '../plan/request/encode-plan.js';
import type { BinaryParts } from './binary-parts.js';
import { absentBranches, brokenChoice } from './branches.js';
import { ContentOutput } from './content-output.js';
import { below, InputErrors, type InputPath, refuseInput } from './input-error.js';
import {
  brokenCount,
  canBeNil,
  isOmittable,
  isPresent,
  memberOf,
  nilForm,
  nilFormOf,
  nullTextOf,
  type ReadonlyRecord,
  variantOf,
} from './input-members.js';
import { type EncodeLimits, LeafEncoder, REQUIRED } from './leaves.js';
import { putLifted } from './lifted-members.js';
import { mediaTypeIn } from './media-type-attribute.js';
import { NO_CONTEXT, type RequestContext } from './source.js';
import { arrayAttributes, itemElement, namesItsType, TYPE } from './type-attributes.js';

/**
 * Turns a client's values into events, by plan. Its methods throw `InputError` with a path that
 * begins with `root`.
 *
 * Input types may be recursive and values are the client's, so there is no recursion but a stack of
 * tasks.
 */
export class ContentEncoder {
  readonly #limits: EncodeLimits;
  readonly #leaves: LeafEncoder;
  readonly #encodingUri: string | null;
  readonly #root: InputPath;
  readonly #output: ContentOutput;
  readonly #tasks: Task[] = [];

  constructor(options: ContentOptions, root: string) {
    this.#limits = options.limits;
    this.#leaves = new LeafEncoder(
      options.limits,
      options.context ?? NO_CONTEXT,
      options.parts ?? null,
      (options.encodingUri ?? null) !== null,
    );
    this.#encodingUri = options.encodingUri ?? null;
    this.#output = new ContentOutput({
      limits: options.limits,
      leaves: this.#leaves,
      encodingUri: this.#encodingUri,
    });
    this.#root = { above: null, step: root, depth: 1 };
  }

  /**
   * One element that holds the client's object, `first` before all else. Without a name, only its
   * content.
   */
  object(
    name: QName | null,
    plan: EncodeObject,
    value: ReadonlyRecord,
    first: readonly ContentEvent[] = [],
  ): readonly ContentEvent[] {
    this.#output.events = name === null ? [] : [{ kind: 'open', name }, ...first];
    this.#beginObject(plan, value, this.#root, name);
    this.#run();
    if (name !== null) {
      this.#output.events.push(CLOSE);
    }
    return this.#output.events;
  }

  /** The elements for members of the client's object. */
  elements(elements: readonly EncodeElement[], value: ReadonlyRecord): readonly ContentEvent[] {
    this.#output.events = [];
    this.#postpone(elements, value, this.#root);
    this.#run();
    return this.#output.events;
  }

  #run(): void {
    const errors = new InputErrors();
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      try {
        this.#perform(task);
      } catch (caught) {
        errors.add(caught);
      }
    }
    errors.throwAny();
  }

  #perform(task: Task): void {
    if (task.kind === 'event') {
      this.#output.events.push(task.event);
    } else if (task.kind === 'member') {
      this.#member(task.element, task.value, task.path);
    } else {
      this.#element(task.element, task.name, task.value, task.path);
    }
  }

  /** Puts the members of an object before all other tasks. */
  #postpone(
    elements: readonly EncodeElement[],
    value: ReadonlyRecord,
    path: InputPath,
    absent = NONE,
  ): void {
    for (let at = elements.length - 1; at >= 0; at--) {
      const element = elements[at];
      if (element === undefined) continue;
      const member = absent.has(element.key) ? undefined : memberOf(value, element.key);
      if (member === undefined && isOmittable(element)) continue;
      this.#tasks.push({ kind: 'member', element, value: member, path });
    }
  }

  #beginObject(object: EncodeObject, given: unknown, at: InputPath, name: QName | null): void {
    if (!isRecord(given)) {
      refuseInput(at, 'must be an object');
    }
    const { lifts } = object;
    const { value, path } =
      lifts === undefined ? { value: given, path: at } : putLifted(lifts, given, at);
    if (path.depth > this.#limits.inputDepth) {
      refuseInput(path, 'nested deeper than allowed');
    }
    if (object.mixed !== undefined && this.#mixedXml(object.mixed, value, path, name)) return;
    for (const attribute of object.attributes) {
      this.#output.add(this.#leaves.attribute(attribute, value, path));
    }
    const { text, xml, variant, mixed } = object;
    if (variant !== undefined) {
      this.#variant(variant.value, memberOf(value, variant.key), name, below(path, variant.key));
    }
    if (text !== null) {
      this.#output.add(this.#leaves.simpleContent(text, value, path, mediaTypeIn(object, value)));
    }
    if (object.any !== undefined) {
      this.#output.any(object.any, value, name, path);
    }
    const ownText = mixed === undefined ? null : (memberOf(value, mixed.text) ?? null);
    if (mixed !== undefined && ownText !== null) {
      this.#output.add(this.#leaves.text(TEXT, ownText, below(path, mixed.text)));
    }
    if (xml !== undefined) {
      this.#output.xml(memberOf(value, xml), name, below(path, xml), null);
    }
    const absent = absentBranches(object, value);
    const broken = brokenChoice(
      object,
      (key) => !absent.has(key) && isPresent(object, key, memberOf(value, key)),
    );
    if (broken !== null) {
      refuseInput(path, broken);
    }
    this.#postpone(object.children, value, path, absent);
  }

  /** Whether mixed content is given as XML, which is written then. */
  #mixedXml(
    { xml }: MixedMembers,
    value: ReadonlyRecord,
    path: InputPath,
    name: QName | null,
  ): boolean {
    const own = memberOf(value, xml) ?? null;
    if (own === null) return false;
    const others = Object.keys(value).filter(
      (key) => key !== xml && (memberOf(value, key) ?? null) !== null,
    );
    if (others.length > 0) {
      refuseInput(path, `must have nothing beside ${xml}`);
    }
    this.#output.xml(own, name, below(path, xml), null);
    return true;
  }

  /** Writes the elements of one declaration, in order: none, one or many. */
  #member(element: EncodeElement, raw: unknown, above: InputPath): void {
    const { name, occurs, fixed, nillable, required } = element;
    if (fixed !== null) {
      this.#output.fixed(element, fixed);
      return;
    }
    const path = below(above, element.key);
    const value = element.always === true ? (raw ?? {}) : raw;
    if (element.source !== undefined) {
      this.#output.sourced(element, element.source, path);
      return;
    }
    if (value === undefined || value === null) {
      const nullText = occurs === 'one' ? nullTextOf(element.value) : undefined;
      if (nullText !== undefined && (value === null || required)) {
        this.#element(element, name, null, path);
        return;
      }
      // Absent and null are the same, unless the element is nillable.
      const isNil =
        nillable && occurs !== 'many' && (required || (value === null && canBeNil(element)));
      if (isNil) {
        this.#output.nil(nilFormOf(element), name, path);
      } else if (required) {
        refuseInput(path, REQUIRED);
      }
      return;
    }
    if (occurs === 'one') {
      this.#element(element, name, value, path);
    } else if (occurs === 'many') {
      if (Array.isArray(value) && value.length === 0 && required) {
        refuseInput(path, 'must have at least one item');
      }
      this.#items(element, name, nillable, value, path);
    } else {
      this.#output.events.push({ kind: 'open', name });
      this.#tasks.push(CLOSE_TASK);
      this.#items(element, occurs.wrapped, occurs.itemNillable === true, value, path);
    }
  }

  #items(
    element: EncodeElement,
    name: QName,
    nillable: boolean,
    value: unknown,
    path: InputPath,
  ): void {
    const items = this.#listOf(value, path);
    const broken = brokenCount(element, items.length);
    if (broken !== null) {
      refuseInput(path, broken);
    }
    const [from, to] =
      element.itemRange === undefined
        ? [0, items.length]
        : resolveRange(element.itemRange, items.length);
    const tasks = items.slice(from, to).map((item, at): Task => {
      const index = from + at;
      const value = item ?? null;
      if (value === null && !nillable && nullTextOf(element.value) === undefined) {
        refuseInput(below(path, index), REQUIRED);
      }
      return { kind: 'element', element, name, value, path: below(path, index) };
    });
    for (const task of tasks.reverse()) {
      this.#tasks.push(task);
    }
  }

  #listOf(value: unknown, path: InputPath): readonly unknown[] {
    if (!Array.isArray(value)) {
      refuseInput(path, 'must be a list');
    }
    if (value.length > this.#limits.inputItems) {
      refuseInput(path, 'more items than allowed');
    }
    return value;
  }

  /** Writes one element; null is nil. */
  #element(element: EncodeElement, name: QName, value: unknown, path: InputPath): void {
    if (value === null && nullTextOf(element.value) === undefined) {
      this.#output.nil(nilForm(element.value), name, path);
      return;
    }
    if (element.transparent === true) {
      if (element.value.kind === 'object') {
        this.#beginObject(element.value, value, path, null);
      } else if (element.value.kind === 'any') {
        this.#output.anyElement(element.value, value, path, element.wildcards);
      } else {
        this.#output.xml(value, null, path, null, element.wildcards);
      }
      return;
    }
    if (element.value.kind !== 'variants') {
      this.#output.open(element, name);
      this.#tasks.push(CLOSE_TASK);
      this.#content(element.value, name, value, path, element.typeName);
      return;
    }
    this.#output.events.push({ kind: 'open', name });
    this.#tasks.push(CLOSE_TASK);
    this.#variant(element.value, value, name, path, element.typeName ?? null);
  }

  /** Writes the type that the client chose, and its content. */
  #variant(
    plan: EncodeVariants,
    value: unknown,
    name: QName | null,
    path: InputPath,
    declared: QName | null = null,
  ) {
    const [key, variant] = variantOf(plan, value, path);
    const inner = isRecord(value) ? memberOf(value, key) : null;
    const isOwn = this.#encodingUri === null || namesItsType(variant.value);
    const type = variant.type ?? (isOwn ? null : declared);
    if (type !== null) {
      this.#output.events.push(TYPE(type));
    }
    this.#content(
      variant.value,
      name,
      inner,
      below(path, key),
      variant.type === null ? declared : null,
    );
  }

  /** The attributes and the content of an element that was opened. */
  #content(
    plan: EncodeValue,
    name: QName | null,
    value: unknown,
    path: InputPath,
    declared: QName | null = null,
  ) {
    if (plan.kind === 'scalar') {
      this.#output.add(this.#leaves.text(plan.scalar, value, path));
    } else if (plan.kind === 'object') {
      this.#beginObject(plan, value, path, name);
    } else if (plan.kind === 'xml') {
      this.#output.xml(value, name, path, declared);
    } else if (plan.kind === 'any') {
      this.#output.any(plan, value, name, path);
    } else if (plan.kind === 'array') {
      this.#array(plan, value, path);
    } else {
      throw new TypeError('a type has no variants of variants');
    }
  }

  #array(array: EncodeArray, value: unknown, path: InputPath): void {
    const items = this.#listOf(value, path);
    if (path.depth > this.#limits.inputDepth) {
      refuseInput(path, 'nested deeper than allowed');
    }
    const encodingUri = this.#encodingUri;
    if (encodingUri !== null) {
      this.#output.events.push(...arrayAttributes(array, items.length, encodingUri));
    }
    const element = itemElement(array, encodingUri);
    this.#items(element, element.name, true, items, { ...path, depth: path.depth + 1 });
  }
}

type MixedMembers = NonNullable<EncodeObject['mixed']>;

const NONE: ReadonlySet<string> = new Set();

/** A value that is still to be written: values nest as deep as the client's input. */
type Task =
  | { readonly kind: 'event'; readonly event: ContentEvent }
  /** A member of an object, which may be a list or not be there. */
  | {
      readonly kind: 'member';
      readonly element: EncodeElement;
      readonly value: unknown;
      readonly path: InputPath;
    }
  | {
      readonly kind: 'element';
      readonly element: EncodeElement;
      readonly name: QName;
      readonly value: unknown;
      readonly path: InputPath;
    };

const CLOSE_TASK: Task = { kind: 'event', event: CLOSE };

/** Limits and context of the content of one request. */
interface ContentOptions {
  readonly limits: EncodeLimits;
  readonly context?: RequestContext;
  /**
   * Takes binary content out of the envelope; null or absent where the message cannot be a package.
   */
  readonly parts?: BinaryParts | null;
  /** The namespace of the SOAP encoding, where the message is encoded; else null. */
  readonly encodingUri?: string | null;
}
