import type { TakenPlace } from '../../compile/soap/documents/named-wsdl.js';
import { type Compiled, labelNamesOf } from '../../compile.js';
import { type Diagnostic, diagnosis, inputFiles } from '../../core/index.js';
import type { LabelNames } from '../../observe/metrics/retired-labels.js';
import type { FileIdentities } from './file-watch.js';

/** What was read for a reload, and what the files were before. */
export interface Reads {
  readonly snapshot: inputFiles.InputSnapshot;
  readonly files: FileIdentities;
}

export const noReads = (): Reads => ({ snapshot: inputFiles.emptySnapshot(), files: new Map() });

/**
 * Why a configuration is compiled again: an operator asks for it, and files are read; files have
 * changed, which must not take protection away; or a backend has another WSDL, which is all that
 * changes, and callers must not miss anything.
 */
export type ReloadOccasion = 'asked' | 'changed files' | 'WSDL';

/** What a reload compiles. */
export interface ReloadSource {
  readonly occasion: ReloadOccasion;
  /** Adds what it reads to `reads`. */
  readonly inputs: inputFiles.Inputs;
  readonly reads: Reads;
}

/** A WSDL of the configuration in use. */
export interface WsdlInUse {
  /** The input and the file of a taken WSDL that replaces it; null: none is taken. */
  readonly place: TakenPlace | null;
  /** The id of the taken WSDL that replaces it; null: none does. */
  readonly takenId: string | null;
}

/** What the parent of workers needs of a configuration that one of them has compiled. */
export interface CompiledFacts {
  readonly names: LabelNames;
  /** The WSDLs of the configuration, by location. */
  readonly wsdls: ReadonlyMap<string, WsdlInUse>;
  /** The first. */
  readonly warnings: readonly Diagnostic[];
}

/** The WSDLs of a compiled configuration, by location. */
const wsdlsInUse = ({ wsdls }: Compiled): CompiledFacts['wsdls'] =>
  new Map(
    [...wsdls].map(([location, { place, taken }]) => [
      location,
      { place, takenId: taken?.id ?? null },
    ]),
  );

export const compiledFacts = (compiled: Compiled): CompiledFacts => ({
  names: labelNamesOf(compiled),
  wsdls: wsdlsInUse(compiled),
  warnings: diagnosis.firstWarnings(compiled.warnings),
});
