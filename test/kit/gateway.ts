import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

import { type Compiled, compile } from '../../src/compile.js';
import { type LoadedConfig, loadConfig } from '../../src/config/load.js';
import { Log } from '../../src/observe/log/log.js';
import { type Gateway, serveGateway } from '../../src/server.js';

/**
 * A gateway in this process, on ports of the system's choice unless the configuration names some.
 */
export type TestGateway = Gateway & TestTools;

/** What tests ask of it besides. */
interface TestTools {
  /** The lines logged so far, parsed. */
  logLines(): Record<string, unknown>[];
  /**
   * Waits for the next access log line: a request is over for its client a little before its line
   * is written.
   */
  accessLine(count?: number): Promise<Record<string, unknown>>;
  /** Waits for a line with this message. */
  logLine(message: string): Promise<Record<string, unknown>>;
  metrics(): Promise<string>;
  /** Loads the configuration anew, edited, as a reload does. Returns what it was compiled to. */
  reload(edit?: (yaml: string) => string): Promise<Compiled>;
  close(): Promise<void>;
}

/** Starts a gateway from a configuration text. `directory` is where its relative paths start. */
export async function startTestGateway(
  yaml: string,
  directory: string | null = null,
): Promise<TestGateway> {
  const home = directory ?? (await mkdtemp(join(tmpdir(), 'soapstone-')));
  const file = join(home, `test-${process.pid}-${Math.random().toString(36).slice(2)}.yaml`);
  const addresses = ['listen', 'admin'].filter((key) => !new RegExp(`^${key}:`, 'm').test(yaml));
  const header = addresses.map((key) => `${key}: 127.0.0.1:0\n`).join('');
  const compileFile = async (text: string, earlier: Compiled | null): Promise<Compiled> => {
    await writeFile(file, header + text);
    return compile(patient(await loadConfig(file, process.env), text), earlier);
  };
  const lines: Record<string, unknown>[] = [];
  let wake = (): void => {};
  const log = new Log('debug', {
    write(line: string) {
      lines.push(JSON.parse(line));
      wake();
    },
  });
  const gateway = await serveGateway(await compileFile(yaml, null), log);
  const nextLine = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  let isClosed = false;
  const requests = () => lines.filter((line) => line['msg'] === 'request');
  return Object.assign(gateway, {
    logLines: () => lines,
    async accessLine(count = 1) {
      while (requests().length < count) await nextLine();
      return requests()[count - 1] ?? {};
    },
    async logLine(message) {
      for (;;) {
        const found = lines.find((line) => line['msg'] === message);
        if (found !== undefined) return found;
        await nextLine();
      }
    },
    metrics: async () => (await fetch(`${gateway.adminUrl}/metrics`)).text(),
    async reload(edit = (text) => text) {
      const next = await compileFile(edit(yaml), gateway.compiled());
      gateway.replace(next);
      return next;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      closeKeptConnections();
      await gateway.drain();
      await rm(directory === null ? home : file, { recursive: true, force: true });
    },
  } satisfies TestTools);
}

/**
 * Connections that `fetch` keeps make a drain wait for a second, in case they bring another
 * request.
 */
function closeKeptConnections(): void {
  const kept = getGlobalDispatcher();
  setGlobalDispatcher(new Agent());
  kept.close().catch(() => {});
}

/**
 * A machine that runs tests side by side comes late to everything, and tests are refused more often
 * than any caller: only who asks for it is made to suffer for that.
 */
function patient(loaded: LoadedConfig, yaml: string): LoadedConfig {
  const { limits } = loaded.config;
  const overload = yaml.includes('eventLoopMillis')
    ? limits.overload
    : { ...limits.overload, eventLoopMillis: 0 };
  const http = yaml.includes('refusalsPerSecond')
    ? limits.http
    : { ...limits.http, refusalsPerSecond: 0 };
  return { ...loaded, config: { ...loaded.config, limits: { ...limits, overload, http } } };
}
