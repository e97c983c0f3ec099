import type { Dialect } from '../dialect.js';
import { type ContentType, readContentType } from './media-type.js';
import { XOP_PACKAGE } from './package-type.js';

/**
 * The Content-Type of a package (RFC 2387) whose envelope is put into another dialect: `type`,
 * `start-info` and `action` describe the envelope. One that cannot be read stays.
 */
export function bridgedPackageType(written: string, to: Dialect, action: string | null): string {
  const type = readContentType(written);
  if (type === null) return written;
  const parameters = new Map(type.parameters);
  const described = parameters.get('type')?.toLowerCase().startsWith(XOP_PACKAGE) === true;
  const named = described ? 'start-info' : 'type';
  if (described || parameters.has('type')) {
    parameters.set(named, to.mediaType);
  }
  setAction(parameters, to, action);
  return printed({ name: type.name, parameters });
}

/**
 * The header of the part that holds the envelope, with the Content-Type that it has in another
 * dialect.
 */
export const bridgedPartHead = (head: string, to: Dialect): string =>
  head.replace(CONTENT_TYPE, (_field, name: string, value: string) => {
    const written = value.replaceAll(FOLDING, ' ').trim();
    return `${name} ${bridgedPartType(written, to)}`;
  });

/** A field with its continuation lines, without its last line end. */
const CONTENT_TYPE = /^(content-type:)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/im;
const FOLDING = /\r?\n[ \t]+/g;

function bridgedPartType(written: string, to: Dialect): string {
  const type = readContentType(written);
  if (type === null) return written;
  const parameters = new Map(type.parameters);
  parameters.delete('action');
  if (type.name === XOP_PACKAGE) {
    parameters.set('type', to.mediaType);
    return printed({ name: type.name, parameters });
  }
  return printed({ name: to.mediaType, parameters });
}

/** SOAP 1.1 names the action in a header field instead. */
function setAction(parameters: Map<string, string>, to: Dialect, action: string | null): void {
  parameters.delete('action');
  if (!to.actionHeader && action !== null && action !== '') {
    parameters.set('action', action);
  }
}

const printed = ({ name, parameters }: ContentType): string =>
  [name, ...[...parameters].map(([key, value]) => `${key}="${escaped(value)}"`)].join('; ');

const escaped = (value: string): string => value.replaceAll(/["\\]/g, '\\$&');
