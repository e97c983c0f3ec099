import cluster from 'node:cluster';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { emptySnapshot, type InputSnapshot, recordInputs } from '../../src/core/files/inputs.js';
import { TicketKeys } from '../../src/listen/ticket-keys.js';
import type { WorkerChannel } from '../../src/process/calls.js';
import { Channel } from '../../src/process/channel.js';
import { MAIN } from '../kit/gateway-process.js';
import { wsdlWith } from '../wsdl/written.js';

/** What a configuration in this file is compiled from. */
async function inputsOf(file: string): Promise<InputSnapshot> {
  const snapshot = emptySnapshot();
  const compiled = await compile(await loadConfig(file, {}, {}, recordInputs(snapshot)));
  await compiled.close();
  return snapshot;
}

t.test(
  'a worker takes requests with what a reload has put into use while it started',
  async (t) => {
    const yaml =
      'listen: 127.0.0.1:0\nservices: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/" } }\n';
    const folder = t.testdir({ 'a.wsdl': wsdlWith({}), 'soapstone.yaml': yaml });
    const file = join(folder, 'soapstone.yaml');
    const inputs = await inputsOf(file);
    await writeFile(
      join(folder, 'a.wsdl'),
      wsdlWith({ head: '<documentation>edited</documentation>' }),
    );
    const newer = [await inputsOf(file)];
    cluster.setupPrimary({
      exec: MAIN,
      args: ['start', '--config', file],
      serialization: 'advanced',
      silent: true,
    });
    const worker = cluster.fork();
    t.teardown(async () => {
      worker.process.kill('SIGKILL');
      await once(worker, 'exit');
    });
    const tickets = new TicketKeys(null, 3_600_000).share();
    const channel: WorkerChannel = new Channel(async (message) => void worker.send(message));
    worker.on('message', (message) => channel.receive(message));
    const urls = await new Promise<readonly string[]>((resolve) => {
      channel.answer(
        {
          begin: () => ({
            inputs,
            tickets,
            stateSecret: 'secret',
            replica: 'a',
            suspicions: [],
            canaries: [],
          }),
          newerInputs: () => newer.shift() ?? null,
          ready: resolve,
        },
        (error) => t.fail(String(error)),
      );
    });
    t.match(await (await fetch(`${urls[0]}/soap/a?wsdl`)).text(), 'edited');
    t.same(newer, [], 'what is newer is asked for until nothing is');
  },
);
