import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Loaded into every process whose event loop is watched (`--import`): while it holds the loop for
 * longer than ever before, the milliseconds go into a file of the folder `LOOP_GAPS`, named by the
 * process: when, for how long, and the processor time of the process meanwhile, which is less where
 * others had the processor.
 */
const TICK_MILLIS = 1;

const { LOOP_GAPS: folder } = process.env;
if (folder === undefined) throw new Error('LOOP_GAPS is not set');
const file = join(folder, `${process.pid}`);
let last = performance.now();
let lastCpu = process.cpuUsage();
setInterval(() => {
  const now = performance.now();
  const gapMillis = now - last;
  // The time that writing takes is not the program's.
  const { user, system } = process.cpuUsage(lastCpu);
  if (gapMillis > 5 * TICK_MILLIS)
    appendFileSync(
      file,
      `${Math.round(now)} ${gapMillis.toFixed(1)} ${((user + system) / 1000).toFixed(1)}\n`,
    );
  last = performance.now();
  lastCpu = process.cpuUsage();
}, TICK_MILLIS).unref();
