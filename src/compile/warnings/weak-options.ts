import type { ConfigPath } from '../../config/keys/config-path.js';
import type { Finding } from '../../config/keys/finding.js';
import { HARM_WHEN_OFF } from '../../config/protection/limits.js';
import type { Config, ServiceConfig } from '../../config/schema.js';

/**
 * Warns of all options that are set so that the gateway protects less; some must be written with
 * `unsafe:`.
 */
export const warningsOfWeakOptions = (config: Config): readonly Finding[] =>
  [servicesThatPass, unverifiedServers, openDecisions, limitsThatAreOff].flatMap((optionsOf) =>
    optionsOf(config),
  );

const servicesThatPass = ({ services }: Config): readonly Finding[] =>
  Object.entries(services).flatMap(([name, { mode, faultDetail, record }]) => {
    const options: Finding[] = [];
    if (mode === 'monitor') {
      const what =
        `Service \`${name}\` is in monitor mode: messages that break rules are only counted and ` +
        'logged. Credentials, rights and budgets stay enforced.';
      const remedy = 'Set `mode: enforce` to refuse such messages.';
      options.push({ path: ['services', name, 'mode'], what, remedy });
    }
    if (faultDetail === 'unsafe:pass') {
      const what = `Service \`${name}\` passes the whole detail of Faults, stack traces too.`;
      const remedy = 'Remove `faultDetail` to pass what the WSDL declares.';
      options.push({ path: ['services', name, 'faultDetail'], what, remedy });
    }
    if (record?.values === 'keep') {
      const what =
        `Service \`${name}\` records the values of callers and backends in files: readers of ` +
        'the folder see them.';
      const remedy = 'Remove `values` to record other values of the same class and length.';
      options.push({ path: ['services', name, 'record', 'values'], what, remedy });
    }
    return options;
  });

function unverifiedServers({
  services,
  graphqlServices,
  clients,
  redis,
}: Config): readonly Finding[] {
  const backends = Object.entries({ ...services, ...graphqlServices }).map(
    ([name, { tls }]): Server => {
      const result = 'can read and answer its calls';
      return {
        path: ['services', name],
        tls,
        owner: `Service \`${name}\``,
        server: 'its backend',
        result,
      };
    },
  );
  const others: readonly Server[] = [
    {
      path: ['clients', 'introspection'],
      tls: clients?.introspection?.tls,
      owner: '`clients.introspection`',
      server: 'its endpoint',
      result: 'can accept any token',
    },
    {
      path: ['clients', 'authorize'],
      tls: clients?.authorize?.tls,
      owner: '`clients.authorize`',
      server: 'the decision point',
      result: 'can allow every request',
    },
    {
      path: ['redis'],
      tls: redis?.tls,
      owner: '`redis`',
      server: 'its servers',
      result: 'can read and change what replicas share',
    },
    {
      path: ['redis', 'sentinel'],
      tls: redis?.sentinel?.tls,
      owner: '`redis.sentinel`',
      server: 'the sentinels',
      result: 'can name another primary',
    },
  ];
  return [...backends, ...others].flatMap(({ path, tls, owner, server, result }) => {
    if (tls === undefined || tls.verify === 'full') return [];
    const any =
      tls.verify === 'chain' ? 'any server with a certificate of the same authority' : 'any server';
    const what =
      `${owner} does not verify the certificate of ${server}: ` + `${any} on the way ${result}.`;
    const remedy = 'Name the authority in `ca`, and the name in `servername`.';
    return [{ path: [...path, 'tls', 'verify'], what, remedy }];
  });
}

/** A server that the gateway calls. */
interface Server {
  readonly path: ConfigPath;
  readonly tls: ServiceConfig['tls'];
  readonly owner: string;
  readonly server: string;
  /** The harm that another server in its place can do. */
  readonly result: string;
}

const openDecisions = ({ clients }: Config): readonly Finding[] => {
  if (clients?.authorize?.onError !== 'allow') return [];
  const what = 'Requests pass while the decision point does not answer.';
  return [
    {
      path: ['clients', 'authorize', 'onError'],
      what,
      remedy: 'Set `onError: deny` to refuse them.',
    },
  ];
};

const limitsThatAreOff = ({ limits }: Config): readonly Finding[] =>
  Object.entries(limits).flatMap(([section, values]) =>
    Object.entries(values).flatMap(([name, value]): readonly Finding[] => {
      const harm = HARM_WHEN_OFF.get(`${section}.${name}`);
      if (value !== 0 || harm === undefined) return [];
      const what = `\`limits.${section}.${name}: 0\` switches a protection off: ${harm}`;
      const remedy = 'Set it above 0, or remove it for the default.';
      return [{ path: ['limits', section, name], what, remedy }];
    }),
  );
