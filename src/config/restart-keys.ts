import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError, type Diagnostic, isRecord } from '../core/index.js';
import type { ConfigPath } from './keys/config-path.js';
import { listenersOf } from './listen/listen-keys.js';
import type { Config } from './schema.js';
import type { ConfigSection } from './section.js';

/**
 * The keys whose value a running gateway keeps: sockets, processes, and memory that is sized once.
 */
const RESTART_KEYS: readonly ConfigPath[] = [
  ['listen'],
  ['admin'],
  ['adminHosts'],
  ['workers'],
  ['audit'],
  ['redis'],
  ['demo'],
  ['limits', 'http', 'headerBytes'],
  ['limits', 'http', 'ticketKeyMillis'],
  ['limits', 'overload'],
  ['limits', 'persisted'],
  ['limits', 'subscriptions', 'historyEvents'],
  ['limits', 'subscriptions', 'resumeMillis'],
];

/**
 * Throws `ConfigurationError` with every key of `next` that differs from `running` and needs a
 * restart.
 */
export function checkRestartKeys(
  running: ConfigSection<Config>,
  next: ConfigSection<Config>,
): void {
  const diagnostics = RESTART_KEYS.filter(
    (path) => !isDeepStrictEqual(comparable(running, path), comparable(next, path)),
  ).map((path): Diagnostic => {
    const what = `\`${path.join('.')}\` cannot change while the gateway runs.`;
    return next.diagnostic(path, what, 'Restart the gateway, or undo the change.');
  });
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
}

/** Credentials of operators may change, as those of clients. */
const CREDENTIALS: ReadonlySet<string> = new Set(['basic', 'bearer']);

/** The value of a key, without the texts of files that listeners read again by themselves. */
function comparable(files: ConfigSection<Config>, path: ConfigPath): unknown {
  const { value: config } = files;
  const [key] = path;
  if (key === 'redis') return withoutRotating(config.redis ?? null, path, files);
  if (key !== 'listen' && key !== 'admin') return valueAt(config, path);
  return listenersOf(config[key]).map(({ listener: { tls, ...rest }, path: at }) => {
    const listener = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !CREDENTIALS.has(name)),
    );
    const withoutFiles = (texts: Readonly<Record<string, unknown>>, where: ConfigPath): unknown =>
      mapValues(texts, (text, name) => files.fileAt([key, ...at, 'tls', ...where, name]) ?? text);
    if (tls === undefined) return listener;
    const { names, ...own } = tls;
    const ofNames = mapValues(names, (texts, name) => withoutFiles(texts, ['names', name]));
    return { ...listener, own: withoutFiles(own, []), ofNames };
  });
}

/** What connections to Redis read again. */
const ROTATING: ReadonlySet<string> = new Set(['ca', 'cert', 'key', 'pfx', 'password']);

/** Keys with their values; of files that are read again, their paths. */
function withoutRotating(value: unknown, path: ConfigPath, files: ConfigSection<Config>): unknown {
  if (!isRecord(value)) return value;
  return mapValues(value, (child, name) => {
    const at = [...path, name];
    return (ROTATING.has(name) ? files.fileAt(at) : null) ?? withoutRotating(child, at, files);
  });
}

/**
 * Maps the values of an object; the order of its keys makes no difference when the result is
 * compared.
 */
const mapValues = <T>(
  map: Readonly<Record<string, T>>,
  to: (value: T, name: string) => unknown,
): unknown => new Map(Object.entries(map).map(([name, value]) => [name, to(value, name)]));

const valueAt = (config: Config, path: ConfigPath): unknown =>
  path.reduce((owner: unknown, step) => (isRecord(owner) ? owner[step] : undefined), config);
