import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Loaded into every process whose event loop is watched (`--import`): while it holds the loop for longer than ever before,
 * the milliseconds go into a file of the folder `LOOP_GAPS`, named by the process.
 */
const TICK_MILLIS = 1;

const { LOOP_GAPS: folder } = process.env;
if (folder === undefined) throw new Error('LOOP_GAPS is not set');
const file = join(folder, `${process.pid}`);
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  const gapMillis = now - last;
  // The time that writing takes is not the program's.
  if (gapMillis > 5 * TICK_MILLIS) appendFileSync(file, `${Math.round(now)} ${gapMillis.toFixed(1)}\n`);
  last = performance.now();
}, TICK_MILLIS).unref();
