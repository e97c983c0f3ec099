import { DeskFault, type Element } from './envelope.js';

/** The values of a call, by the names of its elements. Throws `DeskFault` for a wrong one. */

export const child = (parent: Element, name: string, namespace: string): Element | null =>
  parent.children.find((element) => element.name === name && element.namespace === namespace) ??
  null;

export function optional(parent: Element, name: string, namespace: string): string | null {
  const element = child(parent, name, namespace);
  const nil = element?.attributes.get('{http://www.w3.org/2001/XMLSchema-instance}nil');
  return element === null || nil === 'true' || nil === '1' ? null : element.text;
}

export function required(parent: Element, name: string, namespace: string): string {
  const text = optional(parent, name, namespace);
  if (text === null) throw new DeskFault('Client', `The element ${name} is missing`);
  return text;
}

export function integer(text: string, name: string): number {
  const digits = text.trim();
  if (!/^[+-]?\d{1,10}$/.test(digits))
    throw new DeskFault('Client', `The element ${name} is not an int`);
  return Number(digits);
}
