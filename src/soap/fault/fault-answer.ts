import type { Buffer } from 'node:buffer';
import type { ReaderPool } from '../../xml/reader-pool.js';
import type { Dialect } from '../dialect.js';
import { applyEdits } from '../edit.js';
import { FaultMessage } from './fault-message.js';
import type { DetailRules } from './fault-policy.js';
import { type TranslatedFault, translateFault } from './fault-translation.js';

export type FaultAnswer =
  /** The message as it came, without the parts of its detail that the rules remove. */
  | { readonly kind: 'own'; readonly message: Buffer }
  | ({ readonly kind: 'translated'; readonly dialect: Dialect } & TranslatedFault);

/** How a Fault is answered. */
export interface FaultAnswerOptions {
  /** The caller's dialect; null when that is not known: the backend's stays. */
  readonly to: Dialect | null;
  readonly rules: DetailRules;
  readonly readers: ReaderPool;
  /** The charset in the Content-Type of the message. */
  readonly charset: string | null;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Prepares a backend's Fault for the caller. `message` is whole and validated: it stays byte for byte, without the
 * removed detail, where it is valid in the caller's dialect; else it is translated into that dialect.
 */
export function prepareFault(message: Buffer, options: FaultAnswerOptions): FaultAnswer {
  const { rules } = options;
  const { fault, encoding } = read(message, options, NONE);
  const to = options.to ?? fault.dialect;
  const isOther =
    to !== null && (fault.dialect !== to || (fault.form !== null && fault.form !== to.faultForm));
  if (to !== null && (isOther || !fault.isValid)) {
    const again = fault.prefixes.size === 0 ? fault : read(message, options, fault.prefixes).fault;
    if (isOther || !again.isValid)
      return { kind: 'translated', dialect: to, ...translateFault(again, to) };
  }
  if (rules.policy === 'unsafe:pass' || fault.cuts.length === 0) return { kind: 'own', message };
  return { kind: 'own', message: applyEdits(message, fault.cuts, encoding ?? 'utf-8', 0) };
}

function read(
  message: Buffer,
  { rules, readers, charset }: FaultAnswerOptions,
  prefixes: ReadonlySet<string>,
) {
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
