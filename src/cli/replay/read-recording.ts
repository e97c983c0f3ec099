import type { Buffer } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collections, diagnosis, errorCode } from '../../core/index.js';
import { readRecordedTypes } from '../../flow/compare/recorded-types.js';
import { NO_TYPES, type ReplyTypes } from '../../flow/compare/reply-types.js';
import {
  type ExchangeDescription,
  readExchangeDescription,
} from '../../flow/record/exchange-description.js';
import { oneLine } from '../table.js';

/** An exchange of a recording, whose messages are read when they are needed. */
export interface RecordedExchange {
  /** From the folder of the recording: `2026-11-29/120501-a1-GetOrder`. */
  readonly name: string;
  readonly description: ExchangeDescription;
  readonly request: () => Promise<Buffer>;
  readonly reply: () => Promise<Buffer>;
}

/** A recording: its exchanges in the order in which they were made. */
export interface RecordedExchanges {
  readonly exchanges: readonly RecordedExchange[];
  /** The types of the reply to an exchange, as they were recorded. */
  readonly typesOf: (exchange: RecordedExchange) => Promise<ReplyTypes>;
}

/** More exchanges than this of one recording are not read. */
const EXCHANGES_MAX = 1_000_000;

/** Reads a recording. Throws `ConfigurationError` for a folder that is none. */
export async function readRecording(folder: string): Promise<RecordedExchanges> {
  const exchanges: RecordedExchange[] = [];
  for (const day of (await namesIn(folder, folder)).filter((name) => DAY.test(name)).sort()) {
    for (const name of (await namesIn(join(folder, day), folder)).sort()) {
      if (exchanges.length >= EXCHANGES_MAX) break;
      const path = join(folder, day, name);
      const description = await readDescription(join(path, 'exchange.json'));
      if (description === null) continue;
      exchanges.push({
        name: `${day}/${name}`,
        description,
        request: () => readFile(join(path, 'request.xml')),
        reply: () => readFile(join(path, 'reply.xml')),
      });
    }
  }
  const types = new collections.BoundedCache<Promise<ReplyTypes>>({
    size: TYPES_KEPT,
    sizeOf: () => 1,
  });
  return {
    exchanges,
    typesOf: ({ description }) => {
      const known = types.get(description.types);
      if (known !== undefined) return known;
      const read = readTypes(join(folder, 'types', description.types));
      types.set(description.types, read);
      return read;
    },
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TYPES_KEPT = 256;

async function namesIn(path: string, folder: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTDIR' && path !== folder) return [];
    throw diagnosis.unplacedError(
      `${oneLine(folder)} is no folder that can be read (${code ?? 'unknown'}).`,
      'Give the folder that `record` of a service names.',
    );
  }
}

/** Null for a folder that is no exchange, or whose files are not all written. */
async function readDescription(path: string): Promise<ExchangeDescription | null> {
  try {
    return readExchangeDescription(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

async function readTypes(path: string): Promise<ReplyTypes> {
  try {
    return readRecordedTypes(JSON.parse(await readFile(path, 'utf8'))) ?? NO_TYPES;
  } catch {
    return NO_TYPES;
  }
}
