import { Buffer } from 'node:buffer';
import { type Contract, missingParts } from '../../compile/graphql/kept-contract.js';
import { type TakenPlace, takenProblemsOf } from '../../compile/soap/documents/named-wsdl.js';
import { type Compiled, compile } from '../../compile.js';
import { type LoadedConfig, rootSection } from '../../config/load.js';
import {
  ConfigurationError,
  diagnosis,
  errorCode,
  inputFiles,
  TimeSlices,
} from '../../core/index.js';
import type { WsdlOffer } from '../../flow/drift/safe-changes.js';
import type { Log } from '../../observe/log/log.js';
import { takenWsdl } from '../../wsdl/index.js';
import { writeWhole } from '../write-whole.js';
import { checkWeakerSchemas } from './check-weaker.js';
import {
  noReads,
  type ReloadOccasion,
  type ReloadSource,
  type WsdlInUse,
} from './reload-source.js';
import type { Applied, Reloader } from './reloader.js';

/** Compiles what a reload names, and puts the result into use. Throws `ConfigurationError`. */
export type UseSource = (source: ReloadSource) => Promise<Applied>;

/** Runs the work of a reload. */
export type WhileReloading = <T>(work: () => Promise<T>) => Promise<T>;

/** What was read for the configuration in use. */
interface InUse {
  readonly snapshot: inputFiles.InputSnapshot;
  /** The WSDLs of the configuration, by location. */
  readonly wsdls: ReadonlyMap<string, WsdlInUse>;
}

/** What the log says about a WSDL that is taken. */
interface TakenFields extends Pick<WsdlOffer, 'service' | 'changes'> {
  readonly wsdl: string;
}

const PARTS_SHOWN = 10;

/**
 * Takes changed WSDLs of backends into use. Nothing else is read anew: an edit of the configuration
 * that no reload has taken stays unused.
 */
export class WsdlTakeover {
  readonly #log: Log;
  /** The taken WSDLs that are in no file, by the name of the input. */
  readonly #taken = new Map<string, Buffer>();
  /** The offers that wait for their turn, by location. */
  readonly #waiting = new Map<string, WsdlOffer>();
  /** Null where no changes are taken. */
  #inUse: InUse | null = null;

  readonly #reloading: WhileReloading;

  /** `reloading` runs the work of a reload, and reports it where something waits for that. */
  constructor(log: Log, reloading: WhileReloading) {
    this.#log = log;
    this.#reloading = reloading;
  }

  /** What counts as read before a reload reads: the WSDLs that were taken. */
  begin(): inputFiles.InputSnapshot {
    return { ...inputFiles.emptySnapshot(), contents: new Map(this.#taken) };
  }

  /**
   * A configuration is in use that was read from `snapshot`. Returns whether that is kept: where
   * WSDLs may be taken.
   */
  use(snapshot: inputFiles.InputSnapshot, wsdls: InUse['wsdls']): boolean {
    const places = [...wsdls.values()].filter(({ place }) => place !== null);
    this.#inUse = places.length === 0 ? null : { snapshot, wsdls };
    const used = new Set(
      places.flatMap(({ place, takenId }) => (takenId === null ? [] : [place?.input])),
    );
    for (const name of this.#taken.keys()) {
      if (!used.has(name)) {
        this.#taken.delete(name);
      }
    }
    // What could not be used is not tried again, neither by the next offer nor by a worker that
    // starts.
    for (const { place, takenId } of places) {
      if (place !== null && takenId === null) {
        snapshot.contents.delete(place.input);
      }
    }
    return this.#inUse !== null;
  }

  /**
   * Puts an offered WSDL into use, in turn with reloads. Of the offers that wait for one WSDL the
   * last counts.
   */
  offer(offer: WsdlOffer, reloader: Reloader, use: UseSource): void {
    const { location } = offer;
    const isWaiting = this.#waiting.has(location);
    this.#waiting.set(location, offer);
    if (isWaiting) return;
    void reloader.run('changed WSDL of a backend', () => {
      const last = this.#waiting.get(location) ?? offer;
      this.#waiting.delete(location);
      return this.#reloading(() => this.#take(last, use));
    });
  }

  /**
   * Null for an outdated offer. Throws `ConfigurationError` where the WSDL cannot be used, or
   * callers would miss something.
   */
  async #take(offer: WsdlOffer, use: UseSource): Promise<Applied | null> {
    const before = this.#inUse;
    const known = before?.wsdls.get(offer.location);
    const { content, service, changes, location } = offer;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    // A reload meanwhile has put another WSDL into use: the next look decides anew.
    if (
      before === null ||
      !known?.place ||
      known.takenId !== offer.over ||
      !(await isOverFiles(bytes, before.snapshot))
    ) {
      this.#log.event(
        'info',
        'the WSDL of a backend is compared anew: another one is in use by now',
        { service },
      );
      return null;
    }
    const contents = new Map(before.snapshot.contents).set(known.place.input, bytes);
    const snapshot: inputFiles.InputSnapshot = { ...before.snapshot, contents };
    const reads = { ...noReads(), snapshot };
    const applied = await use({
      occasion: 'WSDL',
      inputs: inputFiles.replayInputs(snapshot),
      reads,
    });
    await this.#keep(known.place, bytes, { service, changes, wsdl: location });
    return applied;
  }

  async #keep({ input, file }: TakenPlace, bytes: Buffer, taken: TakenFields): Promise<void> {
    if (file !== null) {
      try {
        await writeWhole(file, bytes);
        this.#taken.delete(input);
        this.#log.event('info', 'the WSDL of the backend is in use', { ...taken, file });
        return;
      } catch (error) {
        const code = errorCode(error) ?? 'unknown';
        this.#log.event('error', 'the WSDL of the backend could not be kept', {
          ...taken,
          file,
          code,
        });
      }
    }
    this.#taken.set(input, bytes);
    const remedy =
      'Until the process ends: set `drift.folder`, or replace the file by `soapstone import`.';
    this.#log.event('warn', 'the WSDL of the backend is in use', { ...taken, remedy });
  }
}

/** Whether the files in use are those with which a WSDL of a backend was compared. */
async function isOverFiles(bytes: Buffer, inUse: inputFiles.InputSnapshot): Promise<boolean> {
  const offered = takenWsdl.unpackTaken(bytes);
  return (
    offered !== null &&
    (await new inputFiles.RememberedReads(offered.replaces).areSame(inputFiles.replayInputs(inUse)))
  );
}

/** The configuration in use is another one than that a WSDL was compared with. */
export const outdated = (): ConfigurationError =>
  diagnosis.unplacedError(
    'The WSDL of a backend was compared with one that is no longer in use.',
    'The next comparison decides.',
  );

/**
 * Throws `ConfigurationError` where the WSDL of the backend is not used, or callers would miss
 * something.
 */
async function checkTaken(before: Contract, after: Compiled): Promise<void> {
  const unused = takenProblemsOf(after.wsdls);
  if (unused.length > 0) throw new ConfigurationError(unused);
  const missing = await new TimeSlices().run(missingParts(before, after));
  if (missing.length === 0) return;
  const shown = missing.slice(0, PARTS_SHOWN).join(', ');
  const what =
    'With the WSDL of the backend, callers would miss: ' +
    `${shown}${missing.length > PARTS_SHOWN ? ', ...' : ''}.`;
  throw diagnosis.unplacedError(
    what,
    'Names collide: give the operations or types other names in the mapping, and reload.',
  );
}

/** Compiles a configuration beside the one in use. Throws `ConfigurationError`. */
export async function compileBeside(
  loaded: LoadedConfig,
  before: Compiled,
  occasion: ReloadOccasion,
): Promise<Compiled> {
  const next = await compile(loaded, before);
  try {
    if (occasion === 'WSDL') {
      await checkTaken(before, next);
    }
    if (occasion === 'changed files') {
      checkWeakerSchemas(before, next, rootSection(loaded));
    }
    return next;
  } catch (error) {
    await next.close();
    throw error;
  }
}
