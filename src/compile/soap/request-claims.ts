import type { ServiceConfig } from '../../config/schema.js';
import type { Operation } from '../../wsdl/index.js';

/**
 * The claims of callers that requests of each operation hold, and maybe some more. Operations
 * without any have no entry.
 */
export function claimsIn(
  { operations, soapHeaders = {}, security: { make } }: ServiceConfig,
  described: readonly Pick<Operation, 'name'>[],
): ReadonlyMap<string, readonly string[]> {
  const ofAll = Object.values(soapHeaders).filter((block) => typeof block === 'object');
  const found = new Map<string, readonly string[]>();
  for (const [name, mapping] of Object.entries(operations)) {
    const { arguments: values = {}, headers = {} } = typeof mapping === 'object' ? mapping : {};
    const blocks = [
      ...ofAll,
      ...Object.values(headers).filter((block) => typeof block === 'object'),
    ];
    const inTemplates = blocks.flatMap((block) => Object.values(block.values ?? {}));
    const claims = [...Object.values(values), ...blocks, ...inTemplates].flatMap(
      ({ claim }) => claim ?? [],
    );
    if (claims.length > 0) {
      found.set(name, claims);
    }
  }
  const subject = make?.saml?.claim;
  if (subject !== undefined) {
    for (const { name } of described) {
      found.set(name, [...(found.get(name) ?? []), subject]);
    }
  }
  return found;
}
