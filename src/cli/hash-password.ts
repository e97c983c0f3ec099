import { hashPassword } from '../access/passwords/password-hash.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/** Longest password that is read. */
const PASSWORD_CHARS_MAX = 512;

/** Reads a password from standard input, and prints its hash for `clients.basic`. */
export async function printPasswordHash(
  input: AsyncIterable<unknown>,
  terminal: Terminal,
): Promise<ExitCode> {
  let text = '';
  for await (const piece of input) {
    text += String(piece);
    if (text.length > PASSWORD_CHARS_MAX) break;
  }
  const password = text.replace(/\r?\n$/, '');
  if (password === '' || password.length > PASSWORD_CHARS_MAX) {
    terminal.error(`Give a password of 1 to ${PASSWORD_CHARS_MAX} characters on standard input.`);
    return 2;
  }
  terminal.out(await hashPassword(password));
  return 0;
}
