import { type Diagnostic, diagnosis, errorCode } from '../core/index.js';

/**
 * What the system says of a place that an option names: a file, a folder, or an address to listen
 * at.
 */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'There is a file at this place, not a folder.'],
  ['ENOTDIR', 'A part of the path is a file, not a folder.'],
  ['EISDIR', 'There is a folder at this place, not a file.'],
  ['EACCES', 'It may not be used by this user.'],
  ['EPERM', 'It may not be used by this user.'],
  ['EROFS', 'Its file system can only be read.'],
  ['ENOSPC', 'Its file system is full.'],
  ['EADDRINUSE', 'The address is in use by another program.'],
  ['EADDRNOTAVAIL', 'The address does not belong to this machine.'],
]);

/** The diagnostic of a place that the system refused; null for any other error. */
export function refusedPlace(error: unknown): Diagnostic | null {
  const reason = REASONS.get(errorCode(error) ?? '');
  return reason === undefined
    ? null
    : diagnosis.unplaced(reason, 'Give another one.', placeOf(error));
}

function placeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('path' in error && typeof error.path === 'string') return error.path;
  return 'address' in error && 'port' in error
    ? `${String(error.address)}:${String(error.port)}`
    : null;
}
