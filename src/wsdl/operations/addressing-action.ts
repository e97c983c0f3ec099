import { WSDL } from '../documents/namespaces.js';
import { attributeOf, childOf, type XmlNode } from '../documents/tree.js';
import { targetOf } from './definitions.js';

/** Namespaces in which a WSDL names the action of a message: the recommendation, and the drafts stacks still write. */
const ACTION_ATTRIBUTES = [
  '{http://www.w3.org/2007/05/addressing/metadata}Action',
  '{http://www.w3.org/2006/05/addressing/wsdl}Action',
  '{http://www.w3.org/2005/08/addressing}Action',
  '{http://schemas.xmlsoap.org/ws/2004/08/addressing}Action',
];

/** The action that the input of a port type's operation names, or null. */
export function namedActionOf(input: XmlNode): string | null {
  for (const attribute of ACTION_ATTRIBUTES) {
    const named = input.attributes.get(attribute)?.trim();
    if (named !== undefined) return named;
  }
  return null;
}

/** The action of an input that names none. */
export function defaultActionOf(name: string, input: XmlNode): string {
  const uri = targetOf(input);
  const delimiter = uri.startsWith('urn:') ? ':' : '/';
  const portType = attributeOf(input.parent?.parent ?? input, 'name') ?? '';
  const isOneWay = input.parent === null || childOf(input.parent, WSDL, 'output') === null;
  const message = attributeOf(input, 'name') ?? (isOneWay ? name : `${name}Request`);
  return [uri.endsWith(delimiter) ? uri.slice(0, -1) : uri, portType, message].join(delimiter);
}
