import { monitorEventLoopDelay } from 'node:perf_hooks';

import { type BudgetRule, NO_EVENTS } from '../../src/budget/budget.js';
import { SharedState } from '../../src/redis/shared-state.js';
import { settingsOf, turn } from './kit.js';

/** The budgets of one replica in its own process. */

/** Requests that are repeated for some time, as many as are admitted. */
export interface RequestLoad {
  readonly client: string;
  readonly rule: BudgetRule;
  readonly points: number;
  readonly millis: number;
  /** Requests in a row before the event loop runs. */
  readonly atOnce: number;
}

/** Result of a load, and state of the replica. */
export interface Outcome {
  readonly admitted: number;
  readonly isShared: boolean;
  readonly isUp: boolean;
  /** Greatest delay of the event loop since the last outcome. */
  readonly delayMillis: number;
  /** Log lines since the start. */
  readonly lines: readonly string[];
  /** By operation and outcome. */
  readonly operations: Readonly<Record<string, number>>;
}

export interface ReplicaSettings {
  readonly url: string;
  readonly replicas: number;
  readonly operationMillis: number;
}

const [settings] = process.argv.slice(2);
if (settings !== undefined && process.send !== undefined)
  serve(JSON.parse(settings) as ReplicaSettings);

function serve({ url, replicas, operationMillis }: ReplicaSettings): void {
  const lines: string[] = [];
  const operations: Record<string, number> = {};
  const shared = new SharedState({ ...settingsOf(url, { operationMillis }), replicas }, 1000, {
    budget: NO_EVENTS,
    operation: (operation, outcome) => {
      const key = `${operation} ${outcome}`;
      operations[key] = (operations[key] ?? 0) + 1;
    },
    event: (_level, message, { reason = '' }) => lines.push(`${message} ${reason}`.trim()),
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  shared.start();
  process.on('message', (load: string) => {
    void run(shared, JSON.parse(load) as RequestLoad | null).then((admitted) => {
      const delayMillis = delay.max / 1e6;
      delay.reset();
      const { isUp, budgets } = shared;
      const outcome: Outcome = {
        admitted,
        isShared: budgets.isShared,
        isUp,
        delayMillis,
        lines,
        operations,
      };
      process.send?.(outcome);
    });
  });
  process.on('disconnect', () => {
    void shared.close().then(() => process.exit());
  });
}

async function run({ budgets }: SharedState, load: RequestLoad | null): Promise<number> {
  if (load === null) return 0;
  const { client, rule, points, millis, atOnce } = load;
  const account = { id: client, className: 'test', budget: rule };
  const end = performance.now() + millis;
  let admitted = 0;
  do {
    for (let asked = 0; asked < atOnce && budgets.take(account, points).isGranted; asked += 1)
      admitted += points;
    await turn();
  } while (performance.now() < end);
  return admitted;
}
