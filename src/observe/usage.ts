import { getOrMake, type observing } from '../core/index.js';
import type { Exchange } from '../gateway/exchange.js';
import { type AdminPages, longJsonAnswer } from './admin.js';
import { makeSum, OTHER, TallyTable } from './metrics/tally.js';

/** Clients that are told apart; others are `_other`. */
export const USAGE_CLIENTS_MAX = 200;
/** Names counted for one client and kind; others are `_other`. */
export const USAGE_NAMES_MAX = 1000;
/** Operations of a client whose names are not added up yet. */
const PENDING_MAX = 200;

/** How often each was used, by name. */
export type UsageCounts = Readonly<Record<string, number>>;

/** The requests of one client that were answered. */
export interface ClientUsage {
  /** The client's `graphql-client-name` and `graphql-client-version`; '' where it sends none. */
  readonly name: string;
  readonly version: string;
  /**
   * The name of the API key, user or certificate in the configuration, else of the class; '' for
   * none.
   */
  readonly label: string;
  /**
   * Operations of services that it called with SOAP messages, and by GraphQL: `orders.GetOrder`.
   */
  readonly soap: UsageCounts;
  readonly graphql: UsageCounts;
  /** The counts by the names of the client's GraphQL operations. */
  readonly operations: UsageCounts;
  readonly fields: UsageCounts;
  /** Names in messages of fields whose names differ: `Order.ORDNO`. */
  readonly elements: UsageCounts;
  readonly arguments: UsageCounts;
}

export interface UsageReport {
  /** When counting began, ISO 8601. */
  readonly since: string;
  readonly clients: readonly ClientUsage[];
}

const KINDS = ['soap', 'graphql', 'operations', 'fields', 'elements', 'arguments'] as const;
type Kind = (typeof KINDS)[number];

/** The counts of one client. */
class ClientCounts {
  readonly name: string;
  readonly version: string;
  readonly label: string;
  readonly #counts: Readonly<Record<Kind, Map<string, number>>> = {
    soap: new Map(),
    graphql: new Map(),
    operations: new Map(),
    fields: new Map(),
    elements: new Map(),
    arguments: new Map(),
  };
  /** SOAP calls by service and operation, whose names are put together when they are asked for. */
  readonly #calls = new TallyTable(2, makeSum, USAGE_NAMES_MAX);
  /**
   * Requests by what they use: the names are added up when they are asked for, which costs a
   * request nothing.
   */
  readonly #pending = new Map<observing.OperationUse, number>();

  constructor(name: string, version: string, label: string) {
    this.name = name;
    this.version = version;
    this.label = label;
  }

  addCall(service: string, operation: string): void {
    this.#calls.find(service, operation).value++;
  }

  addUse(use: observing.OperationUse): void {
    if (this.#pending.size >= PENDING_MAX) {
      this.#addUp();
    }
    this.#pending.set(use, (this.#pending.get(use) ?? 0) + 1);
  }

  addReport(usage: ClientUsage): void {
    for (const kind of KINDS) {
      for (const [name, count] of Object.entries(usage[kind])) {
        this.#add(kind, name, count);
      }
    }
  }

  report(): ClientUsage {
    this.#addUp();
    const { name, version, label } = this;
    const { soap, graphql, operations, fields, elements, arguments: named } = this.#counts;
    return {
      name,
      version,
      label,
      soap: Object.fromEntries(soap),
      graphql: Object.fromEntries(graphql),
      operations: Object.fromEntries(operations),
      fields: Object.fromEntries(fields),
      elements: Object.fromEntries(elements),
      arguments: Object.fromEntries(named),
    };
  }

  #addUp(): void {
    for (const { values, tally } of this.#calls.rows) {
      const [service = '', operation = ''] = values;
      if (tally.value > 0) {
        this.#add('soap', service === OTHER ? OTHER : `${service}.${operation}`, tally.value);
      }
      tally.value = 0;
    }
    for (const [use, count] of this.#pending) {
      if (use.name !== '') {
        this.#add('operations', use.name, count);
      }
      for (const call of use.calls) {
        this.#add('graphql', call, count);
      }
      for (const field of use.fields) {
        this.#add('fields', field, count);
      }
      for (const element of use.elements) {
        this.#add('elements', element, count);
      }
      for (const argument of use.arguments) {
        this.#add('arguments', argument, count);
      }
    }
    this.#pending.clear();
  }

  #add(kind: Kind, name: string, count: number): void {
    const counts = this.#counts[kind];
    const known = counts.get(name);
    const isNew = known === undefined && counts.size >= USAGE_NAMES_MAX - 1;
    if (isNew) {
      counts.set(OTHER, (counts.get(OTHER) ?? 0) + count);
    } else {
      counts.set(name, (known ?? 0) + count);
    }
  }
}

/**
 * Which client uses what: operations of services, fields and arguments. Only requests that were
 * answered count.
 */
export class Usage {
  readonly #since = new Date();
  /** The counts by label, name and version: nothing of a caller is put together to a key. */
  readonly #clients = new Map<string, Map<string, Map<string, ClientCounts>>>();
  #count = 0;

  add(exchange: Exchange): void {
    const { outcome, dialect, route, operation, caller, graphql } = exchange;
    const { used, clientName, clientVersion } = graphql;
    if (
      (outcome !== 'ok' && outcome !== 'fault') ||
      (used === null && (dialect === '' || operation === ''))
    ) {
      return;
    }
    const counts = this.#clientOf(clientName, clientVersion, caller.name || caller.className);
    if (used === null) {
      counts.addCall(route, operation);
    } else {
      for (const use of used) {
        counts.addUse(use);
      }
    }
  }

  /** Adds what another process has counted. */
  addReport({ clients }: UsageReport): void {
    for (const usage of clients) {
      this.#clientOf(usage.name, usage.version, usage.label).addReport(usage);
    }
  }

  report(): UsageReport {
    const clients = [...this.#clients.values()]
      .flatMap((byName) => [...byName.values()])
      .flatMap((byVersion) => [...byVersion.values()])
      .map((counts) => counts.report());
    return { since: this.#since.toISOString(), clients };
  }

  #clientOf(name: string, version: string, label: string): ClientCounts {
    const known = this.#clients.get(label)?.get(name)?.get(version);
    if (known !== undefined) return known;
    // A client may call itself `_other`, in any version.
    const isRest = name === OTHER && version === '' && label === '';
    if (this.#count >= USAGE_CLIENTS_MAX - 1 && !isRest) return this.#clientOf(OTHER, '', '');
    const byName = getOrMake(
      this.#clients,
      label,
      () => new Map<string, Map<string, ClientCounts>>(),
    );
    const made = new ClientCounts(name, version, label);
    getOrMake(byName, name, () => new Map<string, ClientCounts>()).set(version, made);
    this.#count++;
    return made;
  }
}

/** The reports of several processes as one. */
export function mergeUsage(reports: readonly UsageReport[]): UsageReport {
  const sum = new Usage();
  for (const report of reports) {
    sum.addReport(report);
  }
  const since = reports.map((report) => report.since).sort()[0];
  const merged = sum.report();
  return since === undefined ? merged : { ...merged, since };
}

/** The page of the admin address for programs: `/usage`. */
export const usagePages = (report: () => UsageReport | Promise<UsageReport>): AdminPages => ({
  answer: async (_, path) => (path === '/usage' ? longJsonAnswer(await report()) : null),
});
