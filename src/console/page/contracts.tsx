import type { ConsoleDescription } from '../answers.js';
import { Prose } from './prose.js';
import type { Readings } from './readings.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
}

const TOLERATED = 'soapstone_tolerated_total';

/** Departures from the contracts of services, and what the configuration leaves open. */
export function Contracts({ readings, description: { contracts } }: Props) {
  const { converted, convertedCount, open } = contracts;
  return (
    <>
      <Table
        title="Tolerated"
        columns={['Service', 'Operation', 'Deviation', '#last minute', '#since the start']}
        rows={toleratedRows(readings, contracts.tolerated)}
        empty="Nothing: replies are held to their contract. `tolerate` of a service lets deviations pass."
      />
      <Table
        title="Converted"
        columns={['Service', 'Field or argument', 'As']}
        rows={converted.map(({ service, field, as }) => [
          service,
          <code>{field}</code>,
          <code>{as}</code>,
        ])}
        empty="No value is converted. `convert` of a field shows a text of the backend as another value."
        note={
          convertedCount > converted.length
            ? `${convertedCount - converted.length} more: \`soapstone schema\` prints all types.`
            : undefined
        }
      />
      <h2>Open</h2>
      {open.length === 0 ? (
        <p class="muted">Nothing that a key would close.</p>
      ) : (
        <ul class="sentences">
          {open.map((sentence) => (
            <li key={sentence}>
              <Prose text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Each configured deviation, also of those that were never met, with its operations. */
function toleratedRows(
  readings: Readings,
  configured: ConsoleDescription['contracts']['tolerated'],
) {
  return configured.flatMap(({ service, operation, deviations }) =>
    deviations.map((deviation) => {
      const labels = { service, deviation, ...(operation === '' ? {} : { operation }) };
      const total = readings.total(TOLERATED, labels);
      const met = readings.values(TOLERATED, 'operation', labels).join(', ');
      const shown = operation === '' ? `all${met === '' ? '' : `; met: ${met}`}` : operation;
      return [service, shown, <code>{deviation}</code>, readings.grown(TOLERATED, labels), total];
    }),
  );
}
