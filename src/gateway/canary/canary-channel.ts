import { collections, jsonValues } from '../../core/index.js';

/** The share of a canary that was moved, or went back, while the gateway runs. */
export interface CanaryState {
  readonly service: string;
  /** A digest of the keys of the canary: the state holds for the same ones only. */
  readonly digest: string;
  readonly share: number;
  /** When, by the clock of the system; the latest one counts. */
  readonly atMillis: number;
  readonly cause: 'moved' | 'failures' | 'faults' | 'latency';
}

/** Calls of a canary in one process, for the others. */
export interface CanaryCalls {
  readonly service: string;
  readonly digest: string;
  readonly counts: {
    readonly calls: number;
    readonly failures: number;
    readonly faults: number;
    readonly slow: number;
  };
}

/** Carries what is learnt of canaries to other processes. */
export interface CanaryChannel {
  publish(state: CanaryState): void;
  /** Absent where processes are too far away to count together. */
  count?(calls: CanaryCalls): void;
  /** `list` returns the states that a process which comes later has to know. */
  receive(receiver: CanaryReceiver, list: () => readonly CanaryState[]): void;
}

interface CanaryReceiver {
  state(state: CanaryState): void;
  calls(calls: CanaryCalls): void;
}

const STATES_MAX = 1_000;

/** The latest state of each canary. */
export class CanaryStates {
  readonly #known = new Map<string, CanaryState>();

  /** Whether it is later than what was known. */
  add(state: CanaryState): boolean {
    const key = keyOf(state);
    const known = this.#known.get(key);
    if (known !== undefined && known.atMillis >= state.atMillis) return false;
    collections.setAndEvictOldest(this.#known, key, state, STATES_MAX);
    return true;
  }

  /** Null where it is as configured. */
  of(canary: Pick<CanaryState, 'service' | 'digest'>): CanaryState | null {
    return this.#known.get(keyOf(canary)) ?? null;
  }

  list(): readonly CanaryState[] {
    return [...this.#known.values()];
  }
}

const keyOf = ({ service, digest }: Pick<CanaryState, 'service' | 'digest'>): string =>
  `${service} ${digest}`;

const CAUSES: readonly string[] = ['moved', 'failures', 'faults', 'latency'];
const NAME_CHARS_MAX = 64;

/** Whether what another process has sent is the state of a canary. */
export function isCanaryState(value: unknown): value is CanaryState {
  const text = (name: string): boolean => {
    const found = jsonValues.readMember(value, name);
    return typeof found === 'string' && found.length <= NAME_CHARS_MAX;
  };
  const share = jsonValues.readMember(value, 'share');
  const cause = jsonValues.readMember(value, 'cause');
  return (
    text('service') &&
    text('digest') &&
    isShare(share) &&
    Number.isFinite(jsonValues.readMember(value, 'atMillis')) &&
    typeof cause === 'string' &&
    CAUSES.includes(cause)
  );
}

export const isShare = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 1;
