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
 * happens then. A start that finds what an earlier one has compiled stands beside the first.
 */
export async function benchStart(quick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-start-'));
  try {
    const rows: string[][] = [];
    for (const [name, file] of await configurationsIn(folder)) {
      const ready: number[] = [];
      const idle: number[] = [];
      // The first compiles for the others, where anything is kept.
      await measure(file);
      for (let round = quick ? 1 : 5; round > 0; round--) {
        const { readySeconds, idleBytes } = await measure(file);
        ready.push(readySeconds);
        idle.push(idleBytes);
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

/** Writes the configurations, by what they are. */
async function configurationsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const configOf = async (name: string, services: string, more = ''): Promise<string> => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n${more}\n${services}\n`);
    return file;
  };
  const service = (name: string, wsdl: string) =>
    `  ${name}: { ${wsdl === '' ? '' : `wsdl: ${wsdl}, `}url: "http://127.0.0.1:9/${name}" }`;
  const one = (wsdl: string) => `services:\n${service('a', wsdl)}`;
  const demo = one(resolve('config/demo/legacy.wsdl'));
  await writeFile(join(folder, 'large.wsdl'), largeWsdl(1780, 1068));
  const many: string[] = [];
  for (let at = 0; at < 500; at++) {
    await writeFile(join(folder, `w${at}.wsdl`), largeWsdl(5, 3).replaceAll('urn:t', `urn:t${at}`));
    many.push(service(`s${at}`, `w${at}.wsdl`));
  }
  const services = `services:\n${many.join('\n')}`;
  return new Map([
    ['one service without a WSDL', await configOf('none', one(''))],
    ['one small WSDL', await configOf('small', demo)],
    ['the same and its backend', await configOf('demo', demo, 'demo: { listen: 127.0.0.1:0 }')],
    [
      '1,068 operations, 1,780 types, nothing kept',
      await configOf('large', one('large.wsdl'), 'compiled: none'),
    ],
    ['the same, compiled before', await configOf('kept', one('large.wsdl'))],
    [
      '500 services of 3 operations, nothing kept',
      await configOf('many', services, 'compiled: none'),
    ],
    [
      'the same, compiled into a named folder before',
      await configOf('many-kept', services, 'compiled: kept'),
    ],
  ]);
}

async function measure(
  file: string,
): Promise<{ readonly readySeconds: number; readonly idleBytes: number }> {
  const gateway = await startFile(file);
  const readySeconds = (await gateway.usage()).cpuMicros / 1e6;
  // A schema that is compiled behind the start is part of the memory.
  await fetch(`${gateway.url}/graphql?query={__typename}`);
  await setTimeout(IDLE_MILLIS);
  const { rssBytes: idleBytes } = await gateway.usage();
  await gateway.stop();
  return { readySeconds, idleBytes };
}

if (isProgram(import.meta.url)) await benchStart(isQuick());
