import { useState } from 'preact/hooks';

import type { RecentRequest } from '../../observe/recent-lists.js';
import type { ConsoleDescription } from '../answers.js';
import type { Readings } from './readings.js';
import { Meaning, RequestList } from './request-list.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
  /** The one that is looked for; '' for none. */
  readonly id: string;
}

const NOT_FOUND =
  'None of the latest 200 has this id. The log has all: `jq \'select(.id == "ID")\'`.';
const REFUSALS = 'soapstone_refusals_total';
const VIOLATIONS = 'soapstone_monitored_violations_total';

export function Refusals({ readings, description: { codes }, id }: Props) {
  const [sought, setSought] = useState(id);
  const isSearch = sought.trim() !== '';
  const { refused, faults, slow } = readings.now.recent;
  const matching = (list: readonly RecentRequest[]): readonly RecentRequest[] =>
    list.filter((request) => !isSearch || request.id.includes(sought.trim()));
  const byCode = (metric: string, nameLabel: string) =>
    readings
      .values(metric, 'code')
      .map((code) => ({
        code,
        total: readings.total(metric, { code }),
        grown: readings.grown(metric, { code }),
      }))
      .sort((one, other) => other.grown - one.grown || other.total - one.total)
      .map(({ code, total, grown }) => [
        <code>{code}</code>,
        grown,
        total,
        readings.values(metric, nameLabel, { code }).join(', '),
        <Meaning code={codes[code]} />,
      ]);
  const columns = ['Code', '#last minute', '#since the start', 'where', 'meaning'];
  // A search shows its finds first.
  const latest = (
    <>
      <RequestList
        title="The latest refused or failed"
        requests={matching(refused)}
        codes={codes}
        isSearch={isSearch}
        empty={isSearch ? NOT_FOUND : 'None.'}
      />
      <RequestList
        title="The latest Faults of backends"
        requests={matching(faults)}
        codes={codes}
        isSearch={isSearch}
        empty={isSearch ? NOT_FOUND : 'None.'}
      />
      <RequestList
        title="The latest slow ones"
        requests={matching(slow)}
        codes={codes}
        isSearch={isSearch}
        empty={isSearch ? NOT_FOUND : 'None.'}
      />
    </>
  );
  return (
    <>
      <label>
        Id that a caller quotes from a Fault or an error
        <input
          type="search"
          value={sought}
          placeholder="the id, or a part of it"
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
        />
      </label>
      {isSearch ? latest : null}
      <Table
        title="By rule"
        columns={columns}
        rows={byCode(REFUSALS, 'route')}
        empty="Nothing was refused yet."
      />
      {readings.values(VIOLATIONS, 'code').length === 0 ? null : (
        <Table
          title="Let through in monitor mode"
          columns={columns}
          rows={byCode(VIOLATIONS, 'service')}
          empty=""
        />
      )}
      <SchemaViolations readings={readings} />
      {isSearch ? null : latest}
    </>
  );
}

const SCHEMA = 'soapstone_schema_violations_total';

/** Content that broke the schema, refused or not: `validate` decides that. */
function SchemaViolations({ readings }: { readonly readings: Readings }) {
  const rows = readings.points(SCHEMA).map(({ labels, value }) => {
    const { service, operation, direction, rule } = labels;
    return [service, operation, direction, rule, readings.grown(SCHEMA, labels), value];
  });
  if (rows.length === 0) return null;
  const columns = ['Service', 'Operation', 'Direction', 'Rule', '#last minute', '#since the start'];
  return <Table title="Content that breaks the schema" columns={columns} rows={rows} empty="" />;
}
