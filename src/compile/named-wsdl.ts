import { ConfigurationError } from '../base/diagnostic.js';
import { type Inputs, LIVE_INPUTS } from '../base/inputs.js';
import type { LoadedConfig } from '../config/load.js';
import type { WsdlModel } from '../wsdl/model.js';
import { readWsdl } from '../wsdl/read.js';
import { placeAt } from './diagnostic-at.js';

/** Where a configuration names a WSDL. */
export interface WsdlPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** Reads the WSDLs of one configuration, each file once: services of one WSDL share its model. */
export class WsdlReader {
  readonly #models = new Map<string, Promise<WsdlModel>>();

  /** Throws `ConfigurationError`: of several services the first one that names the file has its problems. */
  async read(loaded: LoadedConfig, service: string, file: string): Promise<WsdlModel> {
    const path = ['services', service, 'wsdl'];
    const { location } = loaded.locate(path, file);
    const known = this.#models.get(location);
    if (known !== undefined) return known;
    const reading = readNamedWsdl(location, placeAt(loaded, path), loaded.inputs);
    this.#models.set(location, reading);
    return reading;
  }
}

/** Reads the WSDL of a service from its file. Errors of the whole file are reported where it is named. */
export async function readNamedWsdl(
  location: string,
  place: WsdlPlace,
  inputs: Inputs = LIVE_INPUTS,
): Promise<WsdlModel> {
  try {
    return await readWsdl(location, { fetch: null, root: null, hosts: [], inputs });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const diagnostics = error.diagnostics.map((diagnostic) => {
      if (diagnostic.line !== null || diagnostic.file !== location) return diagnostic;
      const what = diagnostic.what.includes(location) ? diagnostic.what : `${location}: ${diagnostic.what}`;
      return { ...diagnostic, ...place, what };
    });
    throw new ConfigurationError(diagnostics);
  }
}
