import { ConfigurationError } from '../base/diagnostic.js';
import { type Inputs, LIVE_INPUTS } from '../base/inputs.js';
import { RememberedReads } from '../base/remembered-reads.js';
import { AT_ONCE, type Pace } from '../base/time-slices.js';
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

/** A model, and what it was read from. */
export interface KnownModel {
  readonly model: WsdlModel;
  readonly reads: RememberedReads;
}

/** Reads the WSDLs of one configuration, each file once: services of one WSDL share its model. */
export class WsdlReader {
  /** By location. */
  readonly known = new Map<string, KnownModel>();
  readonly #reading = new Map<string, Promise<WsdlModel>>();
  readonly #earlier: ReadonlyMap<string, KnownModel>;
  readonly #pace: Pace;

  /** Models of `earlier` are kept where their files are the same. */
  constructor(earlier: ReadonlyMap<string, KnownModel>, pace: Pace) {
    this.#earlier = earlier;
    this.#pace = pace;
  }

  /** Throws `ConfigurationError`: of several services the first one that names the file has its problems. */
  async read(loaded: LoadedConfig, service: string, file: string): Promise<WsdlModel> {
    const path = ['services', service, 'wsdl'];
    const { location } = loaded.locate(path, file);
    const known = this.#reading.get(location);
    if (known !== undefined) return known;
    const reading = this.#read(location, placeAt(loaded, path), loaded.inputs);
    this.#reading.set(location, reading);
    return reading;
  }

  async #read(location: string, place: WsdlPlace, inputs: Inputs): Promise<WsdlModel> {
    const earlier = this.#earlier.get(location);
    if (earlier !== undefined && (await earlier.reads.areSame(inputs))) {
      this.known.set(location, earlier);
      return earlier.model;
    }
    const reads = new RememberedReads();
    const model = await readNamedWsdl(location, place, reads.track(inputs), this.#pace);
    this.known.set(location, { model, reads });
    return model;
  }
}

/** Reads the WSDL of a service from its file. Errors of the whole file are reported where it is named. */
export async function readNamedWsdl(
  location: string,
  place: WsdlPlace,
  inputs: Inputs = LIVE_INPUTS,
  pace: Pace = AT_ONCE,
): Promise<WsdlModel> {
  try {
    return await readWsdl(location, { fetch: null, root: null, hosts: [], inputs, pace });
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
