import { takenProblemsOf } from '../compile/soap/documents/named-wsdl.js';
import { type Compiled, compile } from '../compile.js';
import { type LoadedConfig, loadConfig, rootSection } from '../config/load.js';
import { inputFiles, type sharedState, TimeSlices } from '../core/index.js';
import type { CanaryChannel, CanaryState } from '../gateway/canary/canary-channel.js';
import type { ConfirmationChannel } from '../gateway/shared/confirmation-channel.js';
import { type InvalidationChannel, InvalidationSender } from '../gateway/shared/invalidation.js';
import { TicketKeys } from '../listen/ticket-keys.js';
import type { ChainHead } from '../observe/audit/chain-writer.js';
import type { Log } from '../observe/log/log.js';
import { type Gateway, serveGateway } from '../server.js';
import type { ParentCalls, ParentChannel, WorkerCalls, WorkerStart } from './calls.js';
import { Channel } from './channel.js';
import { enlargeYoungGeneration } from './collector-flags.js';
import { MetricSender } from './metric-sender.js';
import { refuseAddress } from './refuse-address.js';
import { trackFiles } from './reload/file-watch.js';
import type { Reads } from './reload/reload-source.js';
import { compileBeside } from './reload/wsdl-takeover.js';
import { type ReloadCompiler, reportTo, serveParent } from './serve-parent.js';
import { drainDelayOf, endCode, type StopCause, stopCause } from './stop-cause.js';
import type { ExitCode } from './terminal.js';

/** The channel of this process to the one that has forked it. */
export function parentChannel(): ParentChannel {
  const channel = new Channel<ParentCalls, WorkerCalls>(
    (message) =>
      new Promise((resolve) => {
        if (process.send === undefined) {
          resolve();
        } else {
          process.send(message, undefined, undefined, () => resolve());
        }
      }),
  );
  process.on('message', (message: Parameters<typeof channel.receive>[0]) =>
    channel.receive(message),
  );
  process.once('disconnect', () => channel.close());
  return channel;
}

/** Runs a worker in a process of its own: it takes requests, and ends at a signal of its parent. */
export async function runWorker(
  parent: ParentChannel,
  start: WorkerStart,
  loaded: LoadedConfig,
  log: Log,
): Promise<ExitCode> {
  const { stopping, gateway } = await openGateway(parent, start, loaded, log);
  enlargeYoungGeneration();
  const { file, overrides } = loaded;
  const load = (inputs: inputFiles.Inputs) =>
    loadConfig(file, process.env, overrides, inputs, new TimeSlices());
  const compiler: ReloadCompiler = {
    async compileFirst(occasion, inputs, reads) {
      const rest =
        occasion === 'WSDL'
          ? inputFiles.replayInputs(inputs)
          : inputFiles.completeInputs(inputs, readRest(reads));
      return compileBeside(await load(rest), gateway.compiled(), occasion);
    },
    compileSame: async (inputs) =>
      compile(await load(inputFiles.replayInputs(inputs)), gateway.compiled()),
  };
  const metrics = new MetricSender(parent, () => gateway.listMetrics());
  serveParent(parent, gateway, compiler, metrics, log);
  const reportLast = reportAudit(parent, gateway.auditHead);
  const why = await stopping;
  // Messages keep their order: after a turn, connections that the parent had for this worker before
  // have come.
  const turn = (): Promise<void> => parent.ask('turn', null).catch(() => {});
  const cut = await gateway.drain(turn, drainDelayOf(why, gateway.compiled().config));
  const { lostRecords } = gateway;
  await parent.tell('drained', { cut, lostRecords });
  await reportLast();
  await metrics.send();
  await parent.tell('lastMetrics', null);
  await parent.tell('lastUsage', gateway.usage.report());
  await parent.tell('lastHour', gateway.console.hour());
  return endCode(why, cut > 0 || lostRecords > 0);
}

/** Reads what is not in `snapshot` from the disk, and adds it. */
export const readRest = ({ snapshot, files }: Reads) =>
  trackFiles(inputFiles.recordInputs(snapshot), files);

interface Opened {
  readonly stopping: Promise<StopCause>;
  readonly gateway: Gateway;
}

async function openGateway(
  parent: ParentChannel,
  { inputs, tickets, stateSecret, replica, suspicions, canaries }: WorkerStart,
  loaded: LoadedConfig,
  log: Log,
): Promise<Opened> {
  const compiled = await compileLatest(parent, loaded, inputs);
  log.configure(compiled.config.log);
  // The program may be another one than that of the parent, which has used them.
  log.configurationWarnings(takenProblemsOf(compiled.wsdls));
  const stopping = stopCause(log);
  // A signal to the process group comes here twice, once from the parent: it asks for the same, not
  // to hurry.
  for (const each of ['SIGTERM', 'SIGINT'] as const) {
    process.on(each, () => {});
  }
  const starting = serveGateway(compiled, log, {
    ...reportTo(parent),
    operators: 'elsewhere',
    invalidations: invalidationsBy(parent, log),
    confirmations: confirmationsBy(parent, log),
    claimProof: (key, untilMillis, max) =>
      parent.ask('claimProof', { key, untilMillis, max }, CLAIM_MILLIS),
    stateSecret,
    suspicions: suspicionsBy(parent, suspicions, log),
    canaries: canariesBy(parent, canaries, log),
    slots: { take: (name, rate, count) => parent.ask('slots', { name, rate, count }) },
    tickets: new TicketKeys(tickets, loaded.config.limits.http.ticketKeyMillis),
    replica,
  });
  return {
    stopping,
    gateway: await starting.catch(refuseAddress(rootSection(loaded), ['listen'])),
  };
}

/**
 * Compiles what a worker starts from, and again what a reload has put into use meanwhile: a worker
 * that takes requests has the configuration of the others.
 */
async function compileLatest(
  parent: ParentChannel,
  first: LoadedConfig,
  inputs: inputFiles.InputSnapshot,
): Promise<Compiled> {
  const { file, overrides } = first;
  for (let [loaded, read] = [first, inputs]; ; ) {
    const compiled = await compile(loaded);
    read.contents.clear();
    const newer = await parent.ask('newerInputs', null);
    if (newer === null) return compiled;
    await compiled.close();
    read = newer;
    loaded = await loadConfig(file, process.env, overrides, inputFiles.replayInputs(newer));
  }
}

/** Carries invalidations to the other workers by way of the parent. */
function invalidationsBy(parent: ParentChannel, log: Log): InvalidationChannel {
  const sender = new InvalidationSender((operations) => parent.tell('invalidations', operations));
  return {
    publish: (operations) => sender.add(operations),
    receive: (receiver) => parent.answer({ invalidations: receiver }, (error) => log.bug(error)),
  };
}

/** How long a call waits to know whether its confirmation, or its proof, was used. */
const CLAIM_MILLIS = 5_000;

/**
 * Carries news of confirmations to the other workers by way of the parent, which remembers those
 * that were used.
 */
const confirmationsBy = (parent: ParentChannel, log: Log): ConfirmationChannel => ({
  publish: (news) => void parent.tell('confirmations', news),
  receive: (receiver) => parent.answer({ confirmations: receiver }, (error) => log.bug(error)),
  use: (name, untilMillis) => parent.ask('useConfirmation', { name, untilMillis }, CLAIM_MILLIS),
});

/**
 * Carries suspicions to the other workers by way of the parent, which has those that are `known`.
 */
const suspicionsBy = (
  parent: ParentChannel,
  known: readonly sharedState.Suspicion[],
  log: Log,
): sharedState.SuspicionChannel => ({
  publish: (suspicion) => void parent.tell('suspicion', suspicion),
  receive(receiver) {
    known.forEach(receiver);
    parent.answer({ suspicion: receiver }, (error) => log.bug(error));
  },
});

/**
 * Carries the shares of canaries to the other workers by way of the parent, which has those that
 * are `known`.
 */
const canariesBy = (
  parent: ParentChannel,
  known: readonly CanaryState[],
  log: Log,
): CanaryChannel => ({
  publish: (state) => void parent.tell('canaryState', state),
  count: (calls) => void parent.tell('canaryCalls', calls),
  receive(receiver) {
    for (const state of known) {
      receiver.state(state);
    }
    parent.answer(
      {
        canaryState: (state) => receiver.state(state),
        canaryCalls: (calls) => receiver.calls(calls),
      },
      (error) => log.bug(error),
    );
  },
});

/** Between two reports of the last line of the audit, where it has grown. */
const AUDIT_MILLIS = 2_000;

/**
 * Reports the last line of the audit of a worker from now on. Returns what reports it once more, at
 * the end.
 */
function reportAudit(parent: ParentChannel, headNow: () => ChainHead | null): () => Promise<void> {
  let reported = 0;
  const report = async (): Promise<void> => {
    const head = headNow();
    if (head === null || head.seq === reported) return;
    reported = head.seq;
    await parent.tell('auditHead', head);
  };
  setInterval(() => void report(), AUDIT_MILLIS).unref();
  return report;
}
