import type { Log } from '../observe/log.js';
import type { ExitCode } from './terminal.js';

/** Why a process ends. */
export interface StopCause {
  /** The signal, or the event of Node for an error that no code caught. */
  readonly name: string;
  readonly code: ExitCode;
}

/** Of a stack in the log. */
const STACK_UNITS_MAX = 4096;

/**
 * Resolves to the first cause to end: SIGTERM, SIGINT, or a bug that no code caught, after which the state of the process
 * is not known: it drains and ends (catalogue L12). A second signal ends the process at once, as the system does; a
 * second bug is only logged.
 */
export function stopCause(log: Log): Promise<StopCause> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const stop = (signal: string): void => {
      for (const each of signals) process.off(each, stop);
      resolve({ name: signal, code: 0 });
    };
    for (const each of signals) process.on(each, stop);
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => {
        const stack = error instanceof Error ? error.stack : undefined;
        log.event('error', 'a bug', { cause: event, err: stack?.slice(0, STACK_UNITS_MAX) ?? 'no error' });
        resolve({ name: event, code: 1 });
      });
  });
}
