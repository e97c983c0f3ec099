import type { HourReport } from '../../observe/hour-report.js';
import type { ConsoleDescription, ConsoleState } from '../answers.js';
import { Chart } from './chart.js';
import { rateRows, timeRows } from './hour-rows.js';
import { Prose } from './prose.js';
import { printMib, printRate, printSeconds, type Readings } from './readings.js';

interface Props {
  readonly readings: Readings;
  readonly states: readonly ConsoleState[];
  /** Null until it is read. */
  readonly hour: HourReport | null;
  readonly description: ConsoleDescription;
}

const REQUESTS = 'soapstone_requests_total';
const RATE_NAMES = ['all', 'refused', 'failed'];
const TIME_NAMES = ['p99'];

/** A name and its text; true where it needs an operator. */
type Figure = readonly [string, string, boolean?];

/** Lines of the log or the audit that are not written, or were lost; none where all is well. */
function recordFigures(readings: Readings, of: 'log' | 'audit', name: string): readonly Figure[] {
  const up = readings.points(`soapstone_${of}_up`);
  const waiting = readings.total(`soapstone_${of}_lines_waiting`);
  const lost = readings.total(`soapstone_${of}_lines_dropped_total`);
  return [
    ...(up.some(({ value }) => value === 0)
      ? ([[name, `cannot be written, ${waiting} lines wait`, true]] as const)
      : []),
    ...(lost > 0 ? ([[`${name}: lost lines`, String(lost), true]] as const) : []),
  ];
}

export function Overview({ readings, states, hour, description }: Props) {
  const { loads } = readings.now;
  const all = readings.rate(REQUESTS);
  const failed = readings.rate(REQUESTS, { outcome: 'failed' });
  const workers = readings.total('soapstone_workers');
  const figures: readonly Figure[] = [
    ['Requests per second', printRate(all)],
    ['Refused per second', printRate(readings.rate(REQUESTS, { outcome: 'refused' }))],
    ['Failed per second', printRate(failed), failed > 0],
    ['Faults per second', printRate(readings.rate(REQUESTS, { outcome: 'fault' }))],
    ['Median time', printSeconds(readings.quantile(0.5))],
    ['99th percentile', printSeconds(readings.quantile(0.99))],
    ['Connections', String(readings.total('soapstone_client_connections'))],
    ['Event loop delay', printSeconds(readings.total('soapstone_event_loop_delay_seconds'))],
    ['Processor', `${(readings.rate('soapstone_process_cpu_seconds_total') * 100).toFixed(0)} %`],
    ['Memory', printMib(readings.total('soapstone_process_resident_memory_bytes'))],
    ['Generation', String(loads.generation)],
    ['Reloads refused', String(loads.refused), loads.refused > 0],
    ...(workers > 0
      ? ([['Workers', `${readings.total('soapstone_workers_answered')} of ${workers}`]] as const)
      : []),
    ...recordFigures(readings, 'log', 'Log'),
    ...recordFigures(readings, 'audit', 'Audit'),
    ...(readings.total('soapstone_shedding') > 0
      ? ([['Overload', 'new requests are refused', true]] as const)
      : []),
  ];
  return (
    <>
      <h2>The last minute</h2>
      <dl class="figures">
        {figures.map(([name, value, isBad = false]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={isBad ? 'bad' : ''}>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        <Chart
          title="Requests per second, the last hour"
          names={RATE_NAMES}
          rows={rateRows(hour, states)}
        />
        <Chart
          title="99th percentile, milliseconds"
          names={TIME_NAMES}
          rows={timeRows(hour, states)}
        />
      </div>
      <Warnings warnings={description.warnings} />
    </>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return <p>The configuration has no warnings.</p>;
  return (
    <details open={warnings.length < 4}>
      <summary>Warnings of the configuration: {warnings.length}</summary>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <Prose text={warning} />
          </li>
        ))}
      </ul>
    </details>
  );
}
