import { lookup } from 'node:dns/promises';

/** Resolves to the IP addresses of a name. Rejects with the error of the system. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>;

/** IP addresses of one name that are used. */
const RECORDS_MAX = 32;

/**
 * Look-ups under way: services behind one name share them, as the system has few threads for them.
 */
const pending = new Map<string, Promise<readonly string[]>>();

/** All A and AAAA records of a name as the system resolves it, its hosts file included. */
export function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const running = pending.get(hostname);
  if (running !== undefined) return running;
  const started = lookup(hostname, { all: true, order: 'verbatim' })
    .then((records) => records.map(({ address }) => address))
    .finally(() => pending.delete(hostname));
  pending.set(hostname, started);
  return started;
}

/** In an order that does not depend on the answer, without repetitions. */
export const distinctRecords = (records: readonly string[]): readonly string[] =>
  [...new Set(records)].sort().slice(0, RECORDS_MAX);
