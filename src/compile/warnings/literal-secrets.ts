import type { Diagnostic } from '../../base/diagnostic.js';
import { isRecord } from '../../base/record.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import { type ConfigPath, printPath } from '../../config/keys/config-path.js';
import type { LoadedConfig } from '../../config/load.js';

/** The keys whose values are secrets. `*` is any name, or any place of a list. */
const SECRETS: readonly string[] = [
  ...['basic.password', 'digest.password', 'ntlm.password', 'bearer.token', 'oauth2.clientSecret'].map(
    (key) => `services.*.auth.${key}`,
  ),
  'services.*.auth.login.arguments.password',
  'services.*.security.make.usernameToken.password',
  'services.*.tls.passphrase',
  'services.*.headers.authorization',
  'clients.introspection.clientSecret',
  'clients.introspection.tls.passphrase',
  'clients.authorize.token',
  'clients.authorize.tls.passphrase',
  'clients.maskKey',
  'redis.password',
  'redis.secret',
  'redis.sentinel.password',
  'admin.bearer.tokens.*',
  'admin.*.bearer.tokens.*',
  'traces.headers.authorization',
];

/** A name as those of variables are: in capitals, behind a dollar sign. */
const VARIABLE = /^\$[A-Z][A-Z0-9_]{2,127}$/;

/** Secrets that stand in the configuration itself, which is copied, mailed and committed; and variables without braces. */
export function warningsOfSecrets(loaded: LoadedConfig): readonly Diagnostic[] {
  const { services, graphqlServices, ...rest } = loaded.config;
  const all = { ...rest, services: { ...services, ...graphqlServices } };
  const unreplaced = [...textsIn(all, [])].filter(([path, text]) => VARIABLE.test(text) && loaded.isGiven(path));
  const literal = SECRETS.flatMap((pattern) => [...valuesAt(all, pattern.split('.'), [])]).filter(
    ([path, text]) => text !== '' && !loaded.isForeign(path) && !VARIABLE.test(text) && loaded.isGiven(path),
  );
  return [
    ...literal.map(([path]) => {
      const what = `${printPath(path)} stands in the configuration file itself.`;
      return diagnosticAt(loaded, path, what, 'Take it from the environment or from a file.', 'value');
    }),
    ...unreplaced.map(([path]) => {
      const what = `${printPath(path)} looks like a variable without braces: it is taken as it is.`;
      return diagnosticAt(loaded, path, what, 'Write braces around its name to have it replaced.', 'value');
    }),
  ];
}

type Text = readonly [path: ConfigPath, text: string];

function* valuesAt(value: unknown, [step, ...rest]: readonly string[], path: ConfigPath): Iterable<Text> {
  if (step === undefined) {
    if (typeof value === 'string') yield [path, value];
    return;
  }
  for (const [name, child] of childrenOf(value))
    if (step === '*' || (typeof name === 'string' && name.toLowerCase() === step.toLowerCase()))
      yield* valuesAt(child, rest, [...path, name]);
}

function* textsIn(value: unknown, path: ConfigPath): Iterable<Text> {
  if (typeof value === 'string') yield [path, value];
  else for (const [name, child] of childrenOf(value)) yield* textsIn(child, [...path, name]);
}

/** Of a list by number. A configuration has few levels: its own shape bounds the recursion. */
function childrenOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((child: unknown, index) => [index, child] as const);
  return isRecord(value) ? Object.entries(value) : [];
}
