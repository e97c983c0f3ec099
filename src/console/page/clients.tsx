import type { ConsoleDescription } from '../answers.js';
import { printRate, type Readings } from './readings.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
}

const POINTS = 'soapstone_budget_points_total';

/** Classes of clients, those that are denied most first. */
export function Clients({ readings, description: { classes } }: Props) {
  const rows = classes
    .map((each) => ({
      ...each,
      spent: readings.rate(POINTS, { class: each.name, outcome: 'spent' }),
      denied: readings.rate(POINTS, { class: each.name, outcome: 'denied' }),
    }))
    .sort((one, other) => other.denied - one.denied || other.spent - one.spent);
  return (
    <Table
      title="Budgets by class of client"
      columns={['Class', '#maximum of a client', '#restored/s of a client', '#spent/s of all', '#denied/s of all']}
      rows={rows.map(({ name, maximum, restoreRate, spent, denied }) => [
        name,
        maximum ?? 'no budget',
        restoreRate ?? '',
        printRate(spent),
        <span class={denied > 0 ? 'bad' : ''}>{printRate(denied)}</span>,
      ])}
      empty="The configuration has no classes of clients: every client may call, without a budget."
    />
  );
}
