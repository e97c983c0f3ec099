import type { Buffer } from 'node:buffer';
import type { CanonicalContent, WrittenName } from './events.js';
import type { Name } from './names.js';
import { skimMemory } from './skim-memory.js';
import { Skimmer } from './skimmer.js';

/** Skims content that is canonical XML, for a handler that takes it so. */
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

  protected open(name: Name, children: number): void {
    this.elements.pushCanonical(name).children = children;
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
    const emptyTags = skimMemory.emptyTags();
    this.#content?.pass({ bytes, start, end, lowest, opened, emptyTags, textDepths });
  }
}
