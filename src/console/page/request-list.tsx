import type { RecentRequest } from '../../observe/recent-lists.js';
import type { CodeDescription, ConsoleDescription } from '../answers.js';
import { Prose } from './prose.js';
import { printSeconds, printTime } from './readings.js';
import { Table } from './table.js';

/** The meaning of a rule, and the remedy. */
export function Meaning({ code }: { readonly code: CodeDescription | undefined }) {
  if (code === undefined) return null;
  return (
    <details>
      <summary>{code.text}</summary>
      <p>
        <Prose text={code.why} />
      </p>
      <p>
        <Prose text={code.change} />
      </p>
    </details>
  );
}

/** Requests that were refused, failed or were slow. */
export function RequestList(props: {
  readonly title: string;
  readonly requests: readonly RecentRequest[];
  readonly codes: ConsoleDescription['codes'];
  /** The few that a search has found: with the meaning of their rules. */
  readonly isSearch: boolean;
  readonly empty: string;
}) {
  return (
    <Table
      title={props.title}
      columns={[
        'Time',
        'Id',
        'Client',
        'Class',
        'Route',
        'Operation',
        '#Status',
        '#Took',
        'Rule',
        'Detail',
      ]}
      rows={props.requests.map(
        ({ id, endedMillis, route, clientClass, status, millis, code, ...more }) => [
          printTime(endedMillis),
          <code>{id}</code>,
          [more.caller, more.address].filter((text) => text !== '').join(', '),
          clientClass,
          route,
          more.operationName === '' ? more.operation : `${more.operation} ${more.operationName}`,
          status,
          printSeconds(millis / 1000),
          code === null ? (
            ''
          ) : (
            <>
              <code title={props.codes[code]?.text}>{code}</code>
              {props.isSearch ? <Meaning code={props.codes[code]} /> : null}
            </>
          ),
          [more.detail, more.limit === null ? null : `${more.limit.key}: ${more.limit.value}`]
            .filter((text) => text !== null)
            .join('; '),
        ],
      )}
      empty={props.empty}
    />
  );
}
