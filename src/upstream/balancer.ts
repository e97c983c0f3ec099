/** How calls are spread over the addresses of a backend. */
export interface BalanceOptions {
  readonly policy: 'leastRequests' | 'roundRobin' | 'hash';
  /**
   * The ranks of addresses, by URL. An address that is not here has weight 1 and is in the first
   * group.
   */
  readonly ranks: ReadonlyMap<string, AddressRank>;
}

export interface AddressRank {
  /** The share of the calls that the address gets, relative to others; 0 for none. */
  readonly weight: number;
  /** Called only while no address of a lower group is ready. */
  readonly group: number;
}

export const DEFAULT_BALANCE: BalanceOptions = { policy: 'leastRequests', ranks: new Map() };
export const DEFAULT_RANK: AddressRank = { weight: 1, group: 0 };

/** The part of an address that balancing needs. */
export interface Balanced {
  readonly rank: AddressRank;
  /** Distinguishes it from others of the service; the same in every process. */
  readonly id: string;
  /** Calls in flight. */
  readonly active: number;
  isReady(nowMillis: number): boolean;
}

/** The wishes of one call. */
export interface Affinity {
  /** Calls with the same key go to the same address; null: any. */
  readonly key: string | null;
  /** The `id` of the address that its caller used last; null: any. */
  readonly addressId: string | null;
}

interface Member<T> {
  readonly address: T;
  readonly weight: number;
  readonly seed: number;
  /** The current weight in smooth weighted round robin. */
  current: number;
}

/** Chooses the address of each call. With one address there is nothing to choose. */
export class Balancer<T extends Balanced> {
  readonly #only: T | null;
  readonly #isLeast: boolean;
  /** In the order they are called. */
  readonly #groups: readonly (readonly Member<T>[])[];

  constructor(addresses: readonly T[], { policy }: BalanceOptions) {
    this.#only = addresses.length === 1 ? (addresses[0] ?? null) : null;
    this.#isLeast = policy !== 'roundRobin';
    const groups = [...new Set(addresses.map(({ rank }) => rank.group))].sort((a, b) => a - b);
    this.#groups = groups.map((group) =>
      addresses
        .filter(({ rank }) => rank.group === group && rank.weight > 0)
        .map((address) => ({
          address,
          weight: address.rank.weight,
          seed: hashOf(address.id),
          current: 0,
        })),
    );
  }

  /** An address that is ready and not among `tried`, or null. */
  choose(nowMillis: number, affinity: Affinity | null, tried: readonly T[]): T | null {
    if (this.#only !== null) {
      return this.#only.isReady(nowMillis) && !tried.includes(this.#only) ? this.#only : null;
    }
    const keyHash = affinity === null || affinity.key === null ? null : hashOf(affinity.key);
    const addressId = affinity?.addressId ?? null;
    for (const group of this.#groups) {
      const isOpen = (member: Member<T>): boolean =>
        !tried.includes(member.address) && member.address.isReady(nowMillis);
      const last =
        addressId === null ? undefined : group.find(({ address }) => address.id === addressId);
      if (last !== undefined && isOpen(last)) return last.address;
      const chosen =
        keyHash === null ? this.#inTurn(group, isOpen) : nearest(group, isOpen, keyHash);
      if (chosen !== null) return chosen.address;
    }
    return null;
  }

  /**
   * Chooses by smooth weighted round robin. With policies other than `roundRobin`, only members
   * with the fewest calls for their weight take part.
   */
  #inTurn(group: readonly Member<T>[], isOpen: (member: Member<T>) => boolean): Member<T> | null {
    let least = Number.POSITIVE_INFINITY;
    if (this.#isLeast) {
      for (const member of group) {
        if (isOpen(member)) {
          least = Math.min(least, loadOf(member));
        }
      }
    }
    let best: Member<T> | null = null;
    let total = 0;
    for (const member of group) {
      if ((this.#isLeast && loadOf(member) > least) || !isOpen(member)) continue;
      member.current += member.weight;
      total += member.weight;
      if (best === null || member.current > best.current) {
        best = member;
      }
    }
    if (best !== null) {
      best.current -= total;
    }
    return best;
  }
}

const loadOf = ({ address, weight }: Member<Balanced>): number => address.active / weight;

/**
 * Weighted rendezvous hashing: each key has its own order of the addresses, so that only the keys
 * of an address that is gone move.
 */
function nearest<T>(
  group: readonly Member<T>[],
  isOpen: (member: Member<T>) => boolean,
  keyHash: number,
): Member<T> | null {
  let best: Member<T> | null = null;
  let bestScore = 0;
  for (const member of group) {
    if (!isOpen(member)) continue;
    const score = member.weight / -Math.log((mix(keyHash ^ member.seed) + 0.5) / 2 ** 32);
    if (score <= bestScore) continue;
    best = member;
    bestScore = score;
  }
  return best;
}

/** FNV-1a of the UTF-16 units, mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** The finalizer of MurmurHash3. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
