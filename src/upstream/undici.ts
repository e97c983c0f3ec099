import type { Socket } from 'node:net';
import type { buildConnector as build } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import symbols from 'undici/lib/core/symbols.js';
import Client from 'undici/lib/dispatcher/client.js';
import { jsonValues, tlsCertificates } from '../core/index.js';

/** The only file that knows undici. Its index would load the rest of it, four times as much. */

/** Makes the sockets of one address. TLS sessions are resumed among these only. */
export type Connector = ReturnType<typeof build>;
/** The host and port that a connection leads to. */
export type Destination = build.Options;

export const buildConnector = (options: build.BuildOptions): Connector =>
  connectorOf({ ...tlsCertificates.VERIFIED_SERVER, ...options });

/** An HTTP/1.1 client of one origin. */
export class HttpClient extends Client {}

/**
 * Lets the parser of a connection read blanks between the size of a chunk and its line end, as
 * curl, PHP, Java and Python do: old servers write sizes of a fixed width. It is the one reader of
 * the framing, and what it reads is framed anew, so no other can disagree. Requests of callers are
 * read by another parser, which stays strict.
 */
export function readBlanksBehindChunkSizes(socket: Socket): void {
  const parser = jsonValues.readMember(socket, symbols.kParser);
  const set = jsonValues.readMember(
    jsonValues.readMember(parser, 'llhttp'),
    'llhttp_set_lenient_spaces_after_chunk_size',
  );
  if (typeof set === 'function') {
    Reflect.apply(set, undefined, [jsonValues.readMember(parser, 'ptr'), 1]);
  }
}
