/** A WSDL as a schema of another server: `import { schemaFromWsdl } from 'soapstone/schema'`. */
export { ConfigurationError, type Diagnostic } from '../core/index.js';
export {
  type MappingOptions,
  mappingFromWsdl,
  type ProposedOperation,
  type WsdlMapping,
} from './schema/mapping-from-wsdl.js';
export {
  printedSchema,
  schemaFromWsdl,
  type WsdlSchema,
} from './schema/schema-from-wsdl.js';
export type { SchemaCaller, SchemaOptions } from './schema/schema-options.js';
