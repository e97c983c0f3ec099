import type { ConfigPath } from '../../config/keys/config-path.js';
import type { Finding } from '../../config/keys/finding.js';
import type { AnyService, Config } from '../../config/schema.js';

type Services = Pick<Config, 'services' | 'graphqlServices' | 'console'>;

/** Checks one service: paths begin at its section, sentences with its name. */
type Check = (config: AnyService, gateway: Services) => readonly Finding[];

/** Settings about backends that leak secrets, or do not go together. */
export const warningsOfBackends = (gateway: Services): readonly Finding[] =>
  Object.entries({ ...gateway.services, ...gateway.graphqlServices }).flatMap(([name, config]) =>
    CHECKS.flatMap((check) => check(config, gateway)).map((finding) => ({
      ...finding,
      path: ['services', name, ...finding.path],
      what: `Service \`${name}\` ${finding.what}`,
    })),
  );

/** Secrets that are sent without TLS to another machine. */
const openSecrets: Check = (config, { services }) => {
  const { auth, urls } = config;
  const warnings: Finding[] = [];
  if (auth?.oauth2 !== undefined && isOpen(auth.oauth2.tokenUrl)) {
    const what = 'sends its client secret to a token endpoint without TLS.';
    warnings.push({ path: ['auth', 'oauth2', 'tokenUrl'], what, remedy: 'Use https.' });
  }
  const [kind = ''] = Object.keys(auth ?? {});
  if (['basic', 'bearer', 'oauth2', 'ntlm', 'login'].includes(kind) && urls.some(isOpen)) {
    const what = `sends credentials (\`${kind}\`) to its backend without TLS.`;
    warnings.push({
      path: ['auth'],
      what,
      remedy: 'Use https, or a network that others cannot read.',
    });
  }
  const called =
    auth?.login === undefined ? undefined : services[auth.login.operation.replace(/\..*$/s, '')];
  if (called !== undefined && called !== config && called.urls.some(isOpen)) {
    const what = 'sends the arguments of its login without TLS.';
    warnings.push({
      path: ['auth', 'login', 'operation'],
      what,
      remedy: 'Give that service an https address.',
    });
  }
  const token = 'security' in config ? config.security.make?.usernameToken : undefined;
  if (token?.type === 'text' && urls.some(isOpen)) {
    const what = 'sends the password of its UsernameToken without TLS.';
    warnings.push({
      path: ['security', 'make', 'usernameToken'],
      what,
      remedy: 'Use https, or `type: digest`.',
    });
  }
  return warnings;
};

/** Secrets that are sent without TLS to a second backend. */
const openSecondSecrets: Check = (config) => {
  if (!('canary' in config || 'shadow' in config)) return [];
  return (['canary', 'shadow'] as const).flatMap((key): Finding[] => {
    const { url = '', auth } = config[key] ?? {};
    if (auth === undefined || url === '' || !isOpen(url)) return [];
    const what = `sends credentials to its second backend (\`${key}\`) without TLS.`;
    const remedy = 'Use https, or a network that others cannot read.';
    return [{ path: [key, 'auth'], what, remedy }];
  });
};

/** Content that was encrypted for the gateway, or is for the backend, and goes on in plain text. */
const openContent: Check = (config) => {
  if (!('security' in config)) return [];
  const { verify, make } = config.security;
  const isAllEncrypted = verify?.decrypt?.required.includes('Body') === true;
  if (make?.encrypt !== undefined && !make.replace && !isAllEncrypted) {
    const what = 'encrypts its own calls, and SOAP calls that came encrypted: others stay plain.';
    const remedy =
      'Encrypt them as well by `replace: true`, or demand encryption by ' +
      '`verify.decrypt.required: [Body]`.';
    return [{ path: ['security', 'make', 'encrypt'], what, remedy }];
  }
  if (make?.encrypt === undefined && verify?.decrypt !== undefined && config.urls.some(isOpen)) {
    const what = 'sends what it decrypts to its backend without TLS.';
    const remedy = 'Use https, or encrypt it anew by `security.make.encrypt`.';
    return [{ path: ['security', 'verify', 'decrypt'], what, remedy }];
  }
  return [];
};

/** Content that was encrypted for the gateway, and is kept or goes elsewhere in plain text. */
const keptContent: Check = (config, { console }) => {
  if (!('security' in config)) return [];
  const { record, security } = config;
  const decrypting = (['verify', 'verifyReplies'] as const).find(
    (each) => security[each]?.decrypt !== undefined,
  );
  if (decrypting === undefined) return [];
  const found: Finding[] = [];
  const leave = 'or leave it out for messages that must not be read.';
  if (record !== undefined) {
    const what = 'records what it decrypts in plain text (`record`).';
    const remedy = `Encrypt the disk of its folder, ${leave}`;
    found.push({ path: ['record'], what, remedy, part: 'key' });
  }
  if (console?.inspect !== undefined) {
    const what = 'decrypts messages that the console keeps in plain text (`console.inspect`).';
    const remedy = 'Name operations of other services in `console.inspect.operations`.';
    found.push({ path: ['security', decrypting, 'decrypt'], what, remedy });
  }
  return found;
};

/** Content that was encrypted for the gateway, or is for the backend, and goes to a second one. */
const openSecondContent: Check = (config) => {
  if (!('security' in config)) return [];
  const { verify, make } = config.security;
  const isSecret = verify?.decrypt !== undefined || make?.encrypt !== undefined;
  const { shadow, canary } = config;
  return Object.entries({ shadow, canary }).flatMap(([key, second]): Finding[] => {
    if (!isSecret || second === undefined || !isOpen(second.url)) return [];
    if (make?.encrypt !== undefined && second.security !== 'none') return [];
    const what =
      `sends what it decrypts, or encrypts for its backend, to its second backend (\`${key}\`) ` +
      'without TLS.';
    const remedy = 'Use https, or `security.make.encrypt` with `security: same` there.';
    return [{ path: [key, 'url'], what, remedy }];
  });
};

/** Handshakes for connections that are not kept. */
const lostHandshakes: Check = ({ auth, limits }) => {
  const { requestsPerConnection, keepAliveMillis } = limits.upstream;
  if (auth?.ntlm === undefined || (requestsPerConnection > 1 && keepAliveMillis > 0)) return [];
  const what = 'logs in for every call: NTLM authenticates a connection, and each is used once.';
  const remedy =
    'Let `limits.upstream` keep connections: `requestsPerConnection` and `keepAliveMillis`.';
  return [{ path: ['auth', 'ntlm'], what, remedy, part: 'key' }];
};

/** Connections that callers authenticate, and calls that are spread one by one. */
const boundCallers: Check = (config) => {
  const { auth, balance, health } = config;
  if (auth?.passthrough !== true) return [];
  const warnings: Finding[] = [];
  const [key] = [
    balance === undefined ? [] : 'balance',
    'sticky' in config && config.sticky ? 'sticky' : [],
  ].flat();
  if (key !== undefined) {
    const what =
      `spreads calls by \`${key}\`, but not those of callers that authenticate their ` +
      'connection: by NTLM and Negotiate each connection stays at one address, taken in turn.';
    warnings.push({
      path: [key],
      what,
      remedy: 'Remove it, or have callers send credentials with each request.',
      part: 'key',
    });
  }
  if (health !== undefined && health.tcp !== true) {
    const what = 'checks its addresses without credentials: callers have those (`passthrough`).';
    warnings.push({
      path: ['health'],
      what,
      remedy: 'Use `tcp: true`, or check something that needs none.',
      part: 'key',
    });
  }
  return warnings;
};

/** Limits of calls that have no effect beside others. */
const uselessLimits: Check = (config) => {
  const warnings: Finding[] = [];
  const operations = 'operations' in config ? Object.entries(config.operations) : [];
  const levels: (readonly [
    ConfigPath,
    Pick<AnyService, 'timeoutMillis' | 'retry' | 'requestsAtOnce'>,
  ])[] = [[[], config]];
  for (const [name, mapping] of operations) {
    if (typeof mapping === 'object') {
      levels.push([['operations', name], mapping]);
    }
  }
  const isAnyRepeated =
    !('operations' in config) ||
    operations.some(([, mapping]) => typeof mapping === 'object' && mapping.idempotent === true);
  for (const [path, { retry, timeoutMillis = config.timeoutMillis, requestsAtOnce }] of levels) {
    const total = timeoutMillis ?? config.limits.upstream.totalMillis;
    if (retry?.perTryMillis !== undefined && retry.perTryMillis >= total) {
      const what =
        `gives an attempt ${retry.perTryMillis} ms and the whole call ${total} ms: ` +
        'none is given up for another.';
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
      warnings.push({
        path: [...path, 'requestsAtOnce'],
        what,
        remedy: 'Make it less than that of the service.',
      });
    }
    const isSent =
      retry !== undefined &&
      (retry.perTryMillis !== undefined || retry.on.some((reason) => reason !== 'refused'));
    if (path.length === 0 && isSent && !isAnyRepeated) {
      const what = 'repeats no call that was sent: none of its operations is `idempotent`.';
      warnings.push({
        path: ['retry'],
        what,
        remedy: 'Mark those that may be repeated with `idempotent: true`.',
        part: 'key',
      });
    }
  }
  return warnings;
};

const CHECKS: readonly Check[] = [
  openSecrets,
  openSecondSecrets,
  lostHandshakes,
  boundCallers,
  uselessLimits,
  openContent,
  keptContent,
  openSecondContent,
];

/** An http address of another machine. */
export const isOpen = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};
