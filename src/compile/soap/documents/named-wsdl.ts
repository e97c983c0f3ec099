import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { invalid } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import {
  AT_ONCE,
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  errorCode,
  inputFiles,
  type Pace,
} from '../../../core/index.js';
import { hideQueries } from '../../../gateway/hide-queries.js';
import { readWsdl, takenWsdl, type WsdlModel } from '../../../wsdl/index.js';
import { type Keeping, Kept } from '../../keep.js';
import type { CompiledWsdls } from './compiled-wsdls.js';

/** The position in the configuration that names a WSDL. */
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
  /** The remembered reads of the files. */
  readonly reads: inputFiles.RememberedReads;
  /** The documents of the backend that stand for the files; null: none do. */
  readonly taken: takenWsdl.TakenWsdl | null;
  /** The model of the files: `model` itself where nothing was taken. */
  readonly written: WsdlModel;
  /** The storage in which such documents are looked for; null: none are taken. */
  readonly place: TakenPlace | null;
  /**
   * Why documents that were taken do not stand for the files; [] where they do, and without any.
   */
  readonly takenProblems: readonly Diagnostic[];
}

type ReadModel = Pick<KnownModel, 'model' | 'reads' | 'taken' | 'written'>;

/** The storage of the documents that stand for a WSDL. */
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

/** Why documents that were taken do not stand for the files of these WSDLs. */
export const takenProblemsOf = (wsdls: ReadonlyMap<string, KnownModel>): readonly Diagnostic[] =>
  [...wsdls.values()].flatMap(({ takenProblems }) => takenProblems);

export const WSDLS = new Kept<KnownModel>('WSDLs and schemas', 'if their files are the same');

/** Reads the WSDLs of one configuration, each file once: services of one WSDL share its model. */
export class WsdlReader {
  /** The models by the location of their file. */
  readonly known = new Map<string, KnownModel>();
  readonly #reading = new Map<string, Reading>();
  readonly #inputs: inputFiles.Inputs;
  readonly #keeping: Keeping;
  readonly #pace: Pace;
  readonly #compiled: CompiledWsdls | null;
  readonly #takenProblem: string | null;

  /**
   * Models of the generation before are kept where their files are the same. With a problem that
   * the WSDLs cause which were taken from backends, none of these is used.
   */
  constructor(
    inputs: inputFiles.Inputs,
    keeping: Keeping,
    pace: Pace,
    compiled: CompiledWsdls | null = null,
    takenProblem: string | null = null,
  ) {
    this.#inputs = inputs;
    this.#keeping = keeping;
    this.#pace = pace;
    this.#compiled = compiled;
    this.#takenProblem = takenProblem;
  }

  /** Whether documents of a backend stand for a file. */
  get hasTaken(): boolean {
    return [...this.known.values()].some(({ taken }) => taken !== null);
  }

  /**
   * Throws `ConfigurationError`: of several services the first one that names the file has its
   * problems.
   */
  async read({ name: service, config, wsdl }: ServicePlan): Promise<KnownModel | null> {
    if (wsdl === null) return null;
    const { drift } = config;
    const { location, takenFile: file } = wsdl;
    const takes = drift?.apply === 'safe' ? JSON.stringify([drift.url, drift.folder ?? null]) : '';
    const before = this.#reading.get(location);
    if (before === undefined) {
      const place = takes === '' ? null : { input: `taken WSDL of ${location}`, file };
      const known = this.#read(location, wsdl.place, place);
      this.#reading.set(location, { service, drift: takes, known });
      return known;
    }
    if (before.drift !== takes) {
      const what = `\`${before.service}\` has the same \`wsdl\`, and takes changes of it otherwise.`;
      const remedy = 'Give both the same `drift`, or each a copy of the file.';
      throw invalid([], what, remedy);
    }
    return before.known;
  }

  async #read(location: string, place: WsdlPlace, takenAt: TakenPlace | null): Promise<KnownModel> {
    const takenProblems: Diagnostic[] = [];
    const unusable = (why: string): null => {
      takenProblems.push({
        ...place,
        what: `${UNUSED}: ${why}`,
        remedy: remedyFor(takenAt?.file ?? null),
      });
      return null;
    };
    const found =
      (takenAt === null ? null : await this.#readTaken(location, place, takenAt, unusable)) ??
      (await this.#readFiles(location, place));
    const known = { location, ...found, place: takenAt, takenProblems };
    this.known.set(location, WSDLS.set(this.#keeping, location, null, known));
    return known;
  }

  async #readFiles(location: string, place: WsdlPlace): Promise<ReadModel> {
    const earlier = WSDLS.find(this.#keeping, location, null);
    if (earlier !== null && (await earlier.reads.areSame(this.#inputs))) {
      return {
        model: earlier.written,
        written: earlier.written,
        reads: earlier.reads,
        taken: null,
      };
    }
    const compiled = (await this.#compiled?.find(location)) ?? null;
    if (compiled !== null) {
      const { model, reads } = compiled;
      const remembered = new inputFiles.RememberedReads(reads);
      return { model, written: model, reads: remembered, taken: null };
    }
    const reads = new inputFiles.RememberedReads();
    const model = await readNamedWsdl(location, place, reads.track(this.#inputs), this.#pace);
    this.#compiled?.keep(location, { model, reads: reads.list });
    return { model, written: model, reads, taken: null };
  }

  /**
   * Null where nothing was taken, and where it cannot be used: it must not keep the gateway from
   * starting.
   */
  async #readTaken(
    location: string,
    place: WsdlPlace,
    takenAt: TakenPlace,
    unusable: (why: string) => null,
  ): Promise<ReadModel | null> {
    const taken = await unpackFrom(takenAt, this.#inputs, unusable);
    if (taken === null) return null;
    const reads = new inputFiles.RememberedReads(taken.replaces);
    // The files of the operator count: once they change, what was taken in their place does not.
    if (!(await reads.areSame(this.#inputs))) return unusable('this one has changed since.');
    const earlier = WSDLS.find(this.#keeping, location, null);
    const { model: written } = await this.#readFiles(location, place);
    try {
      const options = {
        fetch: takenWsdl.fetchTaken(taken),
        root: null,
        hosts: [],
        pace: this.#pace,
      };
      const model =
        earlier?.taken?.id === taken.id ? earlier.model : await readWsdl(taken.url, options);
      return this.#takenProblem === null
        ? { model, written, reads, taken }
        : unusable(this.#takenProblem);
    } catch (error) {
      return unusable(`it cannot be read: ${hideQueries(diagnosis.firstProblem(error))}`);
    }
  }
}

const UNUSED = 'The WSDL that was taken from the backend is not used';

const remedyFor = (file: string | null): string =>
  `${file === null ? '' : `Remove ${file}: it is taken anew where it can be. `}\`soapstone ` +
  'diff` shows how the WSDL of the backend differs.';

/** What stands for a WSDL, from the inputs or its file; null for nothing. */
async function unpackFrom(
  { input, file }: TakenPlace,
  inputs: inputFiles.Inputs,
  unusable: (why: string) => null,
): Promise<takenWsdl.TakenWsdl | null> {
  try {
    const bytes = await inputs.fetch(input, async () =>
      file === null ? Buffer.alloc(0) : await readFile(file),
    );
    const taken = takenWsdl.unpackTaken(bytes);
    const isNone = file === null && bytes.length === 0;
    return taken !== null || isNone ? taken : unusable('its file is broken.');
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    return code === 'ENOENT' ? null : unusable(`its file cannot be read (${code}).`);
  }
}

/**
 * Reads the WSDL of a service from its file. Errors of the whole file are reported where it is
 * named.
 */
export async function readNamedWsdl(
  location: string,
  place: WsdlPlace,
  inputs: inputFiles.Inputs = inputFiles.LIVE_INPUTS,
  pace: Pace = AT_ONCE,
): Promise<WsdlModel> {
  try {
    return await readWsdl(location, { fetch: null, root: null, hosts: [], inputs, pace });
  } catch (error) {
    const diagnostics = diagnosis.errorDiagnostics(error).map((diagnostic) => {
      if (diagnostic.line !== null || diagnostic.file !== location) return diagnostic;
      const what = diagnostic.what.includes(location)
        ? diagnostic.what
        : `${location}: ${diagnostic.what}`;
      return { ...diagnostic, ...place, what };
    });
    throw new ConfigurationError(diagnostics);
  }
}
