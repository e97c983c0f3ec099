import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import type { ClaimedPath } from './path-rules.js';

type ListenKey = 'listen' | 'admin';

/** Rules about listeners: the authorities of clients, and PROXY headers. */
export const listenRules = (data: Record<string, unknown>): readonly Finding[] =>
  (['listen', 'admin'] as const).flatMap((key) =>
    entriesOf(data, key).flatMap(({ entry, path }) =>
      isRecord(entry) ? listenerRules(entry, path) : [],
    ),
  );

/** The addresses that a key claims. */
export const claimedAddresses = (
  data: Record<string, unknown>,
  key: ListenKey,
): readonly ClaimedPath[] =>
  entriesOf(data, key).map(({ entry, path }) =>
    isRecord(entry)
      ? { path: [...path, 'address'], claimed: entry['address'] }
      : { path, claimed: entry },
  );

/** Whether a listener for callers verifies certificates. */
export const asksForCertificates = (data: Record<string, unknown>): boolean =>
  entriesOf(data, 'listen').some(
    ({ entry }) =>
      isRecord(entry) && isRecord(entry['tls']) && entry['tls']['clientCa'] !== undefined,
  );

interface Entry {
  readonly entry: unknown;
  readonly path: ConfigPath;
}

function entriesOf(data: Record<string, unknown>, key: ListenKey): readonly Entry[] {
  const listen = data[key];
  if (!Array.isArray(listen)) return [{ entry: listen, path: [key] }];
  return listen.map((entry: unknown, index) => ({ entry, path: [key, index] }));
}

function listenerRules(
  { address, tls, proxyProtocol }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (isRecord(tls)) {
    const { clientCertificate = 'none', clientCa, clientCrl } = tls;
    if (clientCrl !== undefined && clientCa === undefined) {
      const at: ConfigPath = [...path, 'tls', 'clientCrl'];
      const what = `${printPath(at)} has no effect without \`clientCa\`.`;
      findings.push({
        path: at,
        part: 'key',
        what,
        remedy: 'Name the authorities whose lists they are.',
      });
    }
    const at: ConfigPath = [
      ...path,
      'tls',
      clientCa === undefined ? 'clientCertificate' : 'clientCa',
    ];
    if ((clientCertificate !== 'none') !== (clientCa !== undefined)) {
      const [what, remedy] =
        clientCa === undefined
          ? ['needs `clientCa`: the authorities that sign these certificates.', 'Name them.']
          : ['has no effect without `clientCertificate`.', 'Set it to optional or required.'];
      findings.push({ path: at, part: 'key', what: `${printPath(at)} ${what}`, remedy });
    }
  }
  const isUnix = typeof address === 'string' && address.startsWith('unix:');
  if (isUnix && Array.isArray(proxyProtocol) && proxyProtocol.length > 0) {
    const at: ConfigPath = [...path, 'proxyProtocol'];
    const what = `${printPath(at)} names addresses, which the peers of a Unix socket do not have.`;
    findings.push({ path: at, part: 'key', what, remedy: 'Remove it, or listen on an address.' });
  }
  return findings;
}
