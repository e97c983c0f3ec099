import type { Diagnostic } from '../../base/diagnostic.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import type { LoadedConfig } from '../../config/load.js';
import type { GraphqlServiceConfig, ServiceConfig } from '../../config/schema.js';

type AnyService = ServiceConfig | GraphqlServiceConfig;

/** A warning about a key of a service. */
interface Warning {
  readonly path: ConfigPath;
  readonly what: string;
  readonly remedy: string;
  /** The key itself, rather than its value. */
  readonly isKey?: boolean;
}

type Check = (config: AnyService, loaded: LoadedConfig) => readonly Warning[];

/** Settings about backends that leak secrets, or do not go together. */
export function warningsOfBackends(loaded: LoadedConfig): readonly Diagnostic[] {
  const { services, graphqlServices } = loaded.config;
  return Object.entries({ ...services, ...graphqlServices }).flatMap(([name, config]) =>
    CHECKS.flatMap((check) => check(config, loaded)).map(({ path, what, remedy, isKey = false }) => {
      const text = `Service \`${name}\` ${what}`;
      const at = ['services', name, ...path];
      return isKey ? diagnosticAt(loaded, at, text, remedy, 'key') : diagnosticAt(loaded, at, text, remedy);
    }),
  );
}

/** Secrets that are sent without TLS to another machine. */
const openSecrets: Check = (config, loaded) => {
  const { auth, urls } = config;
  const warnings: Warning[] = [];
  if (auth?.oauth2 !== undefined && isOpen(auth.oauth2.tokenUrl)) {
    const what = 'sends its client secret to a token endpoint without TLS.';
    warnings.push({ path: ['auth', 'oauth2', 'tokenUrl'], what, remedy: 'Use https.' });
  }
  const [kind = ''] = Object.keys(auth ?? {});
  if (['basic', 'bearer', 'oauth2', 'ntlm', 'login'].includes(kind) && urls.some(isOpen)) {
    const what = `sends credentials (\`${kind}\`) to its backend without TLS.`;
    warnings.push({ path: ['auth'], what, remedy: 'Use https, or a network that others cannot read.' });
  }
  const { services } = loaded.config;
  const called = auth?.login === undefined ? undefined : services[auth.login.operation.replace(/\..*$/s, '')];
  if (called !== undefined && called !== config && called.urls.some(isOpen)) {
    const what = 'sends the arguments of its login without TLS.';
    warnings.push({ path: ['auth', 'login', 'operation'], what, remedy: 'Give that service an https address.' });
  }
  const token = 'security' in config ? config.security.make?.usernameToken : undefined;
  if (token?.type === 'text' && urls.some(isOpen)) {
    const what = 'sends the password of its UsernameToken without TLS.';
    warnings.push({ path: ['security', 'make', 'usernameToken'], what, remedy: 'Use https, or `type: digest`.' });
  }
  return warnings;
};

/** Handshakes for connections that are not kept. */
const lostHandshakes: Check = ({ auth, limits }) => {
  const { requestsPerConnection, keepAliveMillis } = limits.upstream;
  if (auth?.ntlm === undefined || (requestsPerConnection > 1 && keepAliveMillis > 0)) return [];
  const what = 'logs in for every call: NTLM authenticates a connection, and each is used once.';
  const remedy = 'Let `limits.upstream` keep connections: `requestsPerConnection` and `keepAliveMillis`.';
  return [{ path: ['auth', 'ntlm'], what, remedy, isKey: true }];
};

/** Connections that callers authenticate, and calls that are spread one by one. */
const boundCallers: Check = (config) => {
  const { auth, balance, health } = config;
  if (auth?.passthrough !== true) return [];
  const warnings: Warning[] = [];
  const [key] = [balance === undefined ? [] : 'balance', 'sticky' in config && config.sticky ? 'sticky' : []].flat();
  if (key !== undefined) {
    const what = `spreads calls by \`${key}\`, but not those of callers that authenticate their connection: by NTLM and Negotiate each connection stays at one address, taken in turn.`;
    warnings.push({
      path: [key],
      what,
      remedy: 'Remove it, or have callers send credentials with each request.',
      isKey: true,
    });
  }
  if (health !== undefined && health.tcp !== true) {
    const what = 'checks its addresses without credentials: callers have those (`passthrough`).';
    warnings.push({
      path: ['health'],
      what,
      remedy: 'Use `tcp: true`, or check something that needs none.',
      isKey: true,
    });
  }
  return warnings;
};

/** Limits of calls that have no effect beside others. */
const uselessLimits: Check = (config) => {
  const warnings: Warning[] = [];
  const operations = 'operations' in config ? Object.entries(config.operations) : [];
  const levels: (readonly [ConfigPath, Pick<AnyService, 'timeoutMillis' | 'retry' | 'requestsAtOnce'>])[] = [
    [[], config],
  ];
  for (const [name, mapping] of operations)
    if (typeof mapping === 'object') levels.push([['operations', name], mapping]);
  const isAnyRepeated =
    !('operations' in config) ||
    operations.some(([, mapping]) => typeof mapping === 'object' && mapping.idempotent === true);
  for (const [path, { retry, timeoutMillis = config.timeoutMillis, requestsAtOnce }] of levels) {
    const total = timeoutMillis ?? config.limits.upstream.totalMillis;
    if (retry?.perTryMillis !== undefined && retry.perTryMillis >= total) {
      const what = `gives an attempt ${retry.perTryMillis} ms and the whole call ${total} ms: none is given up for another.`;
      warnings.push({
        path: [...path, 'retry', 'perTryMillis'],
        what,
        remedy: 'Make it shorter, or `timeoutMillis` longer.',
      });
    }
    if (
      path.length > 0 &&
      requestsAtOnce !== undefined &&
      requestsAtOnce >= (config.requestsAtOnce ?? Number.POSITIVE_INFINITY)
    ) {
      const what = `lets operation \`${path[1]}\` have as many calls at once as all together.`;
      warnings.push({ path: [...path, 'requestsAtOnce'], what, remedy: 'Make it less than that of the service.' });
    }
    const isSent =
      retry !== undefined && (retry.perTryMillis !== undefined || retry.on.some((reason) => reason !== 'refused'));
    if (path.length === 0 && isSent && !isAnyRepeated) {
      const what = 'repeats no call that was sent: none of its operations is `idempotent`.';
      warnings.push({
        path: ['retry'],
        what,
        remedy: 'Mark those that may be repeated with `idempotent: true`.',
        isKey: true,
      });
    }
  }
  return warnings;
};

const CHECKS: readonly Check[] = [openSecrets, lostHandshakes, boundCallers, uselessLimits];

/** An http address of another machine. */
export const isOpen = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};
