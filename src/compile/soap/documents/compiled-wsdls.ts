import type { Buffer } from 'node:buffer';
import { type Finding, finding } from '../../../config/keys/finding.js';
import type { CompiledPlan } from '../../../config/plans/compiled-plan.js';
import { inputFiles, type Pace, TimeSlices } from '../../../core/index.js';
import { compiledModels, type WsdlModel } from '../../../wsdl/index.js';
import { type KnownSchema, readKnown, writeKnown } from './known-schema.js';

/** Smaller WSDLs are read almost as fast as their compiled forms. */
const DEFAULT_LEAST_BYTES = 2 ** 17;

const BOUNDS = { files: 2_000, bytes: 2 ** 29 };
const SCHEMA_BOUNDS = { files: 200, bytes: 2 ** 24 };

/**
 * The compiled forms of WSDLs, in a folder: what a start has read, the next one need not parse.
 * None is trusted more than the WSDL itself: a form counts while all files are as they were.
 */
export class CompiledWsdls {
  readonly #plan: CompiledPlan;
  readonly #folder: inputFiles.PrivateFolder;
  /** Of each schema that has no errors, its warnings. */
  readonly #schemas: inputFiles.PrivateFolder;
  readonly #inputs: inputFiles.Inputs;
  readonly #pace: Pace;
  /** The keys of the forms that were looked for, by location. */
  readonly #keys = new Map<string, string>();
  /** The models that are to be written, by key. */
  readonly #waiting = new Map<string, compiledModels.CompiledModel>();

  /** The schema that is to be remembered. */
  #schema: { readonly key: string; readonly known: KnownSchema } | null = null;

  constructor(plan: CompiledPlan, inputs: inputFiles.Inputs, pace: Pace) {
    this.#plan = plan;
    this.#folder = new inputFiles.PrivateFolder(plan.folder, '.compiled', BOUNDS);
    this.#schemas = new inputFiles.PrivateFolder(plan.folder, '.schema', SCHEMA_BOUNDS);
    this.#inputs = inputs;
    this.#pace = pace;
  }

  /** Whether the results of models of this size are kept. */
  keeps(models: readonly WsdlModel[]): boolean {
    if (this.#plan.isNamed) return true;
    const texts = models
      .flatMap(({ documents }) => documents.flatMap(({ segments }) => segments))
      .filter((segment) => typeof segment === 'string');
    return texts.reduce((sum, { length }) => sum + length, 0) >= DEFAULT_LEAST_BYTES;
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
    const key = this.#keys.get(location);
    if (key === undefined || !this.keeps([compiled.model])) return;
    this.#waiting.set(key, compiled);
  }

  /** Null where no schema of this name is known to have no errors. */
  async findSchema(key: string): Promise<KnownSchema | null> {
    const bytes = await this.#schemas.read(key);
    return bytes === null ? null : readKnown(key, bytes);
  }

  /** Has a schema remembered that was compiled without errors. */
  keepSchema(key: string, known: KnownSchema): void {
    this.#schema = { key, known };
  }

  /** Forgets a schema, until it is compiled without errors again. */
  async removeSchema(key: string): Promise<void> {
    await this.#schemas.remove(key);
  }

  /** Writes what is kept, with the pace of a reload. Never rejects. */
  async write(): Promise<void> {
    const pace = new TimeSlices();
    const schema = this.#schema;
    if (schema !== null) {
      await this.#schemas.write(schema.key, async () => [writeKnown(schema.key, schema.known)]);
    }
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
