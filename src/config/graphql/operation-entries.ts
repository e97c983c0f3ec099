import { isRecord, jsonValues } from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';

interface OperationEntry {
  readonly path: ConfigPath;
  readonly mapping: Readonly<Record<string, unknown>>;
}

/** The mappings of all operations of a configuration whose services may be of any shape. */
export function* operationEntries({
  services,
}: Record<string, unknown>): Generator<OperationEntry> {
  for (const [name, service] of jsonValues.recordEntries(services)) {
    for (const [operation, mapping] of jsonValues.recordEntries(
      isRecord(service) ? service['operations'] : null,
    )) {
      if (isRecord(mapping)) {
        yield { path: ['services', name, 'operations', operation], mapping };
      }
    }
  }
}
