import { isDeepStrictEqual } from 'node:util';

import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import { isRecord } from '../base/record.js';
import type { LoadedConfig } from './load.js';
import type { Config } from './schema.js';
import type { ConfigPath } from './yaml-source.js';

/** The keys whose value a running gateway keeps: sockets, processes, and memory that is sized once. */
const RESTART_KEYS: readonly ConfigPath[] = [
  ['listen'],
  ['admin'],
  ['adminHosts'],
  ['workers'],
  ['redis'],
  ['demo'],
  ['limits', 'http', 'headerBytes'],
  ['limits', 'overload'],
  ['limits', 'persisted'],
  ['limits', 'subscriptions', 'historyEvents'],
];

/** Throws `ConfigurationError` with every key of `next` that differs from `running` and needs a restart. */
export function checkRestartKeys(running: Config, next: LoadedConfig): void {
  const diagnostics = RESTART_KEYS.filter(
    (path) => !isDeepStrictEqual(valueAt(running, path), valueAt(next.config, path)),
  ).map((path): Diagnostic => {
    const { line, column } = next.positionOf(path) ?? { line: null, column: null };
    const what = `\`${path.join('.')}\` cannot change while the gateway runs.`;
    return { file: next.file, line, column, what, remedy: 'Restart the gateway, or undo the change.' };
  });
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
}

const valueAt = (config: Config, path: ConfigPath): unknown =>
  path.reduce((owner: unknown, step) => (isRecord(owner) ? owner[step] : undefined), config);
