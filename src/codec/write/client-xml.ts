import { xsd } from '../../wsdl/index.js';
import {
  type AttributeEvent,
  type ContentEvent,
  isAttribute,
  isSameName,
} from '../plan/request/content-events.js';
import type { EncodeElement } from '../plan/request/encode-plan.js';

/**
 * Appends the events of a client's XML to `events`; returns the rule that is broken, or null. Where
 * it `isNamed`, it continues the element that is open: an attribute written before is written once,
 * and must have the same value. Else each element that is written there must be one that the
 * wildcards allow.
 */
export function addXml(
  events: ContentEvent[],
  xml: readonly ContentEvent[],
  isNamed: boolean,
  wildcards: AllowedWildcards = [],
): string | null {
  if (!isNamed && wildcards.length > 0 && !areAllowed(xml, wildcards)) return NOT_ALLOWED;
  const written = isNamed ? attributesAtEnd(events) : [];
  let isOwn = written.length > 0;
  for (const event of xml) {
    isOwn &&= isAttribute(event) || event.kind === 'bindings';
    const same =
      isOwn && isAttribute(event)
        ? written.find(({ name }) => isSameName(name, event.name))
        : undefined;
    if (same === undefined) {
      events.push(event);
    } else if (!isSameValue(same, event)) {
      return `must not have another ${same.name.local} than the one it is provided as`;
    }
  }
  return null;
}

/** Whether each element at the top is in a namespace that a wildcard allows. */
function areAllowed(xml: readonly ContentEvent[], wildcards: AllowedWildcards = []): boolean {
  let depth = 0;
  for (const event of xml) {
    if (event.kind === 'close') {
      depth--;
    } else if (event.kind === 'open') {
      if (depth === 0 && !xsd.allowsAny(wildcards, event.name.uri)) return false;
      depth++;
    }
  }
  return true;
}

/** The wildcards of which one must allow an element; none: any element is allowed. */
export type AllowedWildcards = EncodeElement['wildcards'];

const NOT_ALLOWED = 'must not be an element of this namespace';

/** The attributes at the end of `events`: those of the element that is open. */
function attributesAtEnd(events: readonly ContentEvent[]): readonly AttributeEvent[] {
  const found: AttributeEvent[] = [];
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at];
    if (event === undefined || !isAttribute(event)) break;
    found.push(event);
  }
  return found;
}

const isSameValue = (a: AttributeEvent, b: ContentEvent): boolean =>
  a.kind === 'attribute'
    ? b.kind === 'attribute' && a.value === b.value
    : b.kind === 'name attribute' && isSameName(a.value, b.value) && a.suffix === b.suffix;
