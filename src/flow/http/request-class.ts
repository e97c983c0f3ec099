import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Refusal } from '../../core/index.js';
import { Incoming } from './incoming-request.js';

/** Takes over connections on which something else than HTTP is to be spoken. */
export interface UpgradeEndpoint {
  /**
   * Whether this request asks for it where it can be had. Of the others HTTP is what is spoken,
   * whatever they ask for.
   */
  wants(request: IncomingMessage): boolean;
  /** Takes the connection over; or returns the refusal, and leaves it as it is. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): Refusal | null;
}

/** Makes the requests of one server: `tinyChunksFound` is called for bodies in tiny chunks. */
export function requestClass(
  tinyChunksFound: (request: IncomingMessage) => void,
  endpoint: UpgradeEndpoint | null,
): typeof IncomingMessage {
  return class extends Incoming {
    /** Node decides by this for each request whether HTTP ends with it. */
    get upgrade(): boolean {
      return ASKING.has(this) && (this.method === 'CONNECT' || endpoint?.wants(this) === true);
    }

    set upgrade(asks: boolean) {
      if (asks) {
        ASKING.add(this);
      }
    }

    protected override tinyChunksFound(): void {
      tinyChunksFound(this);
    }
  };
}

/** Requests that ask for something else than HTTP. */
const ASKING = new WeakSet<IncomingMessage>();
