import {
  type AdminAnswer,
  type AdminPages,
  jsonAnswer,
  type Operator,
} from '../../observe/admin.js';
import type { ExchangeQuery, ExchangeSummary, ExchangeView } from './exchange-view.js';

/** The exchanges that are kept, of this process or of workers. */
export interface InspectControl {
  /** Null where none are kept of such an operation. */
  list(service: string, operation: string): Promise<readonly ExchangeSummary[] | null>;
  /** Null for one that is not kept. `forbidden`: the operator may not see values. */
  show(query: ExchangeQuery, by: Operator): Promise<ExchangeView | 'forbidden' | null>;
}

const LIST = '/console/exchanges';
const EXCHANGE = '/console/exchange';

/** The JSON of kept exchanges: the list of an operation, and one with its messages. */
export const inspectPages = (control: InspectControl): AdminPages => ({
  confidential: new Set([LIST, EXCHANGE]),
  async answer({ url }, path, _body, by) {
    if (path !== LIST && path !== EXCHANGE) return null;
    const { searchParams } = new URL(url ?? '', 'http://localhost');
    const read = (name: string): string => searchParams.get(name) ?? '';
    const of = { service: read('service'), operation: read('operation') };
    if (path === LIST) {
      const found = await control.list(of.service, of.operation);
      return found === null ? text(404, NOT_KEPT) : jsonAnswer(found);
    }
    const values = read('values') === 'kept' ? 'kept' : 'replaced';
    const found = await control.show({ ...of, id: read('id'), values }, by);
    if (found === null) return text(404, 'The exchange is not kept, or no longer.\n');
    return found === 'forbidden' ? text(403, forbidden(by)) : jsonAnswer(found);
  },
});

const NOT_KEPT =
  'No exchanges of this operation are kept: `console.inspect` names those that are.\n';

const forbidden = ({ operator }: Operator): string =>
  'Values are shown to operators that `console.inspect.operators` names. ' +
  (operator === null
    ? 'This address of `admin` asks for no credentials, so that it knows none.\n'
    : `You are ${JSON.stringify(operator)}.\n`);

const text = (status: number, body: string): AdminAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});
