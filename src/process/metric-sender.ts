import { TimeSlices } from '../core/index.js';
import { type MetricList, metricParts } from '../observe/metrics/metric-table.js';
import type { ParentChannel } from './calls.js';

/**
 * Sends the metrics of a worker to its parent, in parts: the parent reads a message as a whole, and
 * those of thousands of series took it up to 46 ms.
 */
export class MetricSender {
  readonly #parent: Pick<ParentChannel, 'tell'>;
  readonly #list: () => Promise<MetricList>;
  #last: Promise<null> = Promise.resolve(null);

  constructor(parent: Pick<ParentChannel, 'tell'>, list: () => Promise<MetricList>) {
    this.#parent = parent;
    this.#list = list;
  }

  /** Resolves when all parts are sent; parts of two lists do not mix. */
  send(): Promise<null> {
    this.#last = this.#last.then(
      () => this.#sendParts(),
      () => this.#sendParts(),
    );
    return this.#last;
  }

  async #sendParts(): Promise<null> {
    const pace = new TimeSlices();
    for (const part of metricParts(await this.#list())) {
      await this.#parent.tell('metricsPart', part);
      await pace.pause();
    }
    return null;
  }
}
