import { OTHER } from '../../observe/metrics/tally.js';
import type { ClientUsage, UsageCounts, UsageReport } from '../../observe/usage.js';
import type { Change } from '../../wsdl/index.js';

/** `GetOrder reply: order/line`: the operation, the direction and the path of a change. */
const PLACE = /^(\S+)(?: (request|reply)\b[^:]*(?:: (.*))?)?$/;

/**
 * The clients that a change of a WSDL meets: those that call the operation. A change inside a reply
 * meets a client that calls it by GraphQL alone only where the client asks for a field that has
 * that name, or is read from an element that has it. Names that were not counted may be any.
 */
export function affectedClients(
  { where }: Change,
  { clients }: UsageReport,
): readonly ClientUsage[] {
  const match = PLACE.exec(where);
  // A change of a service or port affects all clients that call anything.
  if (match === null || isOfAll(where)) return clients.filter((client) => callsAny(client));
  const [, operation = '', direction, path = ''] = match;
  const steps = path.split('/');
  const last = steps.length > 1 ? plain(steps.at(-1) ?? '') : '';
  return clients.filter((client) => {
    if (calls(client.soap, operation)) return true;
    if (!calls(client.graphql, operation)) return false;
    if (direction !== 'reply' || last === '') return true;
    return [client.fields, client.elements].some((names) => isNamed(names, last));
  });
}

const isNamed = (counts: UsageCounts, last: string): boolean =>
  Object.keys(counts).some(
    (name) => name === OTHER || plain(name.slice(name.indexOf('.') + 1)) === last,
  );

const isOfAll = (where: string): boolean => /^(?:service|port) /.test(where);

const callsAny = ({ soap, graphql }: ClientUsage): boolean =>
  Object.keys(soap).length + Object.keys(graphql).length > 0;

const calls = (counts: UsageCounts, operation: string): boolean =>
  Object.keys(counts).some(
    (name) => name === OTHER || name.slice(name.indexOf('.') + 1) === operation,
  );

/** A name without what naming changes: case, and characters that GraphQL has not. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
