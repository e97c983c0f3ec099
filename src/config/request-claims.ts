import type { ServiceConfig } from './schema.js';

/** The claims of callers that requests of an operation hold, and maybe some more. */
export function claimsIn({ operations, soapHeaders = {} }: ServiceConfig, operation: string): readonly string[] {
  const mapping = operations[operation];
  const { arguments: values = {}, headers = {} } = typeof mapping === 'object' ? mapping : {};
  const blocks = [...Object.values(soapHeaders), ...Object.values(headers)].filter(
    (block) => typeof block === 'object',
  );
  const inTemplates = blocks.flatMap((block) => Object.values(block.values ?? {}));
  return [...Object.values(values), ...blocks, ...inTemplates].flatMap(({ claim }) => claim ?? []);
}
