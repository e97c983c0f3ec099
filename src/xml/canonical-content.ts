import type { Buffer } from 'node:buffer';
import type { Frame } from './elements.js';
import type { CanonicalContent, WrittenName } from './events.js';
import type { Name } from './names.js';
import { skimMemory } from './skim-memory.js';
import { Skimmer } from './skimmer.js';

/** Skims content that is canonical XML as it stands, for a handler that takes it so. */
export class CanonicalContentSkimmer extends Skimmer {
  #content: CanonicalContent | null = null;

  protected prepare(): number {
    const { namespaces, canonicalContent } = this.elements;
    this.#content = canonicalContent;
    if (canonicalContent === null) return -1;
    skimMemory.setPrefixes(namespaces, canonicalContent.watched, canonicalContent);
    return canonicalContent.floor;
  }

  protected skim(from: number, end: number): number {
    return skimMemory.skimCanonical(from, end);
  }

  protected open(name: Name): Frame {
    return this.elements.pushCanonical(name);
  }

  protected passed(bytes: Buffer, start: number, end: number, lowest: number): void {
    const { frames, depth } = this.elements;
    const opened: WrittenName[] = [];
    const textDepths: number[] = [];
    for (let level = lowest; level <= depth; level++) {
      const frame = frames[level];
      if (frame !== undefined && level > lowest) {
        opened.push(frame.name);
      }
      if (skimMemory.hasTextAt(level)) {
        textDepths.push(level);
      }
    }
    this.#content?.pass({ bytes, start, end, lowest, opened, textDepths });
  }
}
