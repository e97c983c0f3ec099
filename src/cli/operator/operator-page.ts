import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { errorCode } from '../../core/index.js';

const TIMEOUT_MILLIS = 10_000;

/**
 * The text of a file, or of a page of the admin address at an http(s) address; credentials may
 * stand in it.
 */
export async function readOperatorPage(source: string, path: string): Promise<string> {
  if (!/^https?:\/\//.test(source)) return readFile(source, 'utf8');
  const url = new URL(source);
  if (url.pathname === '/') {
    url.pathname = path;
  }
  const { username, password } = url;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers =
    username === '' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  url.username = '';
  url.password = '';
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MILLIS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

/** Why it could not be read, without the credentials of the address. */
export function readingError(source: string, caught: unknown): string {
  const { message, cause } = caught instanceof Error ? caught : new Error(String(caught));
  const reason = errorCode(cause) ?? message;
  const remedy =
    'Give the admin address of a gateway that runs, such as http://127.0.0.1:4001, or a file.';
  return `${source.replace(/\/\/[^/]*@/, '//')} cannot be read: ${reason}. ${remedy}`;
}
