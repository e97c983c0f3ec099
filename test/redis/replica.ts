import { type BudgetRule, NO_EVENTS } from '../../src/budget/budget.js';
import { Shared } from '../../src/redis/shared.js';
import { turn } from './kit.js';

/** One replica of a gateway in a process of its own, as far as it shares budgets. */

/** Ask for as much as is given, again and again, for a while. */
export interface Wish {
  readonly client: string;
  readonly rule: BudgetRule;
  readonly points: number;
  readonly millis: number;
  /** Requests one after the other before others have their turn. */
  readonly atOnce: number;
}

/** What came of it, and how it stands. */
export interface Outcome {
  readonly admitted: number;
  readonly isShared: boolean;
  readonly isUp: boolean;
  /** What was logged since the start. */
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
if (settings !== undefined && process.send !== undefined) serve(JSON.parse(settings) as ReplicaSettings);

function serve({ url, replicas, operationMillis }: ReplicaSettings): void {
  const lines: string[] = [];
  const operations: Record<string, number> = {};
  const shared = new Shared({ url, replicas, operationMillis, prefix: 'test:' }, 1000, {
    budget: NO_EVENTS,
    operation: (operation, outcome) => {
      const key = `${operation} ${outcome}`;
      operations[key] = (operations[key] ?? 0) + 1;
    },
    event: (_level, message, { reason = '' }) => lines.push(`${message} ${reason}`.trim()),
  });
  shared.start();
  process.on('message', (wish: string) => {
    void run(shared, JSON.parse(wish) as Wish | null).then((admitted) => {
      const outcome: Outcome = { admitted, isShared: shared.budgets.isShared, isUp: shared.isUp, lines, operations };
      process.send?.(outcome);
    });
  });
  process.on('disconnect', () => {
    void shared.close().then(() => process.exit());
  });
}

async function run({ budgets }: Shared, wish: Wish | null): Promise<number> {
  if (wish === null) return 0;
  const { client, rule, points, millis, atOnce } = wish;
  const account = { id: client, className: 'test', budget: rule };
  const end = performance.now() + millis;
  let admitted = 0;
  do {
    for (let asked = 0; asked < atOnce && budgets.take(account, points).isGranted; asked += 1) admitted += points;
    await turn();
  } while (performance.now() < end);
  return admitted;
}
