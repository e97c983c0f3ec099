import { unplacedError } from '../../core/index.js';

/**
 * The number of processes on the command line; null where it has none. Throws `ConfigurationError`
 * unless a number.
 */
export function workersOption(option: string | null): number | 'auto' | null {
  if (option === null || option === 'auto') return option;
  if (/^[1-9]\d{0,2}$/.test(option) && Number(option) <= 256) return Number(option);
  throw unplacedError('--workers is not valid.', 'Write a number from 1 to 256, or auto.');
}
