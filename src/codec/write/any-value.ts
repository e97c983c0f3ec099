import { isRecord } from '../../core/index.js';
import { typeKey } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';
import {
  type AnyList,
  type AnyMember,
  type AnyObject,
  type AnyType,
  type AnyTypes,
  hasMember,
  isMap,
  MAP,
  TEXT_KEY,
  TYPE_KEY,
  VALUE_KEY,
} from '../plan/any-types.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import type { TypeFamily } from '../plan/request/encode-plan.js';
import { parseQualifiedName } from '../values/qualified-name.js';
import {
  inner,
  inside,
  isArray,
  isStruct,
  numberType,
  textIn,
  typeNameIn,
  unqualifiedName,
  valueIn,
} from './any-names.js';
import { AnyOutput, type AnyTools } from './any-output.js';
import { below, type InputPath, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';
import { REQUIRED } from './leaves.js';
import { refuseDeclaration, refuseReservedContent } from './reserved-names.js';
import { arrayAttributes, NIL } from './type-attributes.js';

type Task =
  | { readonly kind: 'close' }
  | {
      readonly kind: 'element';
      readonly name: QName;
      readonly member: AnyMember | null;
      readonly value: unknown;
      readonly path: InputPath;
    }
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly value: unknown;
      readonly path: InputPath;
    };

const CLOSE_TASK: Task = { kind: 'close' };

/**
 * Writes values of any type: JSON and the name of its type. Without a name it is that which JSON
 * tells: a string, a boolean, an `int` or `long`, a `double`; by the SOAP encoding also an array or
 * a map. Values are the client's: there is no recursion but a stack of tasks.
 */
export class AnyValueWriter {
  readonly #types: AnyTypes;
  readonly #isSimple: boolean;
  readonly #tools: AnyTools;
  readonly #output: AnyOutput;
  readonly #tasks: Task[] = [];

  /** `isSimple`: only values without structure. */
  constructor(types: AnyTypes, isSimple: boolean, tools: AnyTools) {
    this.#types = types;
    this.#isSimple = isSimple;
    this.#tools = tools;
    this.#output = new AnyOutput(tools);
  }

  /**
   * An element of any name, with its content. Without a type it has that of its declaration;
   * without one of these no value in it names a type but by its key for that, and elements in it
   * are in its namespace. Throws `InputError`.
   */
  writeNamed(raw: ReadonlyRecord, name: QName, path: InputPath): readonly ContentEvent[] {
    if ((memberOf(raw, 'type') ?? null) !== null) {
      this.#output.open(name, path);
      return [...this.write(raw, path), CLOSE];
    }
    const value = valueIn(raw, path);
    this.#output.isPlain = this.#tools.encodingUri === null;
    this.#element(name, this.#types.element?.(name) ?? null, value, below(path, 'value'));
    return this.#run();
  }

  /**
   * The attributes and the content of an element that was opened. `plain`: its name, where JSON
   * does not name its type. Throws `InputError`.
   */
  write(raw: ReadonlyRecord, path: InputPath, plain: QName | null = null): readonly ContentEvent[] {
    this.#output.isPlain = plain !== null && this.#tools.encodingUri === null;
    const type = memberOf(raw, 'type') ?? null;
    const value = valueIn(raw, path);
    if (type === null) {
      this.#untyped(value, below(path, 'value'), this.#output.isPlain ? plain?.uri : '');
    } else {
      this.#typed(value, typeNameIn(type, below(path, 'type')), below(path, 'value'));
    }
    return this.#run();
  }

  /** As `write`, for a value of one of the types of a family. */
  writeMember(
    raw: ReadonlyRecord,
    { base, types }: TypeFamily,
    path: InputPath,
  ): readonly ContentEvent[] {
    const written = memberOf(raw, 'type') ?? null;
    const value = valueIn(raw, path);
    const at = below(path, 'type');
    const name = written === null ? base : typeNameIn(written, at);
    if (name === null) {
      refuseInput(at, 'is needed: the declared type is abstract');
    }
    if (!types.has(typeKey(name))) {
      refuseInput(at, `must be one of the ${types.size} types that may stand here`);
    }
    const type = written === null ? this.#types.named(name) : null;
    if (type === null) {
      this.#typed(value, name, below(path, 'value'));
    } else {
      this.#content(value, type, below(path, 'value'));
    }
    return this.#run();
  }

  #run(): readonly ContentEvent[] {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      if (task.kind === 'close') {
        this.#output.events.push(CLOSE);
      } else if (task.kind === 'entry') {
        this.#entry(task.key, task.value, task.path);
      } else {
        this.#element(task.name, task.member, task.value, task.path);
      }
    }
    return this.#output.events;
  }

  #element(name: QName, member: AnyMember | null, value: unknown, path: InputPath): void {
    this.#output.open(name, path);
    this.#tasks.push(CLOSE_TASK);
    const type = member?.type() ?? null;
    if (type === null || member === null || (isRecord(value) && Object.hasOwn(value, TYPE_KEY))) {
      this.#untyped(value, path, this.#output.isPlain ? name.uri : '');
      return;
    }
    if (value === null) {
      if (!member.isNillable) {
        refuseInput(path, 'must not be null');
      }
      this.#output.events.push(NIL);
      return;
    }
    if (this.#tools.encodingUri !== null && member.typeName !== null) {
      this.#output.type(member.typeName, path);
    }
    this.#content(value, type, path);
  }

  /**
   * A value whose type is told by itself, or by its key for that. `uri`: the namespace of elements
   * in it.
   */
  #untyped(value: unknown, path: InputPath, uri = ''): void {
    if (value === null) {
      this.#output.events.push(NIL);
    } else if (typeof value === 'string') {
      this.#output.text('string', textIn(value, path), path);
    } else if (typeof value === 'boolean') {
      this.#output.text('boolean', String(value), path);
    } else if (typeof value === 'number') {
      this.#output.text(numberType(value, path), String(value), path);
    } else if (Array.isArray(value)) {
      const { encodingUri } = this.#tools;
      if (encodingUri === null) {
        refuseInput(path, `a list needs a type, as { "${TYPE_KEY}": ..., "${VALUE_KEY}": [...] }`);
      }
      this.#output.type({ uri: encodingUri, local: 'Array' }, path);
      this.#array(value, null, path);
    } else if (isRecord(value)) {
      this.#untypedObject(value, path, uri);
    } else {
      refuseInput(path, REQUIRED);
    }
  }

  #untypedObject(value: ReadonlyRecord, path: InputPath, uri: string): void {
    const type = memberOf(value, TYPE_KEY);
    if (type !== undefined) {
      const name = typeNameIn(type, below(path, TYPE_KEY));
      if (Object.hasOwn(value, VALUE_KEY)) {
        this.#typed(memberOf(value, VALUE_KEY), name, below(path, VALUE_KEY));
      } else {
        this.#typed(value, name, path);
      }
    } else if (this.#tools.encodingUri === null) {
      this.#struct(value, path, uri);
    } else {
      this.#typed(value, MAP, path);
    }
  }

  #typed(value: unknown, name: QName, path: InputPath): void {
    if (isArray(name) || isStruct(name)) {
      // The namespace of the encoding is that of the message.
      this.#output.type({ uri: this.#tools.encodingUri ?? name.uri, local: name.local }, path);
      if (isArray(name)) {
        this.#array(value, null, path);
      } else {
        this.#struct(this.#output.record(value, path), path);
      }
      return;
    }
    const type = isMap(name) ? null : this.#types.named(name);
    if (this.#isSimple && type?.kind !== 'simple') {
      refuseInput(path, NOT_SIMPLE);
    }
    if (type === null && !isMap(name)) {
      refuseInput(path, 'must be of a type of the WSDL or of XML Schema whose content is known');
    }
    this.#output.type(name, path);
    if (value === null) {
      this.#output.events.push(NIL);
    } else if (type === null) {
      this.#map(value, path);
    } else {
      this.#content(value, type, path);
    }
  }

  #content(value: unknown, type: AnyType, path: InputPath): void {
    if (type.kind === 'simple') {
      this.#output.add(this.#tools.leaves.text(type.scalar, value, path));
    } else if (type.kind === 'list') {
      this.#list(value, type, path);
    } else {
      this.#object(value, type, path);
    }
  }

  #list(value: unknown, { item, isEncodedArray }: AnyList, path: InputPath): void {
    if (isEncodedArray) {
      this.#array(value, item, path);
    } else {
      this.#elements(this.#output.items(value, path), item.name, item, inner(path));
    }
  }

  /** An array of the SOAP encoding; `item` is null where items are of any type. */
  #array(value: unknown, item: AnyMember | null, path: InputPath): void {
    if (this.#isSimple) {
      refuseInput(path, NOT_SIMPLE);
    }
    const items = this.#output.items(value, path);
    const { encodingUri } = this.#tools;
    const itemType = item?.typeName ?? null;
    if (encodingUri !== null) {
      this.#output.events.push(
        ...arrayAttributes(
          { kind: 'array', itemType, item: { kind: 'xml' } },
          items.length,
          encodingUri,
        ),
      );
    }
    this.#elements(items, ITEM, item, inner(path));
  }

  #object(value: unknown, type: AnyObject, path: InputPath): void {
    if (type.isAbstract) {
      refuseInput(path, 'must be of a type that is not abstract, which it names');
    }
    if (type.text !== null && !isRecord(value)) {
      this.#output.add(this.#tools.leaves.text(type.text, value, path));
      return;
    }
    const object = this.#output.record(value, path);
    // The keys are the client's: they are not repeated.
    if (!Object.keys(object).every((key) => hasMember(type, key))) {
      refuseInput(path, 'has a member that its type does not have');
    }
    for (const [local, { name, scalar }] of type.attributes) {
      const own = memberOf(object, `@${local}`) ?? null;
      const attribute = { key: `@${local}`, name, required: false, fixed: null, scalar };
      if (own !== null) {
        this.#output.add(this.#tools.leaves.attribute(attribute, object, path));
      }
    }
    if (type.text !== null) {
      this.#output.add(this.#tools.leaves.text(type.text, memberOf(object, TEXT_KEY), path));
    }
    for (const [local, member] of [...type.members].reverse()) {
      const own = memberOf(object, local);
      const at = below(path, local);
      if (own === undefined && member.isRequired) {
        refuseInput(at, REQUIRED);
      }
      if (own !== undefined) {
        this.#member(own, member.isMany, member.name, member, at);
      }
    }
  }

  /** An object without a type: its members are elements in this namespace. */
  #struct(object: ReadonlyRecord, path: InputPath, uri = ''): void {
    if (this.#isSimple) {
      refuseInput(path, NOT_SIMPLE);
    }
    this.#output.checkDepth(path);
    const entries = Object.entries(object);
    for (const [at, [key, value]] of entries.entries()) {
      if (!key.startsWith('@')) continue;
      const own = inside(path, at);
      const name = unqualifiedName(key.slice(1), own);
      refuseDeclaration(name, own);
      this.#output.events.push({ kind: 'attribute', name, value: textIn(value, own) });
    }
    for (let at = entries.length - 1; at >= 0; at--) {
      const [key = '', value] = entries[at] ?? [];
      const own = inside(path, at);
      if (key === TYPE_KEY) continue;
      if (key === TEXT_KEY) {
        this.#output.events.push({ kind: 'text', value: textIn(value, own) });
      } else if (!key.startsWith('@')) {
        this.#member(value, Array.isArray(value), this.#elementName(key, uri, own), null, own);
      }
    }
  }

  /** The name of an element in this namespace, or in the one that the caller writes. */
  #elementName(key: string, uri: string, path: InputPath): QName {
    const written = this.#output.isPlain ? parseQualifiedName(key) : null;
    if (written !== null) {
      refuseReservedContent(written.uri, this.#tools.encodingUri !== null, path);
    }
    return written ?? { uri, local: unqualifiedName(key, path).local };
  }

  /** A map of Apache SOAP: an item for each entry. */
  #map(value: unknown, path: InputPath): void {
    const entries = Object.entries(this.#output.record(value, path)).filter(
      ([key]) => key !== TYPE_KEY,
    );
    if (entries.length > this.#tools.limits.inputItems) {
      refuseInput(path, 'more items than allowed');
    }
    for (let at = entries.length - 1; at >= 0; at--) {
      const [key, own] = entries[at] ?? ['', null];
      this.#tasks.push({ kind: 'entry', key, value: own, path: inside(path, at) });
    }
  }

  #entry(key: string, value: unknown, path: InputPath): void {
    this.#output.open(ITEM, path);
    this.#output.open(KEY, path);
    this.#output.text('string', textIn(key, path), path);
    this.#output.events.push(CLOSE);
    this.#tasks.push(CLOSE_TASK, { kind: 'element', name: VALUE, member: null, value, path });
  }

  /** The element of a member of an object, or one for each item of its list. */
  #member(
    value: unknown,
    isMany: boolean,
    name: QName,
    member: AnyMember | null,
    path: InputPath,
  ): void {
    if (isMany) {
      this.#elements(this.#output.items(value, path), name, member, path);
    } else {
      this.#tasks.push({ kind: 'element', name, member, value, path });
    }
  }

  /** Elements for these items, before all that is to come. */
  #elements(
    items: readonly unknown[],
    name: QName,
    member: AnyMember | null,
    path: InputPath,
  ): void {
    for (let at = items.length - 1; at >= 0; at--) {
      this.#tasks.push({ kind: 'element', name, member, value: items[at], path: below(path, at) });
    }
  }
}

const ITEM: QName = { uri: '', local: 'item' };
const KEY: QName = { uri: '', local: 'key' };
const VALUE: QName = { uri: '', local: 'value' };
const NOT_SIMPLE = 'must be of a simple type';
