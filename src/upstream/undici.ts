import type { buildConnector as build } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { VERIFIED_SERVER } from '../base/server-identity.js';

/** The only file that knows undici. Its index would load the rest of it, four times as much. */

/** Makes the sockets of one address. TLS sessions are resumed among these only. */
export type Connector = ReturnType<typeof build>;
/** The host and port that a connection leads to. */
export type Destination = build.Options;

export const buildConnector = (options: build.BuildOptions): Connector =>
  connectorOf({ ...VERIFIED_SERVER, ...options });

/** An HTTP/1.1 client of one origin. */
export class HttpClient extends Client {}
