import { Buffer } from 'node:buffer';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import { errorCode } from '../base/error-code.js';
import { type InputSnapshot, type Inputs, replayInputs } from '../base/inputs.js';
import { TimeSlices } from '../base/time-slices.js';
import { type Contract, missingParts } from '../compile/kept-contract.js';
import type { KnownModel } from '../compile/named-wsdl.js';
import type { Compiled } from '../compile.js';
import type { WsdlOffer } from '../flow/drift/safe-changes.js';
import type { Log } from '../observe/log.js';
import type { Reloader } from './reloader.js';
import { whileReloading } from './service-manager.js';

/** Loads these inputs and puts the result into use, unless `check` throws. Resolves to its warnings. */
export type UseInputs = (
  snapshot: InputSnapshot,
  inputs: Inputs,
  check: ((compiled: Compiled) => Promise<void>) | null,
) => Promise<readonly Diagnostic[]>;

/** What was read for the configuration in use, and what callers know of it. */
interface InUse extends Contract {
  readonly snapshot: InputSnapshot;
  readonly wsdls: Compiled['wsdls'];
}

const PARTS_SHOWN = 10;

/**
 * Takes changed WSDLs of backends into use. Nothing else is read anew: an edit of the configuration that no reload has
 * taken stays unused.
 */
export class WsdlTakeover {
  readonly #log: Log;
  /** By the name of the input: those that are in no file. */
  readonly #taken = new Map<string, Buffer>();
  /** The WSDLs whose offer waits or is being taken, by location. */
  readonly #pending = new Set<string>();
  /** Null where no changes are taken. */
  #inUse: InUse | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reads as `inputs` does, with the WSDLs that were taken. */
  overlay(inputs: Inputs): Inputs {
    return { ...inputs, fetch: (name, fetch) => inputs.fetch(name, async () => this.#taken.get(name) ?? fetch()) };
  }

  /** A configuration is in use that was read from `snapshot`. Returns whether that is kept: where WSDLs may be taken. */
  use(snapshot: InputSnapshot, { services, graph, wsdls }: Compiled): boolean {
    const places = [...wsdls.values()].filter(({ place }) => place !== null);
    this.#inUse = places.length === 0 ? null : { snapshot, services, graph, wsdls };
    const used = new Set(places.flatMap(({ place, taken }) => (taken === null ? [] : [place?.input])));
    for (const name of this.#taken.keys()) if (!used.has(name)) this.#taken.delete(name);
    return this.#inUse !== null;
  }

  /** Puts an offered WSDL into use, in turn with reloads. Of services with one WSDL, the first offer counts. */
  offer(offer: WsdlOffer, reloader: Reloader, useInputs: UseInputs): void {
    const { location } = offer;
    if (this.#pending.has(location)) return;
    this.#pending.add(location);
    const reload = reloader.run('changed WSDL of a backend', () => whileReloading(() => this.#take(offer, useInputs)));
    void reload.then(() => this.#pending.delete(location));
  }

  /** Throws `ConfigurationError` where the WSDL cannot be used, or callers would miss something. */
  async #take(offer: WsdlOffer, useInputs: UseInputs): Promise<readonly Diagnostic[]> {
    const before = this.#inUse;
    const known = before?.wsdls.get(offer.location);
    // A reload meanwhile has put another WSDL into use: the next look decides anew.
    if (before === null || !known?.place || (known.taken?.id ?? null) !== offer.over) throw outdated();
    const { content, service, changes } = offer;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const contents = new Map(before.snapshot.contents).set(known.place.input, bytes);
    const snapshot: InputSnapshot = { ...before.snapshot, contents };
    const warnings = await useInputs(snapshot, replayInputs(snapshot), (compiled) => checkContract(before, compiled));
    await this.#keep(known, bytes, { service, changes });
    return warnings;
  }

  async #keep({ place, location }: KnownModel, bytes: Buffer, fields: Pick<WsdlOffer, 'service' | 'changes'>) {
    if (place === null) return;
    const { input, file } = place;
    const taken = { ...fields, wsdl: location };
    if (file !== null) {
      try {
        await writeWhole(file, bytes);
        this.#taken.delete(input);
        this.#log.event('info', 'the WSDL of the backend is in use', { ...taken, file });
        return;
      } catch (error) {
        const code = errorCode(error) ?? 'unknown';
        this.#log.event('error', 'the WSDL of the backend could not be kept', { ...taken, file, code });
      }
    }
    this.#taken.set(input, bytes);
    const remedy = 'Until the process ends: set `drift.folder`, or replace the file by `soapstone import`.';
    this.#log.event('warn', 'the WSDL of the backend is in use', { ...taken, remedy });
  }
}

const problem = (what: string, remedy: string | null): ConfigurationError =>
  new ConfigurationError([{ file: null, line: null, column: null, what, remedy }]);

const outdated = (): ConfigurationError =>
  problem('The WSDL of a backend was compared with one that is no longer in use.', 'The next comparison decides.');

async function checkContract(before: Contract, after: Contract): Promise<void> {
  const missing = await new TimeSlices().run(missingParts(before, after));
  if (missing.length === 0) return;
  const shown = missing.slice(0, PARTS_SHOWN).join(', ');
  const what = `With the WSDL of the backend, callers would miss: ${shown}${missing.length > PARTS_SHOWN ? ', ...' : ''}.`;
  throw problem(what, 'Names collide: give the operations or types other names in the mapping, and reload.');
}

/** Whole or not at all: a reader finds the file before, or this one. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
