import type { fetching } from '../../upstream/index.js';
import type { DriftReading, SafeWsdl } from './drift-reading.js';

/** A message of the thread that compares: it wants a document of the backend, or is done. */
export type FromDriftWorker =
  | { readonly kind: 'fetch'; readonly id: number; readonly url: string }
  | { readonly kind: 'reading'; readonly reading: DriftReading; readonly safe: SafeWsdl | null };

/** The document that it wanted, or why there is none. */
export interface ToDriftWorker {
  readonly id: number;
  readonly document: fetching.FetchedFile | null;
  readonly why: string;
}
