import { Buffer } from 'node:buffer';

import type { HostPort, ListenAddress } from '../../listen/bind.js';

/** Reads `host:port`, an IPv6 host in brackets. Null when it is something else. */
export function parseAddress(text: string): HostPort | null {
  const match = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const host = match[1] ?? match[2];
  const port = Number(match[3]);
  if (host === undefined || port > 65_535) return null;
  return { host, port };
}

/** The longest path of a Unix socket: `sun_path` of Linux, without its zero. */
const UNIX_PATH_BYTES = 107;

/** Reads `host:port`, `unix:/path` or `systemd:name`. Null when it is something else. */
export function parseListenAddress(text: string): ListenAddress | null {
  const socketName = /^systemd:([!-9;-~]{1,255})$/.exec(text)?.[1];
  if (socketName !== undefined) return { socketName };
  const path = /^unix:(\/[^\0]+)$/.exec(text)?.[1];
  if (path === undefined) return parseAddress(text);
  return Buffer.byteLength(path) <= UNIX_PATH_BYTES ? { path } : null;
}

/** The host of `host:port`; '' for the path of a Unix socket. */
export const hostOf = (text: string): string => parseAddress(text)?.host ?? '';

/**
 * Whether other machines can reach an address: it is neither the path of a Unix socket nor a
 * loopback address.
 */
export const isReachable = (text: string): boolean =>
  !text.startsWith('unix:') && !/^(?:localhost|127\.[\d.]+|::1)$/i.test(hostOf(text));

/**
 * Whether a text is an http or https URL without credentials and fragment, which would end up in
 * logs.
 */
export const isHttpUrl = (text: string): boolean => isUrl(text, /^https?:\/\//i);

/** Whether a text is an http, https, ws or wss URL without credentials and fragment. */
export const isSubscriptionUrl = (text: string): boolean => isUrl(text, /^(?:http|ws)s?:\/\//i);

function isUrl(text: string, scheme: RegExp): boolean {
  if (!scheme.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.hash === '' && url.username === '' && url.password === '';
}

/** Whether a text is the URL of an HTTP proxy, with or without credentials, or `environment`. */
export function isProxy(text: string): boolean {
  if (text === 'environment') return true;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { pathname, search, hash } = new URL(text);
  return pathname === '/' && search === '' && hash === '';
}
