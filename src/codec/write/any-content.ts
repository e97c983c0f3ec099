import { isRecord } from '../../base/record.js';
import type { QName } from '../../xml/events.js';
import type { ContentEvent } from '../plan/content-events.js';
import type { EncodeValue } from '../plan/plan.js';
import { type AnyTools, AnyValueWriter } from './any-value.js';
import { ANY_TYPE, TYPE, typeOfXml } from './encoding.js';
import { below, type InputPath, refuse } from './input-error.js';
import { memberOf } from './raw-input.js';

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
  if ((memberOf(value, 'type') ?? memberOf(value, 'value') ?? null) !== null)
    refuse(path, 'must not have a value and XML');
  const events = tools.leaves.xml(xml, name, below(path, 'xml'), tools.encodingUri !== null);
  const type = tools.encodingUri === null ? null : typeOfXml(events, ANY_TYPE);
  return type === null ? events : [TYPE(type), ...events];
}
