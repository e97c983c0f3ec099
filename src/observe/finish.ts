import { performance } from 'node:perf_hooks';
import type { Exchange } from '../gateway/exchange.js';

/** Ends a request: nothing else tells the log, the metrics and other records that it is over. */
export type Finish = (exchange: Exchange) => void;

/** A record of requests: it gets each when it is over, with the time that it took. */
export type RequestRecord = (exchange: Exchange, millis: number) => void;

/** `records` get a request in their order. */
export const makeFinish =
  (records: readonly RequestRecord[]): Finish =>
  (exchange) => {
    const millis = performance.now() - exchange.startedMillis;
    for (const record of records) {
      record(exchange, millis);
    }
  };
