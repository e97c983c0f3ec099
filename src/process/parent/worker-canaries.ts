import type { CanaryControl } from '../../flow/canary/canary-page.js';
import { askAny, type Worker } from './worker.js';

/** The canaries of all workers: any of them knows the shares, and tells the others of a move. */
export const workerCanaries = (taking: ReadonlySet<Worker>): CanaryControl => ({
  find: (service) => askAny(taking, 'canary', service),
  move: (service, share, by) => askAny(taking, 'moveCanary', { service, share, by }),
});
