import type { ExchangeSummary, ExchangeView } from '../../flow/inspect/exchange-view.js';
import type { HourReport } from '../../observe/hour-report.js';
import type {
  ConsoleDescription,
  ConsoleState,
  OperationDescription,
  TriedMessage,
} from '../answers.js';

/** The answers of the admin address that the page is from. Each rejects with a text for people. */
async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, {
    ...init,
    headers: { accept: 'application/json', ...init.headers },
  });
  if (!answer.ok && answer.status !== 409) {
    throw new Error((await answer.text()) || `status ${answer.status}`);
  }
  const type = answer.headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) throw new Error(await answer.text());
  return answer.json();
}

export const askState = (): Promise<ConsoleState> => ask('console/state');
export const askHour = (): Promise<HourReport> => ask('console/hour');
export const askDescription = (): Promise<ConsoleDescription> => ask('console/description');
export const askOperation = (service: string, name: string): Promise<OperationDescription> =>
  ask(`console/operation?${new URLSearchParams({ service, name })}`);

export const askExchanges = (
  service: string,
  operation: string,
): Promise<readonly ExchangeSummary[]> =>
  ask(`console/exchanges?${new URLSearchParams({ service, operation })}`);

export const askExchange = (
  service: string,
  operation: string,
  id: string,
  values: ExchangeView['values'],
): Promise<ExchangeView> =>
  ask(`console/exchange?${new URLSearchParams({ service, operation, id, values })}`);

export interface ReloadAnswer {
  readonly generation: number;
  readonly problems: readonly {
    readonly file: string | null;
    readonly line: number | null;
    readonly what: string;
  }[];
}

export const reload = (): Promise<ReloadAnswer> => ask('reload', { method: 'POST' });

export const send = (
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<TriedMessage> =>
  ask('console/try', { method: 'POST', body: JSON.stringify({ path, headers, body }) });
