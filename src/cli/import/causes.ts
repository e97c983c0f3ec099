import type { Diagnostic } from '../../core/index.js';
import { type Port, report, type WsdlModel } from '../../wsdl/index.js';

/** Texts with one cause: the first of them, and how many there are. */
export interface Cause<T> {
  readonly first: T;
  readonly count: number;
}

/**
 * Groups texts that differ in the names and numbers in them only, in the order of the first ones.
 */
export function groupByCause<T extends { readonly what: string; readonly remedy: string | null }>(
  texts: readonly T[],
): readonly Cause<T>[] {
  const groups = new Map<string, { readonly first: T; count: number }>();
  for (const text of texts) {
    const key = `${withoutNames(text.what)}\n${text.remedy ?? ''}`;
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { first: text, count: 1 });
    } else {
      known.count += 1;
    }
  }
  return [...groups.values()];
}

/** The words of a sentence: small letters, or one capital at the beginning of a sentence. */
function withoutNames(text: string): string {
  let isBeginning = true;
  return text
    .split(/\s+/)
    .map((word) => {
      const isWord = isBeginning
        ? /^[A-Z]?[a-z'-]*[.,:;]?$/.test(word)
        : /^[a-z'-]+[.,:;]?$/.test(word);
      isBeginning = /[.:]$/.test(word);
      return isWord ? word : '*';
    })
    .join(' ');
}

/**
 * The warnings about a WSDL and these ports of it, without those about ports whose operations have
 * the same reason.
 */
export function withoutReported(model: WsdlModel, ports: readonly Port[]): readonly Diagnostic[] {
  const { uncallable = [] } = model;
  const reported = new Set(
    uncallable.map(({ place, reason }) =>
      report.leftOut(
        place.replace(/^port /, ''),
        reason.what.replace(/^It cannot be called: (.*)\.$/, '$1'),
      ),
    ),
  );
  return report.warningsOfPorts(model, ports).filter(({ what }) => !reported.has(what));
}
