import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

/** A real browser without a window, driven by its own protocol (Chrome DevTools). */

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

let found: string | null | undefined;

function program(): string | null {
  found ??=
    PROGRAMS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) ??
    null;
  return found;
}

/** False when there is a browser, else the reason to skip with how to install one. */
export const missingBrowser = (): false | string =>
  program() === null ? 'a browser is not installed: apt-get install chromium' : false;

export interface Browser {
  open(url: string): Promise<BrowserPage>;
  close(): Promise<void>;
}

/** One page, and what it told since it was opened. */
export interface BrowserPage {
  /** Warnings, errors and broken policies, as the console shows them. */
  readonly complaints: readonly string[];
  /** The addresses it loaded, with the status. */
  readonly loaded: readonly { readonly url: string; readonly status: number }[];
  /** The value of an expression; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>;
  /** Shows the page in a window of this width, to a user who prefers this colour scheme. */
  show(width: number, scheme: 'light' | 'dark'): Promise<void>;
  /** Presses a key, as `KeyboardEvent.key` names it. */
  press(key: string): Promise<void>;
  /** A picture, as PNG. */
  screenshot(): Promise<Buffer>;
}

/** The codes that Chromium wants of keys that are no characters. */
const KEY_CODES: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27 };

type Params = Readonly<Record<string, unknown>>;

export async function startBrowser(): Promise<Browser> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-browser-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--window-size=1300,850',
  ];
  const own = ['--remote-debugging-port=0', `--user-data-dir=${home}`, 'about:blank'];
  const child = spawn(program() ?? '', [...flags, ...own], { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await addressOf(child);
  const wire = await Wire.open(address);
  return {
    async open(url) {
      const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await wire.send('Target.attachToTarget', { targetId, flatten: true });
      return openPage(wire, String(sessionId), url);
    },
    async close() {
      const ended = once(child, 'exit');
      wire.close();
      child.kill();
      await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Where it listens, which it says when it does. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(`the browser ended: ${said}`)));
    child.stderr?.on('data', (piece) => {
      said += piece;
      const [, address] = /listening on (ws:\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

/** The protocol: commands with answers, and events. */
class Wire {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners = new Map<string, (method: string, params: Params) => void>();
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const message: Message = JSON.parse(String(data));
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      else
        this.#listeners.get(message.sessionId ?? '')?.(message.method ?? '', message.params ?? {});
    });
  }

  static async open(address: string): Promise<Wire> {
    const socket = new WebSocket(address, { perMessageDeflate: false });
    await once(socket, 'open');
    return new Wire(socket);
  }

  listen(sessionId: string, listener: (method: string, params: Params) => void): void {
    this.#listeners.set(sessionId, listener);
  }

  send(method: string, params: Params, sessionId?: string): Promise<Params> {
    const id = ++this.#count;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  close(): void {
    this.#socket.terminate();
  }
}

async function openPage(wire: Wire, session: string, url: string): Promise<BrowserPage> {
  const complaints: string[] = [];
  const loaded: { readonly url: string; readonly status: number }[] = [];
  wire.listen(session, (method, params) => {
    const { entry, response, exceptionDetails, type } = params as Readonly<
      Record<string, Params | undefined>
    >;
    if (method === 'Log.entryAdded') complaints.push(`${entry?.['level']}: ${entry?.['text']}`);
    else if (method === 'Runtime.exceptionThrown')
      complaints.push(`thrown: ${JSON.stringify(exceptionDetails)}`);
    else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(type)))
      complaints.push(`console: ${JSON.stringify(params['args'])}`);
    else if (method === 'Network.responseReceived')
      loaded.push({ url: String(response?.['url']), status: Number(response?.['status']) });
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
    await wire.send(`${domain}.enable`, {}, session);
  const evaluate = async (expression: string): Promise<unknown> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const answer = await wire.send('Runtime.evaluate', options, session);
    const { result, exceptionDetails } = answer as Readonly<Record<string, Params | undefined>>;
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result?.['value'];
  };
  await wire.send('Page.navigate', { url }, session);
  return {
    complaints,
    loaded,
    evaluate,
    async until(expression) {
      await evaluate(`new Promise((resolve) => {
        const look = () => ((${expression}) ? resolve() : requestAnimationFrame(look));
        look();
      })`);
    },
    async show(width, scheme) {
      const metrics = { width, height: 850, deviceScaleFactor: 1, mobile: false };
      await wire.send('Emulation.setDeviceMetricsOverride', metrics, session);
      await wire.send(
        'Emulation.setEmulatedMedia',
        { features: [{ name: 'prefers-color-scheme', value: scheme }] },
        session,
      );
    },
    async press(key) {
      const code = KEY_CODES[key] ?? 0;
      const text = key === 'Enter' ? '\r' : '';
      for (const type of ['keyDown', 'keyUp'])
        await wire.send(
          'Input.dispatchKeyEvent',
          { type, key, text, windowsVirtualKeyCode: code },
          session,
        );
    },
    async screenshot() {
      const { data } = await wire.send('Page.captureScreenshot', { format: 'png' }, session);
      return Buffer.from(String(data), 'base64');
    },
  };
}
