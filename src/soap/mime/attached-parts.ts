import { Part } from './part.js';

/** A part of a message of the WSDL that is an attachment (`mime:content`). */
export interface AttachedPart {
  readonly name: string;
  /** Those it may have, `image/*` too; none: any. */
  readonly mediaTypes: readonly string[];
}

interface Slot {
  readonly declared: AttachedPart;
  isWanted: boolean;
  part: Part | null;
}

/**
 * Finds the attachments of a message that are parts of the WSDL: by their Content-ID (WS-I
 * Attachments Profile 1.0 section 3.8), else, as older stacks name none, in their order and by
 * their media type.
 */
export class AttachedParts {
  readonly #slots: ReadonlyMap<string, Slot>;
  /** Those whose Content-ID names no part, in their order. */
  #unnamed: { readonly part: Part; readonly mediaType: string | null }[] = [];
  #hasWanted = false;

  constructor(declared: readonly AttachedPart[]) {
    this.#slots = new Map(
      declared.map((each) => [each.name, { declared: each, isWanted: false, part: null }]),
    );
  }

  want(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    slot.isWanted = true;
    this.#hasWanted = true;
  }

  /** An attachment begins; null where its content is not wanted. */
  begin(id: string | null, mediaType: string | null): Part | null {
    if (!this.#hasWanted) return null;
    const part = new Part();
    const slot = id === null ? undefined : this.#slots.get(nameIn(id));
    if (slot === undefined || slot.part !== null) {
      this.#unnamed.push({ part, mediaType });
      return part;
    }
    slot.part = part;
    return slot.isWanted ? part : null;
  }

  /** Null where the message has none. Once it is over. */
  find(name: string): Part | null {
    this.#assign();
    return this.#slots.get(name)?.part ?? null;
  }

  #assign(): void {
    for (const slot of this.#slots.values()) {
      if (this.#unnamed.length === 0) return;
      if (slot.part !== null) continue;
      const at = this.#unnamed.findIndex(({ mediaType }) =>
        fits(mediaType, slot.declared.mediaTypes),
      );
      slot.part = this.#unnamed[at]?.part ?? null;
      if (at >= 0) {
        this.#unnamed.splice(at, 1);
      }
    }
    this.#unnamed = [];
  }
}

/** `photo` of `photo=0f0e@host`; '' for none. */
function nameIn(id: string): string {
  const end = id.indexOf('=');
  try {
    return end === -1 ? '' : decodeURIComponent(id.slice(0, end));
  } catch {
    return '';
  }
}

function fits(mediaType: string | null, declared: readonly string[]): boolean {
  if (mediaType === null || declared.length === 0) return true;
  return declared.some((type) => {
    const bare = type.split(';', 1)[0]?.trim() ?? '';
    return (
      bare === mediaType ||
      bare === '*/*' ||
      (bare.endsWith('/*') && mediaType.startsWith(bare.slice(0, -1)))
    );
  });
}
