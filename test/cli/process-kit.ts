import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

import { type GatewayProcess, rest, startProcess } from '../catalogue/overload-kit.js';
import { RawClient, sendRaw } from '../kit/raw-client.js';

/** A gateway in processes of its own, with its log and its workers. */

export const WSDL: string = resolve('config/demo/legacy.wsdl');
export const SERVICES = `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }\n`;
export const GET = 'GET /soap/orders?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n';

type Line = Readonly<Record<string, unknown>>;

export interface Started extends GatewayProcess {
  /** What was logged so far. */
  readonly lines: readonly Line[];
  /** Waits for a line. */
  line(isWanted: (line: Line) => boolean): Promise<Line>;
}

export async function start(
  t: Test,
  yaml: string,
  services = SERVICES,
  nodeOptions: readonly string[] = [],
): Promise<Started> {
  const gateway = await startProcess(t, services + yaml, 'pipe', nodeOptions);
  const { stdout } = gateway.child;
  if (stdout === null) throw new Error('no standard output');
  const lines: Line[] = [];
  createInterface({ input: stdout }).on('line', (text) => lines.push(JSON.parse(text)));
  return {
    ...gateway,
    lines,
    async line(isWanted) {
      for (;;) {
        const found = lines.find(isWanted);
        if (found !== undefined) return found;
        await rest();
      }
    },
  };
}

export const connectTo = (url: string, count: number): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => RawClient.connect(url)));

/** Statuses of the next answers; 0 where the connection ended without one. */
export const statusesOf = async (clients: readonly RawClient[]): Promise<readonly number[]> =>
  (await Promise.all(clients.map((client) => client.reply()))).map(({ status }) => status);

export const allFine = (count: number): readonly number[] => Array<number>(count).fill(200);

/** The processes that this one has forked. */
export function childrenOf({ pid }: ChildProcess): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await rest();
}

export const areAnswering = (gateway: GatewayProcess, workers: number): Promise<void> =>
  until(async () => (await gateway.metric('soapstone_workers_answered')) === workers);

export const ask = async ({ url }: GatewayProcess): Promise<number> => (await sendRaw(url, GET)).status;
