import type { Compiled } from '../compile.js';
import type { RecentRequests } from '../observe/recent.js';
import type { RecentLists } from '../observe/recent-lists.js';
import type { Usage, UsageReport } from '../observe/usage.js';
import type { ConsoleDescription, OperationDescription } from './answers.js';
import { describe, describeListenerEnds, describeOperation } from './description.js';

/** What the console shows of one process that takes requests, besides its metrics. */
export interface ConsoleFacts {
  recent(): RecentLists;
  description(): ConsoleDescription;
  usage(): UsageReport;
  /** Null where there is no such operation. */
  operation(service: string, name: string): OperationDescription | null;
}

export function factsOf(compiled: () => Compiled, recent: RecentRequests, usage: Usage): ConsoleFacts {
  // The description of a large WSDL is long, and a page asks for it with each reload.
  let described: { readonly of: Compiled; readonly description: ReturnType<typeof describe> } | null = null;
  return {
    recent: () => recent.lists,
    usage: () => usage.report(),
    description() {
      const current = compiled();
      if (described?.of !== current) described = { of: current, description: describe(current) };
      return { ...described.description, listenerEnds: describeListenerEnds(current) };
    },
    operation: (service, name) => describeOperation(compiled(), service, name),
  };
}
