import { mimeTypes } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
import type { EncodeObject } from '../plan/request/encode-plan.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';

/**
 * The media type that a value names for its own binary content (`xmime:contentType`); null for
 * none.
 */
export function mediaTypeIn({ attributes }: EncodeObject, value: ReadonlyRecord): string | null {
  const attribute = attributes.find(
    ({ name }) => name.local === 'contentType' && namespaces.XMIMES.includes(name.uri),
  );
  const named =
    attribute === undefined ? null : (attribute.fixed ?? memberOf(value, attribute.key));
  return typeof named === 'string' && mimeTypes.isMediaType(named) ? named : null;
}
