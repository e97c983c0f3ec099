import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import { type Inputs, LIVE_INPUTS } from '../base/inputs.js';
import { RememberedReads } from '../base/remembered-reads.js';
import { AT_ONCE, type Pace } from '../base/time-slices.js';
import type { LoadedConfig } from '../config/load.js';
import type { ServiceConfig } from '../config/schema.js';
import type { WsdlModel } from '../wsdl/model.js';
import { readWsdl } from '../wsdl/read.js';
import { fetchTaken, type TakenWsdl, unpackTaken } from '../wsdl/taken-wsdl.js';
import { diagnosticAt, placeAt } from './diagnostic-at.js';

/** Where a configuration names a WSDL. */
export interface WsdlPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** A model, and what it was read from. */
export interface KnownModel {
  /** The file that the configuration names. */
  readonly location: string;
  readonly model: WsdlModel;
  /** Of the files. */
  readonly reads: RememberedReads;
  /** The documents of the backend that stand for the files; null: none do. */
  readonly taken: TakenWsdl | null;
  /** Where such documents are looked for; null: none are taken. */
  readonly place: TakenPlace | null;
  readonly warnings: readonly Diagnostic[];
}

/** Where the documents that stand for a WSDL are kept. */
export interface TakenPlace {
  /** Their name among the inputs. */
  readonly input: string;
  /** Their file; null: they are in memory only. */
  readonly file: string | null;
}

/** A WSDL of one configuration: the service that named it first, and what it says about drift. */
interface Reading {
  readonly service: string;
  readonly drift: string;
  readonly known: Promise<KnownModel>;
}

/** Reads the WSDLs of one configuration, each file once: services of one WSDL share its model. */
export class WsdlReader {
  /** By location. */
  readonly known = new Map<string, KnownModel>();
  readonly #reading = new Map<string, Reading>();
  readonly #earlier: ReadonlyMap<string, KnownModel>;
  readonly #pace: Pace;

  /** Models of `earlier` are kept where their files are the same. */
  constructor(earlier: ReadonlyMap<string, KnownModel>, pace: Pace) {
    this.#earlier = earlier;
    this.#pace = pace;
  }

  /** Throws `ConfigurationError`: of several services the first one that names the file has its problems. */
  async read(loaded: LoadedConfig, service: string, { wsdl, drift }: ServiceConfig): Promise<KnownModel | null> {
    if (wsdl === undefined) return null;
    const path = ['services', service, 'wsdl'];
    const { location } = loaded.locate(path, wsdl);
    const takes = drift?.apply === 'safe' ? JSON.stringify([drift.url, drift.folder ?? null]) : '';
    const before = this.#reading.get(location);
    if (before === undefined) {
      const place = takes === '' ? null : takenPlace(loaded, service, location, drift?.folder);
      const known = this.#read(location, placeAt(loaded, path), place, loaded.inputs);
      this.#reading.set(location, { service, drift: takes, known });
      return known;
    }
    if (before.drift !== takes) {
      const what = `\`${before.service}\` has the same \`wsdl\`, and takes changes of it otherwise.`;
      const remedy = 'Give both the same `drift`, or each a copy of the file.';
      throw new ConfigurationError([diagnosticAt(loaded, ['services', service], what, remedy)]);
    }
    return before.known;
  }

  async #read(location: string, place: WsdlPlace, takenAt: TakenPlace | null, inputs: Inputs): Promise<KnownModel> {
    const warnings: Diagnostic[] = [];
    const found = takenAt === null ? null : await readTaken(takenAt, place, inputs, warnings);
    // The files of the operator count: once they change, what was taken in their place does not.
    const taken = found !== null && (await new RememberedReads(found.replaces).areSame(inputs)) ? found : null;
    if (found !== null && taken === null) warnings.push({ ...place, what: OLD, remedy: null });
    const earlier = this.#earlier.get(location);
    const isSame = earlier !== undefined && earlier.taken?.id === taken?.id && (await earlier.reads.areSame(inputs));
    const reads = taken === null ? new RememberedReads() : new RememberedReads(taken.replaces);
    const model = isSame
      ? earlier.model
      : taken === null
        ? await readNamedWsdl(location, place, reads.track(inputs), this.#pace)
        : await readWsdl(taken.url, { fetch: fetchTaken(taken), root: null, hosts: [], pace: this.#pace });
    const known = { location, model, reads: isSame ? earlier.reads : reads, taken, place: takenAt, warnings };
    this.known.set(location, known);
    return known;
  }
}

const OLD = 'The WSDL that was taken from the backend is not used: this one has changed since.';

/** By the service: an operator finds it. */
function takenPlace(loaded: LoadedConfig, service: string, location: string, folder?: string): TakenPlace {
  const path = ['services', service, 'drift', 'folder'];
  const file = folder === undefined ? null : join(loaded.locate(path, folder).location, `${service}.taken`);
  return { input: `taken WSDL of ${location}`, file };
}

/** What stands for a WSDL, from the inputs or its file; null for nothing. */
async function readTaken(
  { input, file }: TakenPlace,
  place: WsdlPlace,
  inputs: Inputs,
  warnings: Diagnostic[],
): Promise<TakenWsdl | null> {
  const read = async (): Promise<Buffer> => (file === null ? Buffer.alloc(0) : await readFile(file));
  try {
    const bytes = await inputs.fetch(input, read);
    const taken = bytes.length === 0 ? null : unpackTaken(bytes);
    if (bytes.length > 0 && taken === null) {
      const what = 'The WSDL that was taken from the backend is not used: its file is broken.';
      warnings.push({ ...place, what, remedy: `Remove ${file}.` });
    }
    return taken;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT') return null;
    const what = `The WSDL that was taken from the backend is not used: its file cannot be read (${error.code}).`;
    warnings.push({ ...place, what, remedy: `See the permissions of ${file}.` });
    return null;
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
