import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../base/diagnostic.js';
import { isRecord } from '../base/record.js';
import { type Position, readYaml } from './yaml-source.js';

export interface NamedWsdl {
  /** As the configuration has it. */
  readonly path: string;
  readonly place: Position | null;
}

/** The WSDLs that a configuration names, as far as it can be read at all: nothing else of it need be right. */
export async function namedWsdls(file: string): Promise<readonly NamedWsdl[]> {
  try {
    const { value, positionOf } = readYaml(await readFile(file, 'utf8'), file);
    const services = isRecord(value) ? value['services'] : null;
    if (!isRecord(services)) return [];
    const found = new Map<string, NamedWsdl>();
    for (const [name, service] of Object.entries(services)) {
      const path = isRecord(service) ? service['wsdl'] : null;
      if (typeof path !== 'string' || path.includes('${') || found.has(path)) continue;
      found.set(path, { path, place: positionOf(['services', name, 'wsdl']) });
    }
    return [...found.values()];
  } catch (error) {
    if (error instanceof ConfigurationError || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
}
