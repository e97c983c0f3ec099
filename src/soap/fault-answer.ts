import type { Buffer } from 'node:buffer';
import type { ReaderPool } from '../xml/reader-pool.js';
import type { Dialect } from './dialect.js';
import { applyEdits } from './edit.js';
import { FaultMessage } from './fault-message.js';
import type { DetailRules } from './fault-policy.js';
import { type TranslatedFault, translateFault } from './fault-translation.js';

export type FaultAnswer =
  /** The message as it came, or without what the rules take out of its detail. */
  | { readonly kind: 'own'; readonly message: Buffer }
  | ({ readonly kind: 'translated'; readonly dialect: Dialect } & TranslatedFault);

/** How a Fault is told to a caller. */
export interface FaultTelling {
  /** What the caller speaks; null when that is not known: what the backend spoke. */
  readonly to: Dialect | null;
  readonly rules: DetailRules;
  readonly readers: ReaderPool;
  /** Of the Content-Type of the message. */
  readonly charset: string | null;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What a caller is told of a Fault: `message`, a whole one that was judged, byte for byte where it speaks the caller's
 * dialect and is valid there, but for what is cut out of it; else the same in that dialect, as it has to be written.
 */
export function tellFault(message: Buffer, telling: FaultTelling): FaultAnswer {
  const { rules } = telling;
  const { fault, encoding } = read(message, telling, NONE);
  const to = telling.to ?? fault.dialect;
  const isOther = to !== null && (fault.dialect !== to || (fault.form !== null && fault.form !== to.faultForm));
  if (to !== null && (isOther || !fault.isValid)) {
    const again = fault.prefixes.size === 0 ? fault : read(message, telling, fault.prefixes).fault;
    if (isOther || !again.isValid) return { kind: 'translated', dialect: to, ...translateFault(again, to) };
  }
  if (rules.policy === 'pass' || fault.cuts.length === 0) return { kind: 'own', message };
  return { kind: 'own', message: applyEdits(message, fault.cuts, encoding ?? 'utf-8', 0) };
}

function read(message: Buffer, { rules, readers, charset }: FaultTelling, prefixes: ReadonlySet<string>) {
  const fault = new FaultMessage(rules, prefixes);
  const reader = readers.take(fault, charset);
  try {
    reader.write(message);
    reader.end();
    return { fault, encoding: reader.encoding };
  } finally {
    readers.give(reader);
  }
}
