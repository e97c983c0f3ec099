import { isRecord } from '../../core/index.js';
import { namespaces } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';
import type { ContentEvent } from '../plan/request/content-events.js';
import { type InputPath, refuseInput } from './input-error.js';
import type { ReadonlyRecord } from './input-members.js';
import type { EncodeLimits, LeafEncoder } from './leaves.js';
import { refuseReserved } from './reserved-names.js';
import { TYPE } from './type-attributes.js';

/** What the content of one request is written with. */
export interface AnyTools {
  readonly limits: EncodeLimits;
  readonly leaves: LeafEncoder;
  /** The namespace of the SOAP encoding, where the message is encoded; else null. */
  readonly encodingUri: string | null;
}

/** The events of one value of any type: names of the client are checked before they are written. */
export class AnyOutput {
  readonly events: ContentEvent[] = [];
  readonly #tools: AnyTools;
  /** Values do not name the types that JSON tells. */
  isPlain = false;

  constructor(tools: AnyTools) {
    this.#tools = tools;
  }

  open(name: QName, path: InputPath): void {
    refuseReserved(name.uri, path);
    this.#tools.leaves.use(name, path);
    this.events.push({ kind: 'open', name });
  }

  /** The attribute that names a type. */
  type(name: QName, path: InputPath): void {
    refuseReserved(name.uri, path);
    this.#tools.leaves.use(name, path);
    this.events.push(TYPE(name));
  }

  /** A text, with the built-in type that JSON tells. */
  text(local: string, value: string, path: InputPath): void {
    if (value.length > this.#tools.limits.stringChars) {
      refuseInput(path, 'longer than allowed');
    }
    if (!this.isPlain) {
      this.events.push(TYPE({ uri: namespaces.XSD, local }));
    }
    if (value !== '') {
      this.events.push({ kind: 'text', value });
    }
  }

  add(event: ContentEvent | null): void {
    if (event !== null) {
      this.events.push(event);
    }
  }

  checkDepth(path: InputPath): void {
    if (path.depth > this.#tools.limits.inputDepth) {
      refuseInput(path, 'nested deeper than allowed');
    }
  }

  /** The items of a list, within the limits. */
  items(value: unknown, path: InputPath): readonly unknown[] {
    if (!Array.isArray(value)) {
      refuseInput(path, 'must be a list');
    }
    this.checkDepth(path);
    if (value.length > this.#tools.limits.inputItems) {
      refuseInput(path, 'more items than allowed');
    }
    return value;
  }

  /** An object, within the limits. */
  record(value: unknown, path: InputPath): ReadonlyRecord {
    if (!isRecord(value)) {
      refuseInput(path, 'must be an object');
    }
    this.checkDepth(path);
    return value;
  }
}
