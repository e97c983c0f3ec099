import { isRecord } from '../../base/record.js';
import type { QName } from '../../xml/events.js';
import type { ContentEvent } from '../plan/content-events.js';
import { trimXml } from '../plan/lexical.js';
import type { EncodeValue } from '../plan/plan.js';
import { type AnyTools, AnyValueWriter } from './any-value.js';
import { ANY_TYPE, TYPE, typeOfXml } from './encoding.js';
import { below, type InputPath, refuse } from './input-error.js';
import { memberOf } from './raw-input.js';
import { isSameAnyValue } from './same-any-value.js';

/** The attributes and the content of an element of any type, which is open: JSON with its type, or XML. */
export function anyContent(
  value: unknown,
  { types, isSimple }: Extract<EncodeValue, { readonly kind: 'any' }>,
  name: QName | null,
  path: InputPath,
  tools: AnyTools,
): readonly ContentEvent[] {
  if (!isRecord(value)) refuse(path, 'must be an object');
  const xml = memberOf(value, 'xml') ?? null;
  if (xml === null) return new AnyValueWriter(types, isSimple, tools).write(value, path);
  const hasValue = (memberOf(value, 'type') ?? memberOf(value, 'value') ?? null) !== null;
  const text = trimXml(String(xml));
  // A reply has both: what came in one is taken back as it was. XML that is too long is refused below.
  if (
    hasValue &&
    text.length <= tools.limits.opaqueChars &&
    !isSameAnyValue(value, text.startsWith('<') ? text : String(xml), types)
  )
    refuse(path, 'must not have a value and XML that differ');
  const events = tools.leaves.xml(xml, name, below(path, 'xml'), tools.encodingUri !== null);
  // As without XML: a string has its type.
  const isString = hasValue && events.every(({ kind }) => kind === 'text');
  const type = tools.encodingUri === null && !isString ? null : typeOfXml(events, ANY_TYPE);
  return type === null ? events : [TYPE(type), ...events];
}
