import type { ConsoleDescription } from '../answers.js';
import { printRate, type Readings } from './readings.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
}

const POINTS = 'soapstone_budget_points_total';
const NEARLY_EMPTY = 'soapstone_budget_clients_nearly_empty';

/** Classes of clients, those with nearly empty budgets first. */
export function Clients({ readings, description: { classes } }: Props) {
  const rows = classes
    .map((each) => ({
      ...each,
      spent: readings.rate(POINTS, { class: each.name, outcome: 'spent' }),
      denied: readings.rate(POINTS, { class: each.name, outcome: 'denied' }),
      nearlyEmpty: readings.total(NEARLY_EMPTY, { class: each.name }),
    }))
    .sort(
      (one, other) =>
        other.nearlyEmpty - one.nearlyEmpty ||
        other.denied - one.denied ||
        shareOf(other) - shareOf(one),
    );
  return (
    <Table
      title="Budgets by class of client"
      columns={[
        'Class',
        '#clients nearly empty',
        '#maximum of a client',
        '#restored/s of a client',
        '#spent/s of all',
        '#denied/s of all',
      ]}
      rows={rows.map(({ name, maximum, restoreRate, spent, denied, nearlyEmpty }) => [
        name,
        maximum === null ? '' : <span class={nearlyEmpty > 0 ? 'bad' : ''}>{nearlyEmpty}</span>,
        maximum ?? 'no budget',
        restoreRate ?? '',
        printRate(spent),
        <span class={denied > 0 ? 'bad' : ''}>{printRate(denied)}</span>,
      ])}
      empty="The configuration has no classes of clients: every client may call, without a budget."
      note="Nearly empty: less than a tenth of its maximum is left. The log has such clients as `caller` of lines with `RATE_LIMITED`."
    />
  );
}

/** Points that are spent, for each that a client gets back. */
const shareOf = ({
  spent,
  restoreRate,
}: {
  readonly spent: number;
  readonly restoreRate: number | null;
}): number => (restoreRate === null ? 0 : spent / restoreRate);
