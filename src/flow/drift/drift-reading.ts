import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { diagnosis, inputFiles, MIB } from '../../core/index.js';
import { hideQueries } from '../../gateway/hide-queries.js';
import { dial, fetching } from '../../upstream/index.js';
import {
  type Comparison,
  compareWsdls,
  readWsdl,
  type Severity,
  takenWsdl,
  type WsdlModel,
} from '../../wsdl/index.js';

/** Two WSDLs to be compared. */
export interface DriftTask {
  /** Path of the one that is served. */
  readonly file: string;
  /** The documents of the backend that are served in its place; null: none are. */
  readonly taken: Uint8Array | null;
  /** The reads of the files that a taken WSDL would replace; null: none is taken. */
  readonly replaces: readonly inputFiles.Read[] | null;
  /** The URL at which the backend shows its own WSDL. */
  readonly url: string;
  /** It is at the host of the service: its documents come the way that calls go. */
  readonly isBackend?: boolean;
  /** For another host. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The proxy on the way, and TLS, as the service has them. */
  readonly proxy?: string | null;
  readonly tls?: dial.TlsOptions | null;
}

/** Gets a document the way that the calls of a service go. */
export type FetchFromBackend = (url: string) => Promise<fetching.FetchedFile>;

/** The result of one comparison. */
export type DriftReading =
  | {
      readonly kind: 'read';
      readonly counts: Readonly<Record<Severity, number>>;
      readonly first: readonly string[];
    }
  | { readonly kind: 'failed'; readonly why: string };

/** A WSDL of a backend whose changes are all safe. */
export interface SafeWsdl {
  /** That of `TakenWsdl`. */
  readonly id: string;
  /** As `packTaken` writes it. */
  readonly content: Uint8Array;
  /**
   * A hash that is equal for the same changes, whatever else the documents hold. Some have the time
   * in a comment.
   */
  readonly changes: string;
}

const FETCH = { maxBytes: 32 * MIB, timeoutMillis: 30_000 } as const;
const SHOWN = 10;

/**
 * Reads both and compares them. Addresses are left out: backends write there what they were called
 * by.
 */
export async function readDrift(
  task: DriftTask,
  fetchFromBackend: FetchFromBackend | null = null,
): Promise<{ readonly reading: DriftReading; readonly safe: SafeWsdl | null }> {
  const { url, isBackend = false, headers = {}, proxy = null, tls = null, replaces } = task;
  const material = tls === null ? null : new dial.TlsMaterial(tls, {});
  const documents = new Map<string, fetching.FetchedFile>();
  let isWhole = true;
  const fetchOne: FetchFromBackend = (at) =>
    isBackend && fetchFromBackend !== null && new URL(at).origin === new URL(url).origin
      ? fetchFromBackend(at)
      : fetching.fetchDocument(at, {
          ...FETCH,
          ...((proxy !== null || tls !== null) && {
            routeTo: (to) => dial.routeTo(to, proxy, material),
          }),
          headersFor: ({ protocol }) => (protocol === new URL(url).protocol ? headers : {}),
        });
  try {
    const { model: served, isInUse } = await readServed(task);
    const shown = await readWsdl(url, {
      fetch: async (at) => {
        try {
          const document = await fetchOne(at);
          documents.set(at, document);
          return document;
        } catch (error) {
          isWhole = false;
          throw error;
        }
      },
      root: null,
      hosts: [],
    });
    const comparison = compareWsdls(served, shown);
    const changes = changesIn(comparison);
    const count = (severity: Severity): number =>
      changes.filter((change) => change.severity === severity).length;
    const counts = {
      breaking: count('breaking'),
      dangerous: count('dangerous'),
      safe: count('safe'),
    };
    const first = changes
      .slice(0, SHOWN)
      .map(({ severity, where, what }) => `${severity}: ${where} ${what}`);
    const isSafe = counts.safe > 0 && counts.safe === changes.length && comparison.dropped === 0;
    const reading: DriftReading = { kind: 'read', counts, first };
    if (!isSafe || !isWhole || !isInUse || replaces === null) return { reading, safe: null };
    const packed = takenWsdl.packTaken({ url, takenMillis: Date.now(), replaces, documents });
    const hash = createHash('sha256').update(JSON.stringify(changes));
    return { reading, safe: { ...packed, changes: hash.digest('base64') } };
  } catch (error) {
    const [first] = diagnosis.errorDiagnostics(error);
    return {
      reading: {
        kind: 'failed',
        why:
          first === undefined ? 'no reason given' : hideQueries(diagnosis.printDiagnostic(first)),
      },
      safe: null,
    };
  }
}

const changesIn = ({ changes }: Comparison): Comparison['changes'] =>
  changes.filter(({ isAddress }) => !isAddress);

/** The WSDL with which that of the backend is compared. */
interface Served {
  readonly model: WsdlModel;
  /**
   * True if the files of the WSDL have not been edited since they were read for the configuration
   * in use.
   */
  readonly isInUse: boolean;
}

async function readServed({ file, taken, replaces }: DriftTask): Promise<Served> {
  const options = { root: null, hosts: [] };
  const found =
    taken === null
      ? null
      : takenWsdl.unpackTaken(Buffer.from(taken.buffer, taken.byteOffset, taken.byteLength));
  if (found !== null) {
    return {
      model: await readWsdl(found.url, { ...options, fetch: takenWsdl.fetchTaken(found) }),
      isInUse: true,
    };
  }
  const snapshot = inputFiles.emptySnapshot();
  const model = await readWsdl(file, {
    ...options,
    fetch: null,
    inputs: inputFiles.recordInputs(snapshot),
  });
  return {
    model,
    isInUse: await new inputFiles.RememberedReads(replaces ?? []).areSame(
      inputFiles.replayInputs(snapshot),
    ),
  };
}
