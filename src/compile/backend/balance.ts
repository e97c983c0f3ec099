import type { AnyService } from '../../config/schema.js';
import type { AddressRank, BalanceOptions } from '../../upstream/index.js';

export interface CompiledBalance {
  readonly balance: BalanceOptions;
  /** Null where calls of all callers may go to any address. */
  readonly affinity: AffinityRule | null;
}

/** How the address of a call follows from its caller. */
interface AffinityRule {
  readonly by: 'client' | 'header' | 'claim' | 'path' | null;
  /** The name of the header field, in lower case, or of the claim. */
  readonly name: string;
  /** The local names of a path in the request; empty unless `by` is `path`. */
  readonly steps: readonly string[];
  /** Null where callers get no cookie. */
  readonly cookie: string | null;
}

/** Compiles how the calls of a service are spread over its addresses. */
export function compileBalance(config: AnyService): CompiledBalance {
  const { addresses, balance = 'leastRequests', zone } = config;
  const ranks = addresses.map(({ url, weight, backup, zone: own }): [string, AddressRank] => {
    const group = (backup ? 2 : 0) + (zone === undefined || own === zone ? 0 : 1);
    return [url, { weight, group }];
  });
  const policy = typeof balance === 'string' ? balance : 'hash';
  const cookie = 'sticky' in config ? (config.sticky?.cookie ?? null) : null;
  return { balance: { policy, ranks: new Map(ranks) }, affinity: affinityRule(balance, cookie) };
}

function affinityRule(
  balance: string | { readonly hash: string },
  cookie: string | null,
): AffinityRule | null {
  if (typeof balance === 'string') {
    return cookie === null ? null : { by: null, name: '', steps: [], cookie };
  }
  const [by, name = ''] = balance.hash.split(/:(.*)/s);
  if (by === 'header') return { by, name: name.toLowerCase(), steps: [], cookie };
  if (by === 'path') return { by, name: '', steps: name.split('/'), cookie };
  return { by: by === 'claim' ? by : 'client', name, steps: [], cookie };
}
