import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Test } from 'tap';

import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { RawClient, sendRaw } from '../kit/raw-client.js';

/** A gateway in processes of its own, in front of the demonstration's WSDL. */

export const WSDL: string = resolve('config/demo/legacy.wsdl');
export const SERVICES = `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }\n`;
export const GET = 'GET /soap/orders?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n';

export const start = (
  t: Test,
  yaml: string,
  services = SERVICES,
  nodeOptions: readonly string[] = [],
): Promise<GatewayProcess> => startProcess(t, services + yaml, { nodeOptions });

export const connectTo = (url: string, count: number): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => RawClient.connect(url)));

/** Statuses of the next answers; 0 where the connection ended without one. */
export const statusesOf = async (clients: readonly RawClient[]): Promise<readonly number[]> =>
  (await Promise.all(clients.map((client) => client.reply()))).map(({ status }) => status);

export const allFine = (count: number): readonly number[] => Array<number>(count).fill(200);

export const ask = async ({ url }: GatewayProcess): Promise<number> =>
  (await sendRaw(url, GET)).status;

export const reload = (
  { adminUrl }: Pick<GatewayProcess, 'adminUrl'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => fetch(`${adminUrl}/reload`, { method: 'POST', headers });

/** Edits the file of its configuration. */
export async function edit(
  { file }: GatewayProcess,
  change: (yaml: string) => string,
): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}

/**
 * The status of the WSDL of a service, on a connection of its own. `fields` are lines of the head.
 */
export const statusOf = async (
  { url }: GatewayProcess,
  service: string,
  fields = '',
): Promise<number> =>
  (
    await sendRaw(
      url,
      GET.replace('orders', service).replace('\r\n\r\n', `\r\nConnection: close\r\n${fields}\r\n`),
    )
  ).status;
