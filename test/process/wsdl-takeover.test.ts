import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import t from 'tap';
import { emptySnapshot, recordInputs } from '../../src/core/files/inputs.js';
import { RememberedReads } from '../../src/core/files/remembered-reads.js';
import type { WsdlOffer } from '../../src/flow/drift/safe-changes.js';
import { Log } from '../../src/observe/log/log.js';
import { Reloader } from '../../src/process/reload/reloader.js';
import { WsdlTakeover } from '../../src/process/reload/wsdl-takeover.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { packTaken } from '../../src/wsdl/taken-wsdl.js';
import { FILES, wsdlWith } from '../wsdl/written.js';

t.test(
  'an offer waits for its turn, and is dropped when the file has changed meanwhile',
  async (t) => {
    const folder = t.testdir({ 'a.wsdl': wsdlWith({}) });
    const lines: string[] = [];
    const log = new Log('info', { write: (line: string) => void lines.push(line) });
    const takeover = new WsdlTakeover(log, (work) => work());
    const snapshot = emptySnapshot();
    const location = join(folder, 'a.wsdl');
    const reads = new RememberedReads();
    await readWsdl(location, { ...FILES, inputs: reads.track(recordInputs(snapshot)) });
    const place = { input: 'taken WSDL', file: null };
    const inUse = new Map([[location, { place, takenId: null }]]);
    const offered = (text: string): WsdlOffer => {
      const documents = new Map([
        ['http://a/', { url: 'http://a/', contentType: null, body: Buffer.from(text) }],
      ]);
      const { content } = packTaken({
        url: 'http://a/',
        takenMillis: 1,
        replaces: reads.list,
        documents,
      });
      return { service: 'a', location, over: null, content, changes: [text] };
    };
    const used: string[] = [];
    const reloader = new Reloader(log, async () => null);
    const offer = (text: string): void =>
      takeover.offer(offered(text), reloader, async ({ inputs }) => {
        used.push((await inputs.fetch(place.input, async () => Buffer.alloc(0))).toString());
        return { warnings: [], weaker: [] };
      });
    takeover.use(snapshot, inUse);
    offer('first');
    offer('second');
    await reloader.run('changed WSDL of a backend', async () => null);
    t.equal(used.length, 1);
    t.match(used[0], /second$/, 'of those that wait the last counts');

    snapshot.contents.set(location, Buffer.from('edited'));
    takeover.use(snapshot, inUse);
    offer('third');
    await reloader.run('changed WSDL of a backend', async () => null);
    t.equal(used.length, 1);
    t.match(reloader.loads, { ok: 2, refused: 0, generation: 2 });
    t.match(lines.at(-1), /is compared anew/);
  },
);
