import type { Buffer } from 'node:buffer';
import { type Finding, finding } from '../../../config/keys/finding.js';
import type { CompiledPlan } from '../../../config/plans/compiled-plan.js';
import { inputFiles, type Pace, TimeSlices } from '../../../core/index.js';
import { compiledModels } from '../../../wsdl/index.js';

/** Smaller WSDLs are read almost as fast as their compiled forms. */
const DEFAULT_LEAST_BYTES = 2 ** 17;

const BOUNDS = { files: 2_000, bytes: 2 ** 29 };

/**
 * The compiled forms of WSDLs, in a folder: what a start has read, the next one need not parse.
 * None is trusted more than the WSDL itself: a form counts while all files are as they were.
 */
export class CompiledWsdls {
  readonly #plan: CompiledPlan;
  readonly #folder: inputFiles.PrivateFolder;
  readonly #inputs: inputFiles.Inputs;
  readonly #pace: Pace;
  /** The keys of the forms that were looked for, by location. */
  readonly #keys = new Map<string, string>();
  /** The models that are to be written, by key. */
  readonly #waiting = new Map<string, compiledModels.CompiledModel>();

  constructor(plan: CompiledPlan, inputs: inputFiles.Inputs, pace: Pace) {
    this.#plan = plan;
    this.#folder = new inputFiles.PrivateFolder(plan.folder, '.compiled', BOUNDS);
    this.#inputs = inputs;
    this.#pace = pace;
  }

  /** Warns of a folder that the configuration names, and that cannot be used. */
  async warnings(): Promise<readonly Finding[]> {
    const problem = this.#plan.isNamed ? await this.#folder.problem() : null;
    if (problem === null) return [];
    const what = `\`compiled\` has no effect: ${this.#plan.folder} ${problem}.`;
    return [finding(['compiled'], what, REMEDY)];
  }

  /** Null where there is none for the files as they are. */
  async find(location: string): Promise<compiledModels.CompiledModel | null> {
    const key = await this.#keyOf(location);
    const bytes = key === null ? null : await this.#folder.read(key);
    if (key === null || bytes === null) return null;
    const found = await this.#read(key, bytes).catch(() => null);
    if (found === null) {
      await this.#folder.remove(key);
    }
    return found;
  }

  /** Has a model written that was read because `find` has found none. */
  keep(location: string, compiled: compiledModels.CompiledModel): void {
    const { documents } = compiled.model;
    const length = documents.reduce((sum, { segments }) => sum + lengthOf(segments), 0);
    const key = this.#keys.get(location);
    if (key === undefined || (!this.#plan.isNamed && length < DEFAULT_LEAST_BYTES)) return;
    this.#waiting.set(key, compiled);
  }

  /** Writes the models that are kept, with the pace of a reload. Never rejects. */
  async write(): Promise<void> {
    const pace = new TimeSlices();
    for (const [key, compiled] of this.#waiting) {
      this.#waiting.delete(key);
      await this.#folder.write(key, () => pace.run(compiledModels.writeCompiled(key, compiled)));
    }
  }

  async #read(key: string, bytes: Buffer): Promise<compiledModels.CompiledModel | null> {
    const found = await this.#pace.run(compiledModels.readCompiled(key, bytes));
    if (found === null) return null;
    const reads = new inputFiles.RememberedReads(found.reads);
    return (await reads.areSame(this.#inputs)) ? found : null;
  }

  /** Null where the WSDL cannot be read: the reader has the error. */
  async #keyOf(location: string): Promise<string | null> {
    try {
      const content = await this.#inputs.readFile(location);
      const key = compiledModels.compiledKey(location, content);
      this.#keys.set(location, key);
      return key;
    } catch {
      return null;
    }
  }
}

const REMEDY =
  'Name a folder that belongs to the user of the process, and that no other user can write; ' +
  'where it is missing, the one above it must be there. `none` keeps nothing.';

const lengthOf = (segments: readonly unknown[]): number =>
  segments.reduce(
    (sum: number, segment) => sum + (typeof segment === 'string' ? segment.length : 0),
    0,
  );
