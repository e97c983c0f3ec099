import { ConfigurationError, type Diagnostic } from '../../base/diagnostic.js';
import type { InputSnapshot } from '../../base/inputs.js';
import { type InvalidatedOperations, type InvalidationChannel, InvalidationSender } from '../../base/invalidation.js';
import type { Compiled } from '../../compile.js';
import type { ConsoleDescription, OperationDescription } from '../../console/answers.js';
import type { ConsoleFacts } from '../../console/facts.js';
import type { WsdlOffer } from '../../flow/drift/safe-changes.js';
import type { TicketSecret } from '../../listen/ticket-keys.js';
import type { AddressEvent } from '../../observe/address-states.js';
import type { ChainHead } from '../../observe/audit/chain-writer.js';
import type { MetricList } from '../../observe/metrics/prometheus.js';
import type { RecentLists } from '../../observe/recent-lists.js';
import type { UsageReport } from '../../observe/usage.js';
import type { HealthResult } from '../../upstream/health.js';
import { type CompiledFacts, factsOf, noReads, type Reads, type ReloadOccasion } from '../reload/reload-source.js';

/** A message of a worker to its parent. */
export type FromWorker =
  | { readonly kind: 'askInputs' }
  | { readonly kind: 'askNewerInputs' }
  | { readonly kind: 'askTurn' }
  | { readonly kind: 'ready'; readonly urls: readonly string[] }
  | ({ readonly kind: 'step'; readonly number: number } & StepAnswer)
  /** The event loop goes on. */
  | { readonly kind: 'alive' }
  /** The worker has checked an address of a backend. */
  | { readonly kind: 'health'; readonly result: HealthResult }
  /** An address of a backend went down or up. */
  | { readonly kind: 'address'; readonly event: AddressEvent }
  /** Cached replies are invalid, in the other workers too. */
  | { readonly kind: 'invalidations'; readonly operations: InvalidatedOperations }
  /** A changed WSDL of a backend is to be taken. */
  | { readonly kind: 'offer'; readonly offer: WsdlOffer }
  /** The last line of its audit. */
  | { readonly kind: 'auditHead'; readonly head: ChainHead }
  | { readonly kind: 'metrics'; readonly metrics: MetricList }
  /** What the worker counted until its end. */
  | { readonly kind: 'usage'; readonly usage: UsageReport }
  | { readonly kind: 'console'; readonly number: number; readonly answer: ConsoleAnswer };

/** A question of the console. */
export type ConsoleQuestion =
  | { readonly about: 'recent' | 'description' | 'usage' }
  | { readonly about: 'operation'; readonly service: string; readonly name: string };

/** The answer to a question; the others are null. */
export interface ConsoleAnswer {
  readonly recent: RecentLists | null;
  readonly description: ConsoleDescription | null;
  readonly usage: UsageReport | null;
  readonly operation: OperationDescription | null;
}

/**
 * A step of a reload: compile what was read, and read what is missing; compile what another worker has compiled; use what was
 * compiled.
 */
export type ReloadStep =
  | { readonly kind: 'compile'; readonly occasion: ReloadOccasion; readonly inputs: InputSnapshot }
  | { readonly kind: 'compileSame'; readonly inputs: InputSnapshot }
  | { readonly kind: 'commit' };

/** A step that compiles. */
export type CompileStep = Exclude<ReloadStep, { readonly kind: 'commit' }>;

/** Whether a step was done. */
export interface StepAnswer {
  readonly isDone: boolean;
  /** What the worker itself has read; null: nothing. */
  readonly reads: Reads | null;
  /** Of what it has compiled first of all workers. */
  readonly facts: CompiledFacts | null;
  readonly problems: readonly Diagnostic[];
}

/**
 * A message of the parent to a worker: inputs to start from, the end of a turn, a request for metrics, and the steps of a
 * reload, which are answered by their number; `discard` drops what was compiled.
 */
export type ToWorker =
  | (ReloadStep & { readonly number: number })
  | { readonly kind: 'discard' }
  | { readonly kind: 'askAlive' }
  /** A replica of budgets that has ended without leaving. */
  | { readonly kind: 'removeReplica'; readonly replica: string }
  /** Check the health of backends and their WSDLs; and a result of the worker that does. */
  | { readonly kind: 'checkBackends' }
  | { readonly kind: 'health'; readonly result: HealthResult }
  /** Of another worker. */
  | { readonly kind: 'invalidations'; readonly operations: InvalidatedOperations }
  | ({ readonly kind: 'inputs' } & WorkerStart)
  /** Null: those of the start are in use. */
  | { readonly kind: 'newerInputs'; readonly inputs: InputSnapshot | null }
  | { readonly kind: 'askMetrics' }
  | { readonly kind: 'askConsole'; readonly number: number; readonly question: ConsoleQuestion }
  | { readonly kind: 'turn' };

/** What a worker starts from: what the parent has read, and the secret of the session tickets of all workers. */
export interface WorkerStart {
  readonly inputs: InputSnapshot;
  readonly tickets: TicketSecret;
  /** Its name among the replicas of budgets, and of its chain of audit lines. */
  readonly replica: string;
}

/** Resolves to what the parent gives. It is asked for it: a worker loses what is sent before it listens. */
export function receiveInputs(): Promise<WorkerStart> {
  return new Promise((resolve) => {
    const listen = (message: ToWorker): void => {
      if (message.kind !== 'inputs') return;
      process.off('message', listen);
      resolve(message);
    };
    process.on('message', listen);
    void send({ kind: 'askInputs' });
  });
}

/** Resolves to the inputs that the others have put into use since this worker got its own; null: none. */
export function receiveNewerInputs(): Promise<InputSnapshot | null> {
  return new Promise((resolve) => {
    const listen = (message: ToWorker): void => {
      if (message.kind !== 'newerInputs') return;
      process.off('message', listen);
      resolve(message.inputs);
    };
    process.on('message', listen);
    void send({ kind: 'askNewerInputs' });
  });
}

/** Reports to the parent that this worker takes requests, and from then on its metrics and facts on request. */
export function reportReady(urls: readonly string[], metrics: () => Promise<MetricList>, facts: ConsoleFacts): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'askMetrics') void sendMetrics(metrics);
    else if (message.kind === 'askAlive') void send({ kind: 'alive' });
    else if (message.kind === 'askConsole') {
      const { number, question } = message;
      void send({ kind: 'console', number, answer: answerQuestion(facts, question) });
    }
  });
  void send({ kind: 'ready', urls });
}

function answerQuestion(facts: ConsoleFacts, question: ConsoleQuestion): ConsoleAnswer {
  const { about } = question;
  return {
    recent: about === 'recent' ? facts.recent() : null,
    description: about === 'description' ? facts.description() : null,
    usage: about === 'usage' ? facts.usage() : null,
    operation: about === 'operation' ? facts.operation(question.service, question.name) : null,
  };
}

/** Reports the result of a health check to the parent, for the other workers. */
export const reportHealth = (result: HealthResult): void => void send({ kind: 'health', result });

/** An address of a backend is down or up for this worker. */
export const reportAddress = (event: AddressEvent): void => void send({ kind: 'address', event });

/** Between two reports of the last line of the audit, where it has grown. */
const AUDIT_MILLIS = 2_000;

/** Reports the last line of the audit of a worker from now on. Returns what reports it once more, at the end. */
export function reportAudit(headNow: () => ChainHead | null): () => Promise<void> {
  let reported = 0;
  const report = async (): Promise<void> => {
    const head = headNow();
    if (head === null || head.seq === reported) return;
    reported = head.seq;
    await send({ kind: 'auditHead', head });
  };
  setInterval(() => void report(), AUDIT_MILLIS).unref();
  return report;
}

/** Passes the changed WSDL of a backend to the parent. */
export const offerWsdl = (offer: WsdlOffer): void => void send({ kind: 'offer', offer });

/** Checks backends when the parent asks for it, and takes over what it reports of other workers. */
export function shareState({ checkBackends, takeHealth, removeReplica }: StateSharer): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'checkBackends') checkBackends();
    else if (message.kind === 'health') takeHealth(message.result);
    else if (message.kind === 'removeReplica') removeReplica(message.replica);
  });
}

interface StateSharer {
  checkBackends(): void;
  takeHealth(result: HealthResult): void;
  removeReplica(replica: string): void;
}

/** Carries invalidations to the other workers by way of the parent. */
export function workerInvalidations(): InvalidationChannel {
  const sender = new InvalidationSender((operations) => send({ kind: 'invalidations', operations }));
  return {
    publish: (operations) => sender.add(operations),
    receive(receiver) {
      process.on('message', (message: ToWorker) => {
        if (message.kind === 'invalidations') receiver(message.operations);
      });
    },
  };
}

/**
 * Does the steps of reloads, one after the other: `compile` adds what it reads to its second argument, `replace` puts the
 * result into use, `failed` reports a bug. A step that comes late is over before those of the next reload.
 */
export function takeReloads(
  compile: (step: CompileStep, reads: Reads) => Promise<Compiled>,
  replace: (compiled: Compiled) => void,
  failed: (error: unknown) => void,
): void {
  let prepared: Compiled | null = null;
  const discard = async (): Promise<void> => {
    const dropped = prepared;
    prepared = null;
    await dropped?.close();
  };
  const step = async (message: ReloadStep, reads: Reads): Promise<CompiledFacts | null> => {
    if (message.kind !== 'commit') {
      await discard();
      prepared = await compile(message, reads);
      return message.kind === 'compile' ? factsOf(prepared) : null;
    }
    if (prepared === null) throw new Error('nothing is prepared');
    replace(prepared);
    prepared = null;
    return null;
  };
  const answer = async (message: ReloadStep): Promise<StepAnswer> => {
    const reads = message.kind === 'compile' ? noReads() : null;
    try {
      return { isDone: true, reads, facts: await step(message, reads ?? noReads()), problems: [] };
    } catch (error) {
      const isExpected = error instanceof ConfigurationError;
      if (!isExpected) failed(error);
      return { isDone: false, reads, facts: null, problems: isExpected ? error.diagnostics : [] };
    }
  };
  let last: Promise<void> = Promise.resolve();
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'discard') last = last.then(discard).catch(() => {});
    else if (message.kind === 'compile' || message.kind === 'compileSame' || message.kind === 'commit') {
      const { number } = message;
      last = last.then(async () => send({ kind: 'step', number, ...(await answer(message)) }));
    }
  });
}

/**
 * Resolves when the parent has gone through a turn of its event loop, or is gone. Messages keep their order: connections
 * that the parent had for this worker before have come.
 */
export async function parentTurn(): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      process.off('message', listen).off('disconnect', end);
      resolve();
    };
    const listen = (message: ToWorker): void => {
      if (message.kind === 'turn') end();
    };
    process.on('message', listen).on('disconnect', end);
    void send({ kind: 'askTurn' });
  });
}

/** Resolves when the metrics are with the system, or the parent is gone. */
export async function sendMetrics(metrics: () => Promise<MetricList>): Promise<void> {
  await send({ kind: 'metrics', metrics: await metrics() });
}

/** Resolves when the report is with the system, or the parent is gone. */
export const sendUsage = (usage: UsageReport): Promise<void> => send({ kind: 'usage', usage });

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
