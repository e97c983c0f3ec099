import type { Buffer } from 'node:buffer';
import type { Encoding, ReaderPool } from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import { applyEdits, type Edit } from '../edit.js';
import { FaultMessage } from './fault-message.js';
import type { DetailRules } from './fault-policy.js';
import {
  faultCodeIn,
  type TranslatedFault,
  translateFault,
  validFault,
} from './fault-translation.js';

export type FaultAnswer =
  /**
   * The message as it came, without the parts of its detail that the rules remove. `repaired`: what
   * was not valid in its Fault and was written anew; null: nothing.
   */
  | { readonly kind: 'own'; readonly message: Buffer; readonly repaired: Repair | null }
  | ({
      readonly kind: 'translated';
      readonly dialect: Dialect;
      /** The encoding of the message; null: that of the reply is not known. */
      readonly charset: Encoding | null;
    } & TranslatedFault);

/** A Fault that was not valid, and is now. */
export interface Repair {
  readonly deviation: string;
  readonly code: string;
  readonly dialect: Dialect;
}

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
 * Prepares a backend's Fault for the caller. `message` is whole and validated: it stays byte for
 * byte, without the removed detail, where it is valid in the caller's dialect. An invalid Fault in
 * an envelope of that dialect is repaired, or translated where a bridge has put its envelope into
 * that dialect: its Header stays. Any other message is written anew in that dialect.
 */
export function prepareFault(message: Buffer, options: FaultAnswerOptions): FaultAnswer {
  const { rules } = options;
  const { fault, encoding } = read(message, options, NONE);
  const to = options.to ?? fault.dialect;
  const isBridged = fault.ownDialect !== fault.dialect;
  const isOther =
    to !== null &&
    (isBridged || fault.dialect !== to || (fault.form !== null && fault.form !== to.faultForm));
  if (to !== null && (isOther || !fault.isValid)) {
    const again = fault.prefixes.size === 0 ? fault : read(message, options, fault.prefixes).fault;
    if (isOther || !again.isValid) {
      const edits = fault.dialect === to ? replacingEdits(again, to) : null;
      if (edits === null) {
        return { kind: 'translated', dialect: to, charset: 'utf-8', ...translateFault(again, to) };
      }
      return isBridged
        ? {
            kind: 'translated',
            dialect: to,
            charset: encoding,
            message: edited(message, edits, encoding),
            code: faultCodeIn(again, to),
          }
        : {
            kind: 'own',
            message: edited(message, edits, encoding),
            repaired: repairOf(INVALID, again, to),
          };
    }
  }
  const repair = to === null ? null : fault.codeRepair;
  const cuts = rules.policy === 'unsafe:pass' ? [] : fault.cuts;
  const edits = repair === null ? cuts : [...cuts, repair];
  const repaired = repair === null || to === null ? null : repairOf(NO_PREFIX, fault, to);
  return { kind: 'own', message: edited(message, edits, encoding), repaired };
}

const repairOf = (deviation: string, fault: FaultMessage, dialect: Dialect): Repair => ({
  deviation,
  code: faultCodeIn(fault, dialect),
  dialect,
});

const NO_PREFIX = 'a code without a prefix';
const INVALID = 'a Fault that is not valid in its version';

/**
 * Writes the Fault anew in its envelope, and keeps the cuts around it. Null where that cannot be
 * done.
 */
function replacingEdits(fault: FaultMessage, to: Dialect): readonly Edit[] | null {
  const { range } = fault;
  const replacement = range === null ? null : validFault(fault, to);
  if (range === null || replacement === null) return null;
  const around = fault.cuts.filter(
    ({ startBytes, endBytes }) => endBytes <= range.startBytes || startBytes >= range.endBytes,
  );
  return [...around, { ...range, replacement }];
}

const edited = (message: Buffer, edits: readonly Edit[], encoding: Encoding | null): Buffer =>
  edits.length === 0 ? message : applyEdits(message, edits, encoding ?? 'utf-8', 0);

function read(
  message: Buffer,
  { rules, readers, charset }: FaultAnswerOptions,
  prefixes: ReadonlySet<string>,
) {
  const fault = new FaultMessage(rules, prefixes);
  const reader = readers.takeForReply(fault, charset);
  try {
    reader.write(message);
    reader.end();
    return { fault, encoding: reader.encoding };
  } finally {
    readers.give(reader);
  }
}
