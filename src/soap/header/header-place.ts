import type { Buffer } from 'node:buffer';
import type { Encoding, StartTag } from '../../xml/index.js';
import { type Edit, encodeAscii } from '../edit.js';

/** The position in a message at which the gateway writes header blocks of its own. */
export interface HeaderPlace {
  /** Offset in the message, as it is sent on. */
  readonly offsetBytes: number;
  /** Whether that is inside of a Header; else the message has none. */
  readonly isInHeader: boolean;
  readonly envelopeUri: string;
  readonly encoding: Encoding;
}

/**
 * Prints a header block as XML in ASCII, which declares its own namespaces. Called for each try of
 * each call.
 */
export type BlockWriter = (envelopeUri: string) => string;

/** The bytes to write at this place, so that the message has these blocks. */
export function printBlocks(place: HeaderPlace, writers: readonly BlockWriter[]): Buffer {
  const blocks = writers.map((write) => write(place.envelopeUri)).join('');
  const text = place.isInHeader
    ? blocks
    : `<h:Header xmlns:h="${place.envelopeUri}">${blocks}</h:Header>`;
  return encodeAscii(text, place.encoding);
}

/**
 * Finds the place of header blocks in a message while its envelope is validated: before the end tag
 * of the Header.
 */
export class HeaderPlaceFinder {
  /**
   * Changes nothing but a Header without an end tag, which is cut out; null until the place is
   * passed.
   */
  edit: Edit | null = null;
  /** In the message as it is sent on; -1 until its edits are applied. */
  offsetBytes = -1;
  isInHeader = false;
  #headerBytes = 0;

  openHeader({ offsetBytes }: StartTag): void {
    this.#headerBytes = offsetBytes;
  }

  closeHeader(contentEndBytes: number, endBytes: number): void {
    this.isInHeader = contentEndBytes < endBytes;
    this.#set(
      this.isInHeader ? contentEndBytes : this.#headerBytes,
      this.isInHeader ? contentEndBytes : endBytes,
    );
  }

  openBody({ offsetBytes }: StartTag): void {
    if (this.edit === null) {
      this.#set(offsetBytes, offsetBytes);
    }
  }

  #set(startBytes: number, endBytes: number): void {
    const onApplied = (offset: number): void => {
      this.offsetBytes = offset;
    };
    this.edit = { startBytes, endBytes, replacement: null, onApplied };
  }
}
