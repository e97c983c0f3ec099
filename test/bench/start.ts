import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { isProgram, isQuick, median, mib, print, table } from './kit.js';
import { startFile } from './soapstone.js';
import { largeWsdl } from './wsdl.js';

/** In this time garbage of the start is collected. */
const IDLE_MILLIS = 2000;

/**
 * Prints the processor time of a gateway until it is ready, and the memory it has when nothing
 * happens then.
 */
export async function benchStart(quick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-start-'));
  const configOf = async (name: string, wsdl: string, more = ''): Promise<string> => {
    const file = join(folder, `${name}.yaml`);
    const service = `services: { a: { wsdl: ${wsdl}, url: "http://127.0.0.1:9/" } }`;
    await writeFile(file, `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n${more}${service}\n`);
    return file;
  };
  try {
    const demo = resolve('config/demo/legacy.wsdl');
    await writeFile(join(folder, 'large.wsdl'), largeWsdl(400, 1500));
    const configurations = new Map([
      ['one small WSDL', await configOf('small', demo)],
      ['the same and its backend', await configOf('demo', demo, 'demo: { listen: 127.0.0.1:0 }\n')],
      ['1,500 operations, 400 types', await configOf('large', 'large.wsdl')],
    ]);
    const rows: string[][] = [];
    for (const [name, file] of configurations) {
      const ready: number[] = [];
      const idle: number[] = [];
      for (let round = quick ? 1 : 5; round > 0; round--) {
        const gateway = await startFile(file);
        ready.push((await gateway.usage()).cpuMicros / 1e6);
        await setTimeout(IDLE_MILLIS);
        idle.push((await gateway.usage()).rssBytes);
        await gateway.stop();
      }
      rows.push([name, median(ready).toFixed(2), mib(median(idle))]);
    }
    print(
      '\nStart of a gateway: processor time until it is ready, resident memory ' +
        'when idle, medians\n\n',
    );
    print(table(['configuration', 'ready s', 'idle MiB'], rows));
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (isProgram(import.meta.url)) await benchStart(isQuick());
