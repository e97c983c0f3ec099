import { type Buffer, isUtf8 } from 'node:buffer';

/**
 * The content of a file of a secret: base64, or text without its last line break; null for what is
 * no UTF-8.
 */
export function fileText(bytes: Buffer, form: 'utf8' | 'base64'): string | null {
  if (form === 'base64') return bytes.toString(form);
  return isUtf8(bytes) ? bytes.toString(form).replace(/\r?\n$/, '') : null;
}
