/**
 * Loaded into every process that is measured (`--import`): answers each message of the bench with
 * what the process has used so far. The program itself runs as it always does.
 */
export interface Usage {
  /** User and system time of the process since its start. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
  /** The most that was resident since the last question, looked at every 50 ms. */
  readonly rssPeakBytes: number;
  /** The most that was ever resident, as the system counts. */
  readonly rssMaxBytes: number;
}

const SAMPLE_MILLIS = 50;
let rssPeakBytes = 0;

function sample(): number {
  const rssBytes = process.memoryUsage.rss();
  rssPeakBytes = Math.max(rssPeakBytes, rssBytes);
  return rssBytes;
}

setInterval(sample, SAMPLE_MILLIS).unref();

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const rssBytes = sample();
  const rssMaxBytes = process.resourceUsage().maxRSS * 1024;
  process.send?.({ cpuMicros: user + system, rssBytes, rssPeakBytes, rssMaxBytes } satisfies Usage);
  rssPeakBytes = rssBytes;
});
process.on('disconnect', () => process.exit());
