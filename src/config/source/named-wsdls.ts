import { ConfigurationError, inputFiles, isRecord, type Pace } from '../../core/index.js';
import type { ConfigPlace } from './config-source.js';
import { type Environment, readSource } from './read-source.js';

export interface NamedWsdl {
  readonly location: string;
  readonly place: ConfigPlace | null;
}

/**
 * The WSDLs that a configuration names, as far as it can be read at all: nothing else of it need be
 * right.
 */
export async function namedWsdls(
  file: string,
  environment: Environment,
  pace: Pace,
): Promise<readonly NamedWsdl[]> {
  try {
    const source = await readSource(file, environment, inputFiles.LIVE_INPUTS, pace);
    const services = isRecord(source.value) ? source.value['services'] : null;
    if (!isRecord(services)) return [];
    const found = new Map<string, NamedWsdl>();
    for (const [name, service] of Object.entries(services)) {
      await pace.pause();
      const named = isRecord(service) ? service['wsdl'] : null;
      if (typeof named !== 'string' || named.includes('${')) continue;
      const path = ['services', name, 'wsdl'];
      const { location } = source.locate(path, named);
      if (!found.has(location)) {
        found.set(location, { location, place: source.placeOf(path) });
      }
    }
    return [...found.values()];
  } catch (error) {
    if (error instanceof ConfigurationError || (error instanceof Error && 'code' in error)) {
      return [];
    }
    throw error;
  }
}
