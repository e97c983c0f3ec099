import { buildConnector as build, Client } from 'undici';

/** The only file that knows undici. */

/** Makes the sockets of one address. TLS sessions are resumed among these only. */
export type Connector = ReturnType<typeof build>;
/** Where a connection leads. */
export type Destination = build.Options;

export const buildConnector = (options: build.BuildOptions): Connector => build(options);

/** An HTTP/1.1 client of one origin. */
export class HttpClient extends Client {}
