import type { ElementDeclaration, Operation } from '../../wsdl/index.js';
import {
  expandedName,
  type Interest,
  type QName,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';

/**
 * The wrapper of an rpc message whose only part names an element, where that element is the child
 * of Body itself, as in document style; else null. WSDLs that name elements in rpc style break
 * R2203 of the Basic Profile, and services differ in what they send.
 */
export function wrapperOfBarePart(
  operation: Operation | null,
  body: QName | null,
): ElementDeclaration | null {
  const wrapper = operation?.output?.body ?? null;
  if (wrapper === null || body === null || operation?.style !== 'rpc') return null;
  const { type, name } = wrapper;
  if (type.kind === 'simple' || type.content.kind !== 'elements') return null;
  const { particle } = type.content;
  const parts = particle.kind === 'sequence' ? particle.particles : [particle];
  const [part] = parts;
  if (parts.length !== 1 || part?.kind !== 'one' || expandedName(name) === expandedName(body))
    return null;
  const { name: element } = part.element;
  return element.uri !== '' && expandedName(element) === expandedName(body) ? wrapper : null;
}

/** Passes an element on within a wrapper that the message does not have. */
export class WrappedContent implements XmlHandler {
  readonly #handler: XmlHandler;
  readonly #wrapper: StartTag;
  #depth = 0;

  constructor(handler: XmlHandler, wrapper: StartTag) {
    this.#handler = handler;
    this.#wrapper = wrapper;
  }

  open(tag: StartTag): Interest {
    if (this.#depth++ === 0) {
      this.#handler.open(this.#wrapper);
    }
    return this.#handler.open(tag);
  }

  text(chars: string): void {
    this.#handler.text(chars);
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#handler.close(contentEndBytes, endBytes);
    if (--this.#depth === 0) {
      this.#handler.close(contentEndBytes, endBytes);
    }
  }
}
