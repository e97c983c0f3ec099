import type { ServiceConfig } from '../../config/schema.js';

/** The claims of callers that requests of each operation hold, and maybe some more. Operations without any have no entry. */
export function claimsIn({ operations, soapHeaders = {} }: ServiceConfig): ReadonlyMap<string, readonly string[]> {
  const ofAll = Object.values(soapHeaders).filter((block) => typeof block === 'object');
  const found = new Map<string, readonly string[]>();
  for (const [name, mapping] of Object.entries(operations)) {
    const { arguments: values = {}, headers = {} } = typeof mapping === 'object' ? mapping : {};
    const blocks = [...ofAll, ...Object.values(headers).filter((block) => typeof block === 'object')];
    const inTemplates = blocks.flatMap((block) => Object.values(block.values ?? {}));
    const claims = [...Object.values(values), ...blocks, ...inTemplates].flatMap(({ claim }) => claim ?? []);
    if (claims.length > 0) found.set(name, claims);
  }
  return found;
}
