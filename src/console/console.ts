import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

import { takesGzip } from '../gateway/compress.js';
import { pages } from '../graphql/index.js';
import { type AdminAnswer, type AdminPages, jsonAnswer, longJsonAnswer } from '../observe/admin.js';
import type { HourReport } from '../observe/hour-report.js';
import type { ConsoleDescription, ConsoleState, OperationDescription } from './answers.js';
import { type ConsolePage, readConsole } from './console-page.js';
import { readMessage, sendMessage } from './try-out.js';

/** The sources of the page: of this process, or of workers. */
export interface ConsoleSources {
  state(): Promise<ConsoleState>;
  hour(): Promise<HourReport>;
  description(): Promise<ConsoleDescription>;
  /** Null where there is no such operation. */
  operation(service: string, name: string): Promise<OperationDescription | null>;
  /** An address for callers without TLS; null where there is none. */
  trafficUrl(): string | null;
}

/** The first address for callers without TLS; null where there is none. */
export const clearTextOf = (urls: readonly string[]): string | null =>
  urls.find((url) => url.startsWith('http:')) ?? null;

const TRY = '/console/try';

/** The console: one page, its files, and the JSON it asks for. */
export function makeConsole(sources: ConsoleSources): AdminPages {
  let reading: Promise<ConsolePage> | null = null;
  const files = (): Promise<ConsolePage> => {
    reading ??= readConsole();
    return reading;
  };
  return {
    posts: new Set([TRY]),
    async answer(request, path, body) {
      switch (path) {
        case '/':
          return wantsHtml(request) ? page((await files()).html) : text(200, LIST);
        case '/console/state':
          return longJsonAnswer(await sources.state());
        case '/console/hour':
          return longJsonAnswer(await sources.hour());
        case '/console/description':
          return longJsonAnswer(await sources.description());
        case '/console/operation': {
          const { searchParams } = new URL(request.url ?? '', 'http://localhost');
          const found = await sources.operation(
            searchParams.get('service') ?? '',
            searchParams.get('name') ?? '',
          );
          return found === null ? null : jsonAnswer(found);
        }
        case TRY:
          return tryOut(sources, body);
        default:
          if (!path.startsWith('/console/')) return null;
          return asset(await files(), path, request);
      }
    },
  };
}

const LIST = '/\n/metrics\n/usage\n/live\n/ready\nPOST /reload\n';

const wantsHtml = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').includes('text/html');

const text = (status: number, body: string): AdminAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});

const NO_SNIFF = { 'x-content-type-options': 'nosniff' };

const page = (html: string): AdminAnswer => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: html,
  fields: {
    ...NO_SNIFF,
    'content-security-policy': pages.PAGE_POLICY,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  },
});

function asset(
  { files }: ConsolePage,
  path: string,
  { headers }: IncomingMessage,
): AdminAnswer | null {
  const found = files.get(path);
  if (found === undefined) return null;
  const fields = {
    ...NO_SNIFF,
    'cache-control': 'private, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  const { type, plain, gzipped } = found;
  if (!takesGzip(headers['accept-encoding'])) return { status: 200, type, body: plain, fields };
  return { status: 200, type, body: gzipped, fields: { ...fields, 'content-encoding': 'gzip' } };
}

async function tryOut(sources: ConsoleSources, body: Buffer | null): Promise<AdminAnswer> {
  const description = await sources.description();
  if (!description.tryOut) return text(403, 'Set console.tryOut to send messages from the page.\n');
  const url = sources.trafficUrl();
  if (url === null) {
    return text(409, 'Messages can be sent only to an address of `listen` without TLS.\n');
  }
  const message = readMessage(body, description);
  if (message === null) return text(400, 'That is no message for a service of this gateway.\n');
  const tried = await sendMessage(url, message).catch(() => null);
  return tried === null ? text(502, 'The gateway gave no complete answer.\n') : jsonAnswer(tried);
}
