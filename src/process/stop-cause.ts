import { constants } from 'node:os';

import type { Config } from '../config/schema.js';
import type { Log } from '../observe/log/log.js';
import type { ExitCode } from './terminal.js';

/** Why a process ends. */
export interface StopCause {
  /** The signal, or the event of Node for an error that no code caught. */
  readonly name: string;
  readonly code: ExitCode;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Resolves to the first cause to end: SIGTERM, SIGINT, or a bug that no code caught, after which
 * the state of the process is not known: it drains and ends (catalogue L12). A second signal ends
 * the process at once, as the system does; a second bug is only logged.
 */
export function stopCause(log: Log): Promise<StopCause> {
  for (const each of SIGNALS) {
    process.off(each, endBySignal);
  }
  return new Promise((resolve) => {
    const stop = (signal: string): void => {
      for (const each of SIGNALS) {
        process.off(each, stop);
      }
      endProcessOneBySignals();
      resolve({ name: signal, code: 0 });
    };
    for (const each of SIGNALS) {
      process.on(each, stop);
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.bug(error, { cause: event });
        resolve({ name: event, code: 1 });
      });
    }
  });
}

/**
 * Makes SIGTERM and SIGINT end process 1, which the gateway is in a container, as the system ends
 * others: process 1 gets no signal that it does not handle, and one that comes during a long start
 * would be lost.
 */
export function endProcessOneBySignals(): void {
  if (process.pid === 1) {
    for (const each of SIGNALS) {
      process.on(each, endBySignal);
    }
  }
}

/** With the code that a shell gives to a process that a signal has ended. */
function endBySignal(signal: NodeJS.Signals): never {
  process.exit(128 + constants.signals[signal]);
}

/**
 * How long a gateway takes requests before it drains; one with a bug takes none, for its state is
 * not known.
 */
export const drainDelayOf = ({ code }: StopCause, { drainDelayMillis }: Config): number =>
  code === 0 ? drainDelayMillis : 0;

/**
 * An end that had to cut requests (catalogue L06), or lost lines of the log or the audit, has
 * failed.
 */
export const endCode = ({ code }: Pick<StopCause, 'code'>, isForced: boolean): ExitCode =>
  code === 0 && isForced ? 1 : code;
