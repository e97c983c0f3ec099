import { xsd } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { XSI_URI } from '../plan/xsi.js';
import type { ChildTable, SlotProgram, ValueProgram, VariantProgram } from './program.js';

/**
 * The slots that this element fills, or null. Stacks disagree about the qualification of local
 * elements: without a slot of exactly its name, it is matched by local name if its namespace is
 * none or its parent's, and no wildcard allows it.
 */
export function slotsFor(
  table: ChildTable,
  tag: StartTag,
  parentUri: string,
): readonly SlotProgram[] | null {
  const named = table.named.get(tag.local);
  if (named === undefined) return table.any;
  const uri = tag.uri;
  for (const entry of named) {
    if (entry.uri === uri) return entry.slots;
  }
  const isSameLocal =
    (uri === '' || uri === parentUri) &&
    (table.wildcards.length === 0 || !xsd.allowsAny(table.wildcards, uri));
  return isSameLocal ? (named[0]?.slots ?? null) : table.any;
}

/**
 * The variant of a nil element: null, unless it has requested attributes and nothing else in it is
 * required. Those that say how it is written, such as `xsi:type`, are none of the value.
 */
export function nilVariantOf(value: ValueProgram, tag: StartTag): VariantProgram | null {
  const variant = value.kind === 'object' ? value.variantOf(tag) : null;
  if (variant === null || !variant.mayBeNil) return null;
  const hasAttribute = variant.attributes.some(
    ({ name: { uri, local } }) => uri !== XSI_URI && tag.attribute(uri, local) !== null,
  );
  return hasAttribute ? variant : null;
}
