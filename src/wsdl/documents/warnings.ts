import { collections, type Diagnostic, diagnosis } from '../../core/index.js';
import { diagnosticAtNode, type XmlNode } from './xml-tree.js';

/** The warnings of one import, bounded, each reported once, those of one cause as one. */
export interface Warnings {
  add(...diagnostics: readonly Diagnostic[]): void;
  /** Adds a warning at the start tag of a node. */
  addAt(node: XmlNode, what: string, remedy?: string | null): void;
  /** Adds a warning only for its first location. */
  addOnce(diagnostic: Diagnostic): void;
  list(): readonly Diagnostic[];
}

const MOST = 1000;
/** Places of one cause that are named. */
const PLACES = 5;

export function collectWarnings(): Warnings {
  const reported = new Set<string>();
  const kept: Diagnostic[] = [];
  let more = 0;
  const first = new Set<string>();
  return {
    addOnce(diagnostic) {
      if (!first.has(diagnostic.what)) {
        this.add(diagnostic);
      }
      first.add(diagnostic.what);
    },
    addAt(node, what, remedy = null) {
      this.add(diagnosticAtNode(node, what, remedy));
    },
    add(...diagnostics) {
      for (const diagnostic of diagnostics) {
        const key = `${diagnostic.file}\n${diagnostic.line}\n${diagnostic.column}\n${diagnostic.what}`;
        if (reported.has(key)) continue;
        if (kept.length >= MOST) {
          more++;
          continue;
        }
        reported.add(key);
        kept.push(diagnostic);
      }
    },
    list() {
      const groups = collections.groupBy(kept, ({ cause, what }) => cause ?? what);
      const listed = [...groups].flatMap(([cause, group]) => merged(cause, group));
      if (more === 0) return listed;
      return [...listed, diagnosis.unplaced(`And ${more} more warnings.`, null)];
    },
  };
}

/**
 * One warning at the first place of a cause, with the number of places, some of them, and the last
 * remedy.
 */
function merged(cause: string, group: readonly Diagnostic[]): readonly Diagnostic[] {
  const [first, ...others] = group;
  if (first === undefined || others.length === 0) return group;
  const named = others.slice(0, PLACES).map(({ file, line }) => `${file ?? ''}:${line ?? ''}`);
  const rest = others.length > PLACES ? ` and ${others.length - PLACES} more` : '';
  const what = `${cause} This is so in ${group.length} places, also ${named.join(', ')}${rest}.`;
  const { file, line, column } = first;
  return [{ file, line, column, what, remedy: others.at(-1)?.remedy ?? first.remedy }];
}
