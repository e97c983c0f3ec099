import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { getProxyForUrl } from 'proxy-from-env';
import { KIB, Refusal } from '../../core/index.js';

/** Bytes of the head of a proxy's answer to CONNECT. */
const HEAD_BYTES_MAX = 16 * KIB;

/** An HTTP proxy between the gateway and a backend. */
export interface HttpProxy {
  readonly url: URL;
  /** The value of `HttpProxy-Authorization`; null without credentials. */
  readonly authorization: string | null;
}

/** The proxy of a text such as `http://user:password@proxy:3128`. */
export function parseProxy(text: string): HttpProxy {
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, authorization: null };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/**
 * The proxy that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name for an address; null
 * for none.
 */
export function environmentProxy(url: string): HttpProxy | null {
  const text = getProxyForUrl(url);
  return text === '' ? null : parseProxy(text);
}

/**
 * Asks a proxy for a tunnel (RFC 9110 section 9.3.6). Rejects with `UPSTREAM_AUTH` where the proxy
 * wants other credentials, with `UPSTREAM_UNREACHABLE` for any other refusal. The socket is
 * destroyed then.
 */
export function openTunnel(
  socket: Socket,
  target: string,
  { authorization }: HttpProxy,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const end = (refusal: Refusal | null): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose);
      if (refusal === null) {
        socket.pause();
        resolve();
        return;
      }
      socket.on('error', () => {});
      socket.destroy();
      reject(refusal);
    };
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const headEnd = head.indexOf('\r\n\r\n');
      if (headEnd < 0) {
        if (head.length > HEAD_BYTES_MAX) {
          end(new Refusal('UPSTREAM_INVALID_RESPONSE', 'head of the proxy'));
        }
        return;
      }
      const status = Number(STATUS_LINE.exec(head.subarray(0, 64).toString('latin1'))?.[1] ?? 0);
      // The client speaks first in TLS: bytes behind the head are not of the backend.
      if (status >= 200 && status < 300 && head.length === headEnd + 4) {
        end(null);
      } else if (status === 407) {
        end(new Refusal('UPSTREAM_AUTH', 'proxy: status 407'));
      } else {
        end(new Refusal('UPSTREAM_UNREACHABLE', `proxy: status ${status}`));
      }
    };
    const onError = (cause: Error): void =>
      end(new Refusal('UPSTREAM_UNREACHABLE', 'proxy', { cause }));
    const onClose = (): void => end(new Refusal('UPSTREAM_UNREACHABLE', 'proxy: closed'));
    socket.on('data', onData).on('error', onError).on('close', onClose);
    const field = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${field}\r\n`);
  });
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})[ \r]/;
