import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import {
  asRefusal,
  isRecord,
  type jsonValues,
  Refusal,
  refuseByLimit,
} from '../../../core/index.js';
import { admission, type GraphqlLimits } from '../../../graphql/index.js';
import type { MimeLimits } from '../../../soap/index.js';
import { placeFiles } from './file-map.js';
import { FormReader, type FormSink } from './form-reader.js';
import { UploadedFile } from './uploaded-file.js';

export interface UploadLimits {
  readonly mime: MimeLimits;
  readonly graphql: Pick<
    GraphqlLimits,
    'bodyBytes' | 'uploads' | 'uploadBytes' | 'uploadHeldBytes'
  >;
}

/** The fields in the order that they come in. */
type Stage = 'operations' | 'map' | 'files' | 'over';

/**
 * A GraphQL multipart request, read as it comes: `operations`, `map`, then the files that the map
 * names, each of which waits until a call wants it. One that comes before its turn is held while a
 * later one is wanted, within limits.
 */
export class UploadForm implements FormSink {
  readonly #source: Readable;
  readonly #limits: UploadLimits;
  readonly #reader: FormReader;
  readonly #onBytes: (bytes: number) => void;
  #stage: Stage = 'operations';
  /** The pieces of `operations` or `map`. */
  #text: Buffer[] = [];
  #textBytes = 0;
  #fileBytes = 0;
  #heldBytes = 0;
  #operations: unknown = null;
  #bounds: jsonValues.JsonBounds | null = null;
  #files: ReadonlyMap<string, UploadedFile> = new Map();
  /** The file whose bytes are coming; null between fields, and in those before the files. */
  #current: UploadedFile | null = null;
  #resolve: (raw: unknown) => void = () => {};
  #reject: (refusal: Refusal) => void = () => {};

  constructor(
    source: Readable,
    boundary: string,
    limits: UploadLimits,
    onBytes: (bytes: number) => void,
  ) {
    this.#source = source;
    this.#limits = limits;
    this.#onBytes = onBytes;
    this.#reader = new FormReader(boundary, limits.mime, this);
  }

  /**
   * The parameters of the request, with the files in their places, as soon as the map has come.
   * Rejects with a refusal.
   */
  read(bounds: jsonValues.JsonBounds): Promise<unknown> {
    this.#bounds = bounds;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#source.on('data', this.#onData).once('end', this.#onEnd).once('error', this.#onError);
      // The client may have left before.
      if (this.#source.destroyed) {
        this.#stop(new Refusal('CLIENT_GONE'));
      }
    });
  }

  /** Nothing more is wanted of it. */
  close(): void {
    this.#stop(null);
  }

  begin(name: string): void {
    if (this.#stage !== 'files') {
      if (name !== this.#stage) {
        throw malformed(`It must have the field ${this.#stage} before all files.`);
      }
      return;
    }
    const file = this.#files.get(name);
    if (file === undefined) throw malformed('It has a file that its map does not name.');
    if (file.hasBegun) throw malformed('It has two files of one name.');
    file.hasBegun = true;
    this.#current = file;
  }

  content(piece: Buffer): void {
    const { graphql } = this.#limits;
    const file = this.#current;
    if (file === null) {
      this.#textBytes += piece.length;
      if (this.#textBytes > graphql.bodyBytes) throw tooLarge('bodyBytes', graphql.bodyBytes);
      this.#text.push(piece);
      return;
    }
    this.#fileBytes += piece.length;
    if (this.#fileBytes > graphql.uploadBytes) throw tooLarge('uploadBytes', graphql.uploadBytes);
    if (!file.isOpen && !file.isDropped) {
      this.#heldBytes += piece.length;
      if (this.#heldBytes > graphql.uploadHeldBytes) throw outOfOrder(graphql.uploadHeldBytes);
    }
    file.add(piece);
  }

  end(): void {
    if (this.#current !== null) {
      this.#current.end();
      this.#current = null;
      return;
    }
    const text = admission.decodeText(Buffer.concat(this.#text));
    this.#text = [];
    if (this.#stage === 'operations') {
      this.#operations = admission.parseJson(text, this.#bounds ?? NOTHING);
      if (Array.isArray(this.#operations)) throw new Refusal('BATCHING_NOT_SUPPORTED');
      if (!isRecord(this.#operations)) throw malformed('Its operations must be an object.');
      this.#stage = 'map';
    } else {
      this.#files = placeFiles(
        text,
        this.#operations,
        this.#limits.graphql.uploads,
        () => new UploadedFile(this.#flow),
      );
      this.#stage = 'files';
      this.#resolve(this.#operations);
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#onBytes(chunk.length);
    try {
      this.#reader.write(chunk);
    } catch (caught) {
      this.#stop(asRefusal(caught));
    }
    this.#flow();
  };

  readonly #onEnd = (): void => {
    try {
      this.#reader.end();
      if (this.#stage !== 'files') throw malformed('It must have the fields operations and map.');
    } catch (caught) {
      this.#stop(asRefusal(caught));
      return;
    }
    for (const file of this.#files.values()) {
      if (!file.hasBegun) {
        file.fail(malformed('A file that its map names did not come.'));
      }
    }
  };

  readonly #onError = (error: Error): void => {
    this.#stop(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
  };

  /** Reads on, or lets the sender wait. */
  readonly #flow = (): void => {
    if (this.#stage === 'over') return;
    const file = this.#current;
    this.#release();
    if (file === null || file.isWanted) {
      this.#source.resume();
    }
    // Held, or dropped, while another file is wanted that comes behind it.
    else if ((!file.isOpen || file.isDropped) && this.#isLaterWanted) {
      this.#source.resume();
    } else {
      this.#source.pause();
    }
  };

  get #isLaterWanted(): boolean {
    return [...this.#files.values()].some(
      (file) => file.isOpen && !file.hasBegun && !file.isDropped,
    );
  }

  /** What a file held is no longer held once it is read. */
  #release(): void {
    for (const file of this.#files.values()) {
      if (file.heldBytes === 0 || !(file.isOpen || file.isDropped)) continue;
      this.#heldBytes -= file.heldBytes;
      file.heldBytes = 0;
    }
  }

  /** Ends it: all files fail with the refusal; null where they are not wanted any more. */
  #stop(refusal: Refusal | null): void {
    if (this.#stage === 'over') return;
    this.#stage = 'over';
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    this.#source.pause();
    for (const file of this.#files.values()) {
      file.fail(refusal);
    }
    this.#current = null;
    if (refusal !== null) {
      this.#reject(refusal);
    }
  }
}

const NOTHING: jsonValues.JsonBounds = { levels: 0, parts: 0, members: 0 };

const malformed = (rule: string): Refusal => new Refusal('BAD_REQUEST', rule);

const tooLarge = (limit: 'bodyBytes' | 'uploadBytes', most: number): Refusal =>
  refuseByLimit('HTTP_TOO_LARGE', `limits.graphql.${limit}`, most);

/** A sender has to send files in the order of their use. */
const outOfOrder = (most: number): Refusal =>
  refuseByLimit(
    'BAD_REQUEST',
    'limits.graphql.uploadHeldBytes',
    most,
    null,
    'Files must come in the order of their use.',
  );
