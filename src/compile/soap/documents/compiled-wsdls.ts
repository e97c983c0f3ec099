import type { CompiledPlan } from '../../../config/plans/compiled-plan.js';
import { inputFiles, type Pace } from '../../../core/index.js';
import { compiledModels } from '../../../wsdl/index.js';

/** Smaller WSDLs are read almost as fast as their compiled forms. */
const DEFAULT_LEAST_BYTES = 2 ** 17;

const BOUNDS = { files: 2_000, bytes: 2 ** 29 };

/**
 * The compiled forms of WSDLs, in a folder: what a start has read, the next one need not parse.
 * None is trusted more than the WSDL itself: a form counts while all files are as they were.
 */
export class CompiledWsdls {
  readonly #folder: inputFiles.PrivateFolder;
  readonly #leastBytes: number;
  readonly #inputs: inputFiles.Inputs;
  readonly #pace: Pace;

  constructor({ folder, isNamed }: CompiledPlan, inputs: inputFiles.Inputs, pace: Pace) {
    this.#folder = new inputFiles.PrivateFolder(folder, '.compiled', BOUNDS);
    this.#leastBytes = isNamed ? 0 : DEFAULT_LEAST_BYTES;
    this.#inputs = inputs;
    this.#pace = pace;
  }

  /** Null where there is none for the files as they are. */
  async find(location: string): Promise<compiledModels.CompiledModel | null> {
    const key = await this.#keyOf(location);
    const bytes = key === null ? null : await this.#folder.read(key);
    if (key === null || bytes === null) return null;
    const found = await this.#pace.run(compiledModels.readCompiled(key, bytes));
    if (found === null) return null;
    const reads = new inputFiles.RememberedReads(found.reads);
    return (await reads.areSame(this.#inputs)) ? found : null;
  }

  /** Keeps a model where that is possible. */
  async keep(location: string, compiled: compiledModels.CompiledModel): Promise<void> {
    const { documents } = compiled.model;
    const length = documents.reduce((sum, { segments }) => sum + lengthOf(segments), 0);
    if (length < this.#leastBytes) return;
    const key = await this.#keyOf(location);
    if (key === null) return;
    const bytes = await this.#pace.run(compiledModels.writeCompiled(key, compiled));
    if (bytes !== null) {
      await this.#folder.write(key, bytes);
    }
  }

  /** Null where the WSDL cannot be read: the reader has the error. */
  async #keyOf(location: string): Promise<string | null> {
    try {
      return compiledModels.compiledKey(location, await this.#inputs.readFile(location));
    } catch {
      return null;
    }
  }
}

const lengthOf = (segments: readonly unknown[]): number =>
  segments.reduce(
    (sum: number, segment) => sum + (typeof segment === 'string' ? segment.length : 0),
    0,
  );
