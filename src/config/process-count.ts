import { availableParallelism } from 'node:os';
import type { Config } from './schema.js';

/** How many processes take requests. */
export const processCount = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers;
