import { Worker } from 'node:worker_threads';
import type { SoapService } from '../../compile/service.js';
import type { Severity } from '../../wsdl/compare/change.js';
import { BackendDocuments } from './backend-documents.js';
import type { FromDriftWorker, ToDriftWorker } from './drift-messages.js';
import type { DriftReading, DriftTask } from './drift-reading.js';

/** Receives the results of comparisons of the WSDL of a backend. */
export interface DriftListener {
  looked(service: string, outcome: 'same' | 'changed' | 'failed'): void;
  /** Once for each new state, however often it is seen. */
  changed(service: string, message: string, reading: DriftReading): void;
}

/** One service whose backend is looked at. */
interface Watched {
  readonly service: string;
  readonly task: () => DriftTask;
  /** Null where the WSDL is not at the host of the service. */
  readonly documents: BackendDocuments | null;
  readonly everyMillis: number;
  counts: Readonly<Record<Severity, number>> | null;
  /** The state that was reported last, as text. */
  reported: string;
}

/** A look may take this long, and this much memory. */
const LOOK_MILLIS = 120_000;
const LOOK_MIB = 512;

/**
 * Compares the WSDLs of backends now and then with those that are served, and reports differences. It changes
 * nothing: callers and schema keep the model they have.
 */
export class DriftWatch {
  readonly #watched: readonly Watched[];
  readonly #listener: DriftListener;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #workers = new Set<Worker>();
  #isClosed = false;

  /** Begins to look at once. */
  constructor(services: readonly SoapService[], listener: DriftListener) {
    this.#listener = listener;
    this.#watched = services.flatMap((service): Watched[] => {
      const { name, config, wsdl, reach } = service;
      const file = wsdl?.documents[0]?.location;
      if (config.drift === undefined || file === undefined) return [];
      const { url, headers = {}, everyMillis } = config.drift;
      // Credentials are for the backend and for no other host.
      const isBackend = config.urls.some((own) => new URL(own).origin === new URL(url).origin);
      const documents = isBackend ? new BackendDocuments(service, headers) : null;
      const task = (): DriftTask => {
        return { file, url, isBackend, headers, proxy: reach.proxy, tls: reach.tls?.options ?? null };
      };
      return [{ service: name, task, documents, everyMillis, counts: null, reported: '' }];
    });
    for (const watched of this.#watched) this.#look(watched);
  }

  /** The differences at the last look that could be made. */
  get counts(): readonly { readonly service: string; readonly severity: Severity; readonly count: number }[] {
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
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #look(watched: Watched): void {
    if (this.#isClosed) return;
    const worker = new Worker(new URL('./drift-worker.js', import.meta.url), {
      workerData: watched.task(),
      resourceLimits: { maxOldGenerationSizeMb: LOOK_MIB },
    });
    this.#workers.add(worker);
    worker.unref();
    let reading: DriftReading = { kind: 'failed', why: `It took longer than ${LOOK_MILLIS} ms.` };
    const deadline = this.#after(LOOK_MILLIS, () => worker.terminate());
    worker.on('message', (message: FromDriftWorker) => {
      if (message.kind === 'reading') reading = message.reading;
      else if (watched.documents !== null) void answer(worker, watched.documents, message);
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
      this.#after(watched.everyMillis, () => this.#look(watched));
    });
  }

  #take(watched: Watched, reading: DriftReading): void {
    const isSame = reading.kind === 'read' && Object.values(reading.counts).every((count) => count === 0);
    this.#listener.looked(watched.service, reading.kind === 'failed' ? 'failed' : isSame ? 'same' : 'changed');
    if (reading.kind === 'read') watched.counts = reading.counts;
    const state = JSON.stringify(reading);
    const isNews = state !== watched.reported && !(isSame && watched.reported === '');
    watched.reported = isSame ? '' : state;
    if (isNews) this.#listener.changed(watched.service, messageOf(reading, isSame), reading);
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

async function answer(worker: Worker, documents: BackendDocuments, { id, url }: DocumentRequest): Promise<void> {
  const message: ToDriftWorker = await documents.fetch(url).then(
    (document) => ({ id, document, why: '' }),
    (error: unknown) => ({ id, document: null, why: error instanceof Error ? error.message : 'unknown reason' }),
  );
  worker.postMessage(message);
}

type DocumentRequest = Extract<FromDriftWorker, { readonly kind: 'fetch' }>;

function messageOf(reading: DriftReading, isSame: boolean): string {
  if (reading.kind === 'failed') return 'the WSDL the backend shows could not be read';
  return isSame ? 'the backend shows the WSDL that is served again' : 'the backend shows another WSDL than is served';
}
