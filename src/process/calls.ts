import type { ConsoleDescription, OperationDescription } from '../console/answers.js';
import type { Diagnostic, inputFiles, sharedState } from '../core/index.js';
import type { WsdlOffer } from '../flow/drift/safe-changes.js';
import type {
  ExchangeQuery,
  ExchangeSummary,
  ExchangeView,
} from '../flow/inspect/exchange-view.js';
import type { CanaryCalls, CanaryState } from '../gateway/canary/canary-channel.js';
import type { ConfirmationNews, ConfirmationUse } from '../gateway/shared/confirmation-channel.js';
import type { InvalidatedOperations } from '../gateway/shared/invalidation.js';
import type { TicketSecret } from '../listen/ticket-keys.js';
import type { AddressEvent } from '../observe/address-states.js';
import type { Operator } from '../observe/admin.js';
import type { ChainHead } from '../observe/audit/chain-writer.js';
import type { HourReport } from '../observe/hour-report.js';
import type { MetricList } from '../observe/metrics/metric-table.js';
import type { RecentLists } from '../observe/recent-lists.js';
import type { UsageReport } from '../observe/usage.js';
import type { healthChecks } from '../upstream/index.js';
import type { Channel } from './channel.js';
import type { CompiledFacts, Reads, ReloadOccasion } from './reload/reload-source.js';

interface Asked<Data, Answer> {
  readonly data: Data;
  readonly answer: Answer;
}

/** An announcement: it has no answer. */
type Told<Data> = Asked<Data, void>;

/** The calls that a worker takes from its parent. */
export type WorkerCalls = {
  /** Answered as soon as the event loop of the worker gets to it. */
  readonly alive: Asked<null, null>;
  /** Answered behind the parts of the list. */
  readonly metrics: Asked<null, null>;
  readonly recent: Asked<null, RecentLists>;
  readonly hour: Asked<null, HourReport>;
  readonly usage: Asked<null, UsageReport>;
  readonly description: Asked<null, ConsoleDescription>;
  /** Null where there is no such operation. */
  readonly operation: Asked<
    { readonly service: string; readonly name: string },
    OperationDescription | null
  >;
  /** The exchanges of an operation that are kept; null where none are. */
  readonly exchanges: Asked<
    { readonly service: string; readonly operation: string },
    readonly ExchangeSummary[] | null
  >;
  /** Null for one that this worker does not keep. */
  readonly exchange: Asked<
    { readonly query: ExchangeQuery; readonly by: Operator },
    ExchangeView | 'forbidden' | null
  >;
  /** Compile what was read, and read what is missing. */
  readonly compile: Asked<
    { readonly occasion: ReloadOccasion; readonly inputs: inputFiles.InputSnapshot },
    StepAnswer
  >;
  /** Compile what another worker has compiled. */
  readonly compileSame: Asked<{ readonly inputs: inputFiles.InputSnapshot }, StepAnswer>;
  /** Use what was compiled. */
  readonly commit: Asked<null, StepAnswer>;
  /** Drop what was compiled. */
  readonly discard: Told<null>;
  /** Check the health of backends and their WSDLs from now on. */
  readonly checkBackends: Told<null>;
  /** A result of the worker that checks. */
  readonly health: Told<healthChecks.HealthResult>;
  /** A replica of budgets has ended without leaving. */
  readonly removeReplica: Told<string>;
  /** Cached replies are invalid, which another worker has found. */
  readonly invalidations: Told<InvalidatedOperations>;
  /** A person has answered a question in another worker. */
  readonly confirmations: Told<ConfirmationNews>;
  /** Answers of an address are mixed up, which another worker has found. */
  readonly suspicion: Told<sharedState.Suspicion>;
  /** The share of a canary is another, which another worker has found or an operator wants. */
  readonly canaryState: Told<CanaryState>;
  /** Calls of a canary in another worker. */
  readonly canaryCalls: Told<CanaryCalls>;
  /** Null where the service has no canary. */
  readonly canary: Asked<string, Pick<CanaryState, 'service' | 'share'> | null>;
  /** Moves the share of a canary, in all workers; null where the service has none. */
  readonly moveCanary: Asked<
    { readonly service: string; readonly share: number; readonly by: Operator },
    CanaryState | null
  >;
};

/** The calls that the parent takes from its workers. */
export type ParentCalls = {
  readonly begin: Asked<null, WorkerStart>;
  /** The inputs that the others have put into use since this worker got its own; null: none. */
  readonly newerInputs: Asked<null, inputFiles.InputSnapshot | null>;
  /** Answered after a turn of the event loop of the parent, which accepts connections. */
  readonly turn: Asked<null, void>;
  /** The worker takes requests, on these addresses. */
  readonly ready: Told<readonly string[]>;
  /** The worker has checked an address of a backend. */
  readonly health: Told<healthChecks.HealthResult>;
  /** An address of a backend went down or up. */
  readonly address: Told<AddressEvent>;
  /** Cached replies are invalid, in the other workers too. */
  readonly invalidations: Told<InvalidatedOperations>;
  /** A person has answered a question: for the other workers. */
  readonly confirmations: Told<ConfirmationNews>;
  /** A confirmation is used, once by all workers. */
  readonly useConfirmation: Asked<
    { readonly name: string; readonly untilMillis: number },
    ConfirmationUse
  >;
  /** A proof of a caller is used, once by all workers. */
  readonly claimProof: Asked<
    { readonly key: string; readonly untilMillis: number; readonly max: number },
    ConfirmationUse
  >;
  /**
   * Answers of an address are mixed up: the other workers, and those that begin later, have to
   * know.
   */
  readonly suspicion: Told<sharedState.Suspicion>;
  /** The share of a canary is another: for the other workers, and those that begin later. */
  readonly canaryState: Told<CanaryState>;
  /** Calls of a canary: for the other workers. */
  readonly canaryCalls: Told<CanaryCalls>;
  /** Times of the next calls to a service that has a rate. */
  readonly slots: Asked<
    { readonly name: string; readonly rate: sharedState.Rate; readonly count: number },
    readonly number[]
  >;
  /** A changed WSDL of a backend is to be taken. */
  readonly offer: Told<WsdlOffer>;
  /** The last line of the audit of the worker. */
  readonly auditHead: Told<ChainHead>;
  /** How the worker has ended. */
  readonly drained: Told<WorkerDrain>;
  /** A part of the metrics of the worker. */
  readonly metricsPart: Told<MetricList>;
  /** The parts before are what the worker counted until its end. */
  readonly lastMetrics: Told<null>;
  readonly lastUsage: Told<UsageReport>;
  readonly lastHour: Told<HourReport>;
};

/** The end of a drain. */
interface WorkerDrain {
  /** Connections that were cut. */
  readonly cut: number;
  readonly lostRecords: number;
}

/** The channel of a worker to its parent. */
export type ParentChannel = Channel<ParentCalls, WorkerCalls>;

/** The channel of the parent to a worker. */
export type WorkerChannel = Channel<WorkerCalls, ParentCalls>;

/**
 * What a worker starts from: what the parent has read, and the secret of the session tickets of all
 * workers.
 */
export interface WorkerStart {
  readonly inputs: inputFiles.InputSnapshot;
  readonly tickets: TicketSecret;
  /** What all workers seal with that callers keep for a while. */
  readonly stateSecret: string;
  /** The name of the worker among the replicas of budgets, and of its chain of audit lines. */
  readonly replica: string;
  /** What earlier workers have found, and what is not over. */
  readonly suspicions: readonly sharedState.Suspicion[];
  /** The shares of canaries that were moved or went back. */
  readonly canaries: readonly CanaryState[];
}

/** Whether a step of a reload was done. */
export interface StepAnswer {
  readonly isDone: boolean;
  /** What the worker itself has read; null: nothing. */
  readonly reads: Reads | null;
  /** The facts of what the worker has compiled first of all workers; else null. */
  readonly facts: CompiledFacts | null;
  readonly problems: readonly Diagnostic[];
}
