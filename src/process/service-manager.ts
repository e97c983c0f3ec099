import { execFile } from 'node:child_process';

/** systemd waits for no answer, and the gateway not long for the program. */
const TIMEOUT_MILLIS = 5000;

/** Reports within the time limit of the watchdog: two may be late. */
const WATCHDOG_REPORTS = 4;

/**
 * Reports the state of the gateway to systemd, where that asks for it by `NOTIFY_SOCKET`
 * (sd_notify(3)). Node has no Unix datagrams, so the program `systemd-notify` sends them. Resolves
 * to whether it did, or was not asked to.
 */
export function notifyServiceManager(...assignments: readonly string[]): Promise<boolean> {
  if (process.env['NOTIFY_SOCKET'] === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    execFile('systemd-notify', assignments, { timeout: TIMEOUT_MILLIS }, (error) =>
      resolve(error === null),
    );
  });
}

/**
 * Reports to the watchdog of systemd that the gateway goes on, where that asks for it by
 * `WATCHDOG_USEC` (sd_watchdog_enabled(3)), but not while one of its processes is silent. Returns
 * what ends the reports.
 */
export function reportToWatchdog(silentMillis: () => number): () => void {
  const { WATCHDOG_USEC: micros = '', WATCHDOG_PID: pid = String(process.pid) } = process.env;
  const limitMillis = Number(micros) / 1000;
  if (!(limitMillis > 0) || pid !== String(process.pid)) return () => {};
  const timer = setInterval(() => {
    if (silentMillis() < limitMillis / 2) {
      void notifyServiceManager('WATCHDOG=1');
    }
  }, limitMillis / WATCHDOG_REPORTS);
  return () => clearInterval(timer);
}

/** Reports a reload while `work` goes on, and then that the gateway is ready again. */
export async function whileReloading<T>(work: () => Promise<T>): Promise<T> {
  await notifyServiceManager('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  try {
    return await work();
  } finally {
    await notifyServiceManager('READY=1');
  }
}
