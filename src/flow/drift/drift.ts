import { Worker } from 'node:worker_threads';
import type { ConfiguredService } from '../../compile/soap/service.js';
import type { Severity } from '../../wsdl/index.js';
import { BackendDocuments } from './backend-documents.js';
import type { FromDriftWorker, ToDriftWorker } from './drift-messages.js';
import type { DriftReading, DriftTask, SafeWsdl } from './drift-reading.js';
import type { ReloadLimiter } from './reload-limiter.js';
import { SafeChanges, type WsdlOffer } from './safe-changes.js';

/** Receives the results of comparisons of the WSDL of a backend. */
export interface DriftListener {
  looked(service: string, outcome: 'same' | 'changed' | 'failed'): void;
  /** Once for each new state, however often it is seen. */
  changed(service: string, message: string, reading: DriftReading): void;
  /** A WSDL with safe changes is to be taken. */
  offered(offer: WsdlOffer): void;
  /** Safe changes are not taken, for there were so many reloads in the last hour. */
  limited(service: string, reloadsPerHour: number): void;
}

/** One service whose backend is looked at. */
interface Watched {
  readonly service: string;
  readonly task: () => DriftTask;
  /** Null where the WSDL is not at the host of the service. */
  readonly documents: BackendDocuments | null;
  readonly everyMillis: number;
  readonly reloadsPerHour: number;
  /** Null where no changes are taken. */
  readonly safeChanges: SafeChanges | null;
  isLimited: boolean;
  counts: Readonly<Record<Severity, number>> | null;
  /** The state that was reported last, as text. */
  reported: string;
}

/** A look may take this long, and this much memory. */
const LOOK_MILLIS = 120_000;
const LOOK_MIB = 512;
/** Each is a thread of its own. */
const LOOKS_AT_ONCE = 2;
/** Between looks that decide whether changes are taken. */
const DECIDE_MILLIS = 2000;

/**
 * Compares the WSDLs of backends now and then with those that are served, and reports differences.
 * It changes nothing: callers and schema keep the model they have. Safe changes are offered where
 * the configuration wants it.
 */
export class DriftWatch {
  readonly #watched: readonly Watched[];
  readonly #listener: DriftListener;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #workers = new Set<Worker>();
  /** Those whose look is due. */
  readonly #waiting: Watched[] = [];
  #isStarted = false;
  #isClosed = false;

  constructor(
    services: readonly ConfiguredService[],
    listener: DriftListener,
    limiter: ReloadLimiter,
  ) {
    this.#listener = listener;
    this.#watched = services.flatMap((service): Watched[] => {
      const { name, config, urls, source, reach } = service;
      if (config.drift === undefined || source === null) return [];
      const { url, headers = {}, everyMillis, reloadsPerHour } = config.drift;
      const { location: file, taken, reads } = source;
      const replaces = source.place === null ? null : reads.list;
      // Credentials are for the backend and for no other host.
      const isBackend = urls.some((own) => new URL(own).origin === new URL(url).origin);
      const documents = isBackend ? new BackendDocuments(service, headers) : null;
      const task = (): DriftTask => {
        const { proxy, tls } = reach;
        return {
          file,
          taken: taken?.bytes ?? null,
          replaces,
          url,
          isBackend,
          headers,
          proxy,
          tls: tls?.options ?? null,
        };
      };
      const safeChanges =
        source.place === null ? null : new SafeChanges(name, source, config.drift, limiter);
      const state = { counts: null, reported: '', isLimited: false };
      return [
        { service: name, task, documents, everyMillis, reloadsPerHour, safeChanges, ...state },
      ];
    });
  }

  /** Looks at once, and from then on. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const watched of this.#watched) {
      this.#plan(watched);
    }
  }

  /** The differences at the last look that could be made. */
  get counts(): readonly {
    readonly service: string;
    readonly severity: Severity;
    readonly count: number;
  }[] {
    return this.#watched.flatMap(({ service, counts }) =>
      counts === null
        ? []
        : (['breaking', 'dangerous', 'safe'] as const).map((severity) => ({
            service,
            severity,
            count: counts[severity],
          })),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #plan(watched: Watched): void {
    this.#waiting.push(watched);
    this.#lookNext();
  }

  #lookNext(): void {
    if (this.#isClosed || this.#workers.size >= LOOKS_AT_ONCE) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#look(next);
    }
  }

  #look(watched: Watched): void {
    const worker = new Worker(new URL('./drift-worker.js', import.meta.url), {
      workerData: watched.task(),
      resourceLimits: { maxOldGenerationSizeMb: LOOK_MIB },
    });
    this.#workers.add(worker);
    worker.unref();
    let reading: DriftReading = { kind: 'failed', why: `It took longer than ${LOOK_MILLIS} ms.` };
    let safe: SafeWsdl | null = null;
    const deadline = this.#after(LOOK_MILLIS, () => worker.terminate());
    worker.on('message', (message: FromDriftWorker) => {
      if (message.kind === 'reading') {
        ({ reading, safe } = message);
      } else if (watched.documents !== null) {
        void answer(worker, watched.documents, message);
      }
    });
    worker.once('error', (error) => {
      reading = { kind: 'failed', why: error.message };
    });
    worker.once('exit', () => {
      clearTimeout(deadline);
      this.#timers.delete(deadline);
      this.#workers.delete(worker);
      if (this.#isClosed) return;
      this.#take(watched, reading);
      this.#decide(watched, reading, safe);
      const { everyMillis, safeChanges } = watched;
      const isUndecided = safeChanges?.isUndecided === true;
      this.#after(isUndecided ? Math.min(DECIDE_MILLIS, everyMillis) : everyMillis, () =>
        this.#plan(watched),
      );
      this.#lookNext();
    });
  }

  #take(watched: Watched, reading: DriftReading): void {
    const isSame =
      reading.kind === 'read' && Object.values(reading.counts).every((count) => count === 0);
    this.#listener.looked(
      watched.service,
      reading.kind === 'failed' ? 'failed' : isSame ? 'same' : 'changed',
    );
    if (reading.kind === 'read') {
      watched.counts = reading.counts;
    }
    const state = JSON.stringify(reading);
    const isNews = state !== watched.reported && !(isSame && watched.reported === '');
    watched.reported = isSame ? '' : state;
    if (isNews) {
      this.#listener.changed(watched.service, messageOf(reading, isSame), reading);
    }
  }

  #decide(watched: Watched, reading: DriftReading, safe: SafeWsdl | null): void {
    const { service, safeChanges, reloadsPerHour } = watched;
    const offer = safeChanges?.take(safe, reading.kind === 'read' ? reading.first : []) ?? null;
    const isLimited = offer === 'limited';
    if (isLimited && !watched.isLimited) {
      this.#listener.limited(service, reloadsPerHour);
    }
    watched.isLimited = isLimited;
    if (offer !== null && offer !== 'limited') {
      this.#listener.offered(offer);
    }
  }

  #after(millis: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, millis);
    timer.unref();
    this.#timers.add(timer);
    return timer;
  }
}

async function answer(
  worker: Worker,
  documents: BackendDocuments,
  { id, url }: DocumentRequest,
): Promise<void> {
  const message: ToDriftWorker = await documents.fetch(url).then(
    (document) => ({ id, document, why: '' }),
    (error: unknown) => ({
      id,
      document: null,
      why: error instanceof Error ? error.message : 'unknown reason',
    }),
  );
  worker.postMessage(message);
}

type DocumentRequest = Extract<FromDriftWorker, { readonly kind: 'fetch' }>;

function messageOf(reading: DriftReading, isSame: boolean): string {
  if (reading.kind === 'failed') return 'the WSDL the backend shows could not be read';
  return isSame
    ? 'the backend shows the WSDL that is served again'
    : 'the backend shows another WSDL than is served';
}
