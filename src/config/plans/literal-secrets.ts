import { jsonValues, type Steps } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';

/** The keys whose values are secrets. `*` is any name, or any place of a list. */
const SECRETS: readonly string[] = [
  ...[
    'basic.password',
    'digest.password',
    'ntlm.password',
    'bearer.token',
    'oauth2.clientSecret',
    'oauth2.key',
  ].flatMap((key) =>
    ['services.*', 'services.*.canary', 'services.*.shadow'].map((owner) => `${owner}.auth.${key}`),
  ),
  'services.*.canary.tls.passphrase',
  'services.*.canary.headers.authorization',
  'services.*.shadow.tls.passphrase',
  'services.*.shadow.headers.authorization',
  'services.*.auth.login.arguments.password',
  'services.*.security.make.usernameToken.password',
  'services.*.security.make.saml.passphrase',
  'services.*.security.verify.decrypt.keys.*.passphrase',
  'services.*.security.verifyReplies.decrypt.keys.*.passphrase',
  'services.*.tls.passphrase',
  'services.*.headers.authorization',
  'clients.introspection.clientSecret',
  'clients.introspection.tls.passphrase',
  'clients.introspection.dpop.keys.*',
  'clients.jwt.dpop.keys.*',
  'clients.jwt.*.dpop.keys.*',
  'clients.authorize.token',
  'clients.authorize.tls.passphrase',
  'clients.maskKey',
  'mcp.keys.*',
  'redis.password',
  'redis.secret',
  'redis.sentinel.password',
  'admin.bearer.tokens.*',
  'admin.*.bearer.tokens.*',
  'traces.headers.authorization',
  'metrics.headers.authorization',
  'log.headers.authorization',
];

/** A name as those of variables are: in capitals, behind a dollar sign. */
const VARIABLE = /^\$[A-Z][A-Z0-9_]{2,127}$/;

/**
 * Secrets that stand in the configuration itself, which is copied, mailed and committed; and
 * variables without braces.
 */
export function* warningsOfSecrets(root: ConfigSection<Config>): Steps<readonly Finding[]> {
  const ofKeys = yield* plainKeys(root);
  const { services, graphqlServices, ...rest } = root.value;
  const all = { ...rest, services: { ...services, ...graphqlServices } };
  const unreplaced: Text[] = [];
  for (const each of textsIn(all, [])) {
    const [path, text] = each;
    if (VARIABLE.test(text) && root.isGiven(path)) {
      unreplaced.push(each);
    }
    yield;
  }
  const literal = SECRETS.flatMap((pattern) => [...valuesAt(all, pattern.split('.'), [])]).filter(
    ([path, text]) =>
      text !== '' && !root.isForeign(path) && !VARIABLE.test(text) && root.isGiven(path),
  );
  return [
    ...ofKeys,
    ...literal.map(([path]): Finding => {
      const what = `${printPath(path)} stands in the configuration file itself.`;
      return { path, part: 'value', what, remedy: 'Take it from the environment or from a file.' };
    }),
    ...unreplaced.map(([path]): Finding => {
      const what = `${printPath(path)} looks like a variable without braces: it is taken as it is.`;
      return {
        path,
        part: 'value',
        what,
        remedy: 'Write braces around its name to have it replaced.',
      };
    }),
  ];
}

/** Keys of clients, which are secrets too. */
function* plainKeys(root: ConfigSection<Config>): Steps<readonly Finding[]> {
  const found: Finding[] = [];
  const remedy = 'Take it from the environment or from a file.';
  for (const [name, { keys }] of Object.entries(root.value.clients?.apiKeys?.clients ?? {})) {
    for (const index of keys.keys()) {
      const path = ['clients', 'apiKeys', 'clients', name, 'keys', index];
      if (root.isForeign(path)) continue;
      const what = `A key of client \`${name}\` stands in the configuration file itself.`;
      found.push({ path, part: 'value', what, remedy });
    }
    yield;
  }
  return found;
}

type Text = readonly [path: ConfigPath, text: string];

function* valuesAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  path: ConfigPath,
): Iterable<Text> {
  if (step === undefined) {
    if (typeof value === 'string') {
      yield [path, value];
    }
    return;
  }
  for (const [name, child] of childrenOf(value)) {
    if (step === '*' || (typeof name === 'string' && isNamed(name, step))) {
      yield* valuesAt(child, rest, [...path, name]);
    }
  }
}

/** The lengths first: all keys of all services are compared with each secret. */
const isNamed = (name: string, step: string): boolean =>
  name.length === step.length && name.toLowerCase() === step.toLowerCase();

function* textsIn(value: unknown, path: ConfigPath): Iterable<Text> {
  if (typeof value === 'string') {
    yield [path, value];
  } else {
    for (const [name, child] of childrenOf(value)) {
      yield* textsIn(child, [...path, name]);
    }
  }
}

/**
 * Returns the members of a map by name, or of a list by number. A configuration has few levels: its
 * own shape bounds the recursion.
 */
function childrenOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((child: unknown, index) => [index, child] as const);
  return jsonValues.recordEntries(value);
}
