import type { Compiled } from '../compile.js';
import { type Pace, TimeSlices } from '../core/index.js';
import type { Exchange } from '../gateway/exchange.js';
import type { HourReport } from '../observe/hour-report.js';
import { LastHour } from '../observe/last-hour.js';
import type { ConfigLoads } from '../observe/metrics/gauges.js';
import type { MetricList } from '../observe/metrics/metric-table.js';
import { RecentRequests } from '../observe/recent.js';
import type { RecentLists } from '../observe/recent-lists.js';
import type { ConsoleDescription, OperationDescription } from './answers.js';
import type { ConsoleSources } from './console.js';
import {
  type Described,
  describeListenerEnds,
  describeOperation,
  describing,
} from './description.js';
import { stateOf } from './state.js';

/** What the console shows of one process that takes requests, besides its metrics. */
export class ConsoleFacts {
  readonly #compiled: () => Compiled;
  readonly #recent: RecentRequests;
  readonly #hour = new LastHour();
  // The description of a large WSDL is long, and a page asks for it with each reload.
  #described: { readonly of: Compiled; readonly making: Promise<Described> } | null = null;

  constructor(compiled: () => Compiled) {
    this.#compiled = compiled;
    this.#recent = new RecentRequests(() => compiled().config.console.slowMillis);
  }

  /** A request is over. */
  add(exchange: Exchange, millis: number): void {
    this.#recent.add(exchange, millis);
    this.#hour.add(exchange, millis);
  }

  recent(): RecentLists {
    return this.#recent.lists;
  }

  hour(): HourReport {
    return this.#hour.report();
  }

  async description(): Promise<ConsoleDescription> {
    const current = this.#compiled();
    const { description } = await this.#describe(current);
    return { ...description, listenerEnds: describeListenerEnds(current) };
  }

  /** Null where there is no such operation. */
  async operation(service: string, name: string): Promise<OperationDescription | null> {
    const current = this.#compiled();
    const { fields } = await this.#describe(current);
    return describeOperation(current, fields, service, name);
  }

  #describe(current: Compiled): Promise<Described> {
    if (this.#described?.of !== current) {
      const making = new TimeSlices().run(describing(current));
      this.#described = { of: current, making };
    }
    return this.#described.making;
  }

  /** What the page shows where this process is the only one. */
  sources(
    metrics: () => Promise<MetricList>,
    pace: Pace,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ): ConsoleSources {
    return {
      state: async () => stateOf(await metrics(), pace, loads, this.recent()),
      hour: async () => this.hour(),
      description: () => this.description(),
      operation: (service, name) => this.operation(service, name),
      trafficUrl,
    };
  }
}
