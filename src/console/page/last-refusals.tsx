import type { RecentRequest } from '../../observe/recent-lists.js';
import type { ConsoleDescription } from '../answers.js';
import type { Readings } from './readings.js';
import { RequestList } from './request-list.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
  readonly service: string;
  readonly name: string;
}

const SHOWN_MAX = 10;

/** The latest requests of an operation that were refused, or got a Fault. */
export function LastRefusals({ readings, description, service, name }: Props) {
  const { refused, faults } = readings.now.recent;
  const found = [...refused, ...faults]
    .filter((request) => isOf(request, service, name))
    .sort((one, other) => other.endedMillis - one.endedMillis)
    .slice(0, SHOWN_MAX);
  return (
    <RequestList
      title="Last refusals and Faults"
      requests={found}
      codes={description.codes}
      isSearch={false}
      empty="None of the latest 200 is of this operation."
    />
  );
}

/** A SOAP request for it, or a call of it that failed for a request of another kind. */
const isOf = (request: RecentRequest, service: string, name: string): boolean =>
  (request.route === service && request.operation === name) ||
  request.failedCall === `${service}.${name}`;
