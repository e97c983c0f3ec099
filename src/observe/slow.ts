import type { Exchange } from '../gateway/exchange.js';

/** Whether a request took too long. Subscriptions last as long as their clients like. */
export const isSlow = ({ operation }: Exchange, millis: number, slowMillis: number): boolean =>
  millis >= slowMillis && operation !== 'subscription';
