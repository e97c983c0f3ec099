import { readFileSync } from 'node:fs';
import t from 'tap';

import { importsIn, isHouse, lineAt, readSources } from '../kit/source.js';

/**
 * What is optional can be removed: a capability lives at its own addresses, and other files know of
 * it only where keys, rules, compiled tables, endpoints and records are put together. Each further
 * file is an exception with its reason.
 */

interface Capability {
  /** Folders (with a slash at the end), or how the paths of files begin, below `src`. */
  readonly homes: readonly string[];
  /**
   * Identifiers that are of this capability alone: members such as `exchange.trace` couple files
   * without an import.
   */
  readonly words?: RegExp;
  /**
   * Files beside the registry that import from its homes or use its words, each with the reason.
   */
  readonly exceptions: Readonly<Record<string, string>>;
}

/** Files that put the parts of the gateway together: every capability may be named here. */
const REGISTRY: readonly string[] = [
  // Keys, the rules between them, and the tables that list them.
  'config/schema.ts',
  'config/rules.ts',
  'config/limit-keys.ts',
  'config/limit-tables.ts',
  'config/refusal-limits.ts',
  'config/protection/',
  // The configuration as values and as tables, and of these the GraphQL schema.
  'config/plans/gateway-plan.ts',
  'compile.ts',
  'compile/backends.ts',
  'compile/graphql/graph.ts',
  // Endpoints and records of a process, and what it shares with others.
  'request.ts',
  'generation.ts',
  'server.ts',
  'redis/shared-state.ts',
  'observe/metrics/metrics.ts',
  'observe/metrics/gauges.ts',
  // Processes and the questions that they ask each other.
  'process/calls.ts',
  'process/start.ts',
  'process/running.ts',
  'library/gateway.ts',
  'process/serve-parent.ts',
  'process/worker-process.ts',
  'process/parent/workers.ts',
  // What packages offer to others.
  'codec/index.ts',
  'core/index.ts',
  'graphql/index.ts',
  'soap/index.ts',
  'upstream/index.ts',
  'wsdl/index.ts',
  // The list of commands.
  'cli/program.ts',
  // An example of each key.
  'config/check/form-examples.ts',
];

const CAPABILITIES: Readonly<Record<string, Capability>> = {
  traces: {
    homes: ['observe/trace/', 'config/process/trace-keys.ts'],
    words: /\b(?:traces?|tracer|tracing|spans?|\w*(?:Trace|Tracer|Tracing|Spans)|TRACE_KEYS)\b/g,
    exceptions: {
      'soap/fault/fault-policy.ts': 'stack traces, which Faults lose',
      'wsdl/read.ts': 'positions in a document',
      'observe/log/ecs.ts': 'the trace that a line names',
      'observe/log/log-export.ts': 'the same',
    },
  },
  'metrics by OTLP': {
    homes: [
      'observe/metrics/metric-export.ts',
      'observe/metrics/metric-encoder.ts',
      'config/process/metric-keys.ts',
    ],
    words: /\b(?:[mM]etricExport\w*|METRIC_KEYS)\b/g,
    exceptions: {},
  },
  usage: {
    homes: [
      'observe/usage.ts',
      'process/parent/worker-usage.ts',
      'cli/operator/usage.ts',
      'cli/operator/affected-clients.ts',
    ],
    words: /\b(?:usage|(?:[a-z]+|Worker|Client)?Usage(?:Report)?)\b/g,
    exceptions: {
      'cli/operator/diff.ts': 'prints which clients a difference affects',
      'observe/overload.ts': 'processor time',
    },
  },
  console: {
    homes: ['console/', 'config/process/console-keys.ts', 'process/parent/worker-console.ts'],
    words: /\b\w*[cC]onsole\w*/g,
    exceptions: {
      'compile/backend/inspection.ts': 'its keys are among those of the console',
      'compile/warnings/backend-warnings.ts':
        'warns of decrypted content that goes there, or is kept',
    },
  },
  drift: {
    homes: [
      'flow/drift/',
      'config/soap/drift-keys.ts',
      'process/reload/wsdl-takeover.ts',
      'wsdl/taken-wsdl.ts',
    ],
    words: /\b\w*[dD]rift\w*/g,
    exceptions: {
      'compile/soap/documents/named-wsdl.ts':
        'reads the WSDL that was taken in place of the configured one',
      'config/plans/service-plan.ts': 'the file of such a WSDL',
      'process/reload/asked-reloads.ts':
        'a change that is taken is a reload, which waits for others',
    },
  },
  'kept exchanges': {
    homes: [
      'flow/inspect/',
      'config/process/inspect-keys.ts',
      'compile/backend/inspection.ts',
      'process/parent/worker-inspection.ts',
    ],
    words: /\b(?:[iI]nspection|inspects|inspected|inspectPages|Inspector|InspectRules)\b/g,
    exceptions: {
      'compile/soap/service.ts': 'the rules of a service',
      'compile/soap/second/second-service.ts': 'a second backend has none itself',
      'config/process/console-keys.ts': 'has the key',
      'console/answers.ts': 'the page has them',
      'console/description.ts': 'whether the page has them',
      'console/page/client.ts': 'asks for them',
      'flow/calls/declared-call.ts': 'the call that is kept',
    },
  },
  'compiled WSDLs': {
    homes: [
      'wsdl/compiled/',
      'core/files/private-folder.ts',
      'config/process/compiled-keys.ts',
      'config/plans/compiled-plan.ts',
      'compile/soap/documents/compiled-wsdls.ts',
      'compile/soap/documents/known-schema.ts',
      'compile/graphql/schema-memory.ts',
    ],
    words: /\b(?:[cC]ompiledModels?|CompiledWsdls|CompiledPlan|PrivateFolder)\b/g,
    exceptions: {
      'compile/soap/documents/named-wsdl.ts': 'a WSDL is read where there is no compiled form',
      'library/configuration-object.ts': 'programs have none unless they name a folder',
      'library/schema/schema-configuration.ts': 'a copy in a temporary folder has none',
    },
  },
  recordings: {
    homes: [
      'flow/record/',
      'config/soap/record-keys.ts',
      'config/soap/record-limits.ts',
      'compile/backend/recording.ts',
      'cli/replay/',
      'cli/mock/mock-recording.ts',
    ],
    exceptions: {
      'compile/soap/service.ts': 'the rules of a service',
      'flow/calls/declared-call.ts': 'the call that is recorded',
      'compile/backend/inspection.ts': 'masks the same values',
      'flow/inspect/inspected-call.ts': 'keeps replies as recordings do',
      'flow/inspect/inspector.ts': 'replaces values as recordings do',
      'flow/inspect/show-exchange.ts': 'writes messages as recordings do',
      'cli/mock/mock.ts': 'answers by a recording',
    },
  },
  bridge: {
    homes: ['soap/bridge/', 'soap/mime/package-bridge.ts', 'wsdl/bridged-ports.ts'],
    words: /\b(?:bridge|bridge[A-Z]\w*|bridged\w*|\w*Bridge[sd]?)\b/g,
    exceptions: {
      'soap/envelope.ts': 'reports the start tags',
      'soap/gate.ts': 'applies the changes',
      'soap/fault/fault-answer.ts': 'a Fault that a bridge has changed is written anew',
      'soap/mime/multipart.ts': 'the head of the part with the envelope',
      'compile/soap/service.ts': 'the versions of a service',
      'compile/soap/documents/versions.ts': 'the versions of a service',
      'gateway/exchange.ts': 'the version that a request went out in',
      'observe/log/access-line.ts': 'prints it',
      'flow/soap/answer-soap.ts': 'a version that needs a length',
      'flow/soap/intake.ts': 'requests',
      'flow/soap/wsdl.ts': 'ports in further versions',
      'flow/soap/forward.ts': 'replies',
      'flow/soap/request-policy.ts': 'content in an encoding',
      'flow/soap/reply-output.ts': 'the media type of replies',
      'flow/soap/upstream-head.ts': 'the media type of requests',
      'flow/calls/own-blocks.ts': 'blocks in the new envelope',
    },
  },
  audit: {
    homes: [
      'observe/audit/',
      'config/process/audit-keys.ts',
      'config/plans/audit-plan.ts',
      'cli/audit.ts',
    ],
    words: /\b\w*[aA]udit\w*/g,
    exceptions: {
      'library/configuration-object.ts': 'standard output is that of the program',
    },
  },
  'decision point': {
    homes: [
      'access/policy.ts',
      'config/clients/authorize-keys.ts',
      'compile/clients/policy.ts',
      'flow/calls/consult-policy.ts',
    ],
    words: /\b(?:decisionPoint|isConsulted|consult\w*|\w+Consultation)\b/g,
    exceptions: {
      'config/clients/client-keys.ts': 'has the key',
      'compile/clients/protection.ts': 'what protects has it',
      'flow/home/endpoint.ts': 'asks it: a way in',
      'flow/mcp/answer-mcp.ts': 'asks it: a way in',
      'flow/rest/answer-openapi.ts': 'asks it: a way in',
      'flow/routes/plain.ts': 'asks it: a way in',
      'flow/soap/answer-soap.ts': 'asks it: a way in',
      'flow/soap/intake.ts': 'asks it when the operation is known',
      'flow/subscriptions/transports/callback.ts': 'asks it: a way in',
      'flow/subscriptions/sources/subscription-manager.ts': 'asks it again for each event',
      'flow/graphql/endpoint.ts': 'hands it to its hosts',
      'flow/graphql/host.ts': 'asks it: a way in',
      'flow/calls/authorize.ts': 'tells whether a call waits for its answer',
      'graphql/run/operations/operation.ts': 'asks the host when an operation is admitted',
    },
  },
  'persisted documents': {
    homes: ['graphql/admission/persisted', 'config/graphql/document-', 'redis/documents/'],
    exceptions: {
      'config/graphql/graphql-keys.ts': 'has the keys',
      'flow/graphql/endpoint.ts': 'makes them, of the configured kind',
      'graphql/admission/document-cache.ts': 'keeps them in memory',
      'graphql/run/operations/operation.ts': 'finds the document of an operation',
    },
  },
  subscriptions: {
    homes: [
      'flow/subscriptions/',
      'graphql/schema/subscription/',
      'pubsub/',
      'compile/graphql/subscriptions.ts',
      'config/graphql/subscription-',
      'redis/events/',
    ],
    exceptions: {
      'flow/calls/observation.ts': 'publishes what calls and replies say',
      'graphql/run/event-answer.ts': 'runs the selection of one event',
      'graphql/schema/schema.ts': 'adds their fields to the schema',
      'redis/polling/poll-sharing.ts': 'polls are a source of events',
    },
  },
  polling: {
    homes: [
      'flow/subscriptions/polling/',
      'flow/subscriptions/sources/poll-source.ts',
      'flow/calls/relayed-call.ts',
      'gateway/shared/poll-sharing.ts',
      'redis/polling/',
    ],
    exceptions: {
      'flow/graphql/call-context.ts': 'a call may be that of another replica',
      'flow/subscriptions/endpoint.ts': 'hands on how replicas share polls',
      'flow/subscriptions/sources/field-arguments.ts': 'reads the price of the polled call',
      'flow/subscriptions/sources/source.ts': 'hands the pollers to sources',
      'flow/subscriptions/sources/subscription-manager.ts': 'makes the source that polls',
    },
  },
  REST: {
    homes: ['flow/rest/', 'compile/rest/', 'config/rest/', 'cli/openapi.ts'],
    exceptions: { 'flow/home/endpoint.ts': 'links to the description' },
  },
  'tools for agents': {
    homes: ['flow/mcp/', 'compile/mcp/', 'config/mcp/'],
    exceptions: {},
  },
  links: {
    homes: [
      'graphql/schema/links/',
      'graphql/run/link-',
      'graphql/run/key-',
      'compile/graphql/links.ts',
      'compile/graphql/entry-errors.ts',
      'config/graphql/link-keys.ts',
    ],
    exceptions: {
      'config/graphql/federation-keys.ts': 'an operation and its batch have the same keys',
      'graphql/run/entity-plan.ts': 'keys are answered as links are',
      'graphql/run/entity-run.ts': 'keys are answered as links are',
      'graphql/run/fed-values.ts': 'the objects of composite batches',
      'graphql/schema/entities/composite-batch.ts': 'keys are answered as links are',
      'graphql/schema/entities/entity-keys.ts': 'keys are answered as links are',
      'graphql/schema/entities/entity-union.ts': 'links lead to objects of the union',
      'graphql/schema/entities/entity.ts': 'keys are answered as links are',
      'graphql/schema/entities/feed-scalars.ts': 'keys are answered as links are',
      'graphql/schema/entities/subgraph-schema.ts': 'keys are answered as links are',
      'cli/explain.ts': 'prints the calls of links',
      'graphql/run/described/described-operation.ts': 'tells where they are',
      'graphql/run/described/selection.ts': 'leaves them out of what is selected by default',
      'graphql/admission/cost/cost-table.ts': 'prices them',
      'graphql/run/execute.ts': 'runs them',
      'graphql/run/root-plan.ts': 'plans them',
      'graphql/schema/schema.ts': 'adds their fields to the schema',
      'graphql/schema/subschema/answer-shaper.ts': 'reads what they need of an answer of a service',
      'graphql/schema/subschema/link-rewriter.ts': 'asks a service for what they need',
      'graphql/schema/subschema/subschema-planner.ts': 'plans them in objects of a service',
    },
  },
  federation: {
    homes: [
      'graphql/schema/entities/',
      'graphql/run/entity-',
      'graphql/run/representation.ts',
      'graphql/run/hidden-sdl.ts',
      'graphql/admission/cost/representations.ts',
      'compile/graphql/federation.ts',
      'config/graphql/federation-',
    ],
    exceptions: {
      'compile/warnings/masked-keys.ts': 'warns of keys that are masked',
      'config/graphql/graphql-keys.ts': 'has the keys',
      'graphql/admission/cost/cost-table.ts': 'prices representations',
      'graphql/admission/cost/cost.ts': 'counts representations',
      'graphql/run/execute.ts': 'answers representations',
      'graphql/run/link-uses.ts': 'the calls of keys are links',
      'graphql/run/operations/operation.ts': 'refuses the SDL while introspection is off',
      'graphql/run/root-plan.ts': 'plans what is selected of entities',
      'graphql/schema/docs/docs-pages.ts': 'leaves the fields for routers out',
      'graphql/schema/schema.ts': 'adds them to the schema',
    },
  },
  'services that speak GraphQL': {
    homes: [
      'graphql/schema/subschema/',
      'graphql/schema/fields/subschema.ts',
      'graphql/admission/cost/cost-subschema.ts',
      'graphql/run/subschema-',
      'compile/graphql/graphql-upstream.ts',
      'compile/graphql/subschema-',
      'compile/graphql/kept-contract.ts',
      'config/graphql/graphql-service-',
      'flow/graphql/authorize-upstream.ts',
      'flow/graphql/upstream-call.ts',
      'flow/subscriptions/upstream/',
      'flow/subscriptions/sources/upstream-source.ts',
      'cli/subschema-request.ts',
    ],
    exceptions: {
      'cli/check.ts': 'prints them',
      'cli/explain.ts': 'prints the requests to them',
      'compile/clients/protection.ts': 'what protects has their rules',
      'compile/soap/costs.ts': 'reads the keys of costs that they have in common',
      'flow/graphql/endpoint.ts': 'finds them by name',
      'flow/graphql/host.ts': 'calls them',
      'flow/subscriptions/endpoint.ts': 'holds their feeds',
      'flow/subscriptions/sources/source.ts': 'hands their feeds to sources',
      'flow/subscriptions/sources/subscription-manager.ts': 'makes the source that they feed',
      'graphql/admission/cost/cost-table.ts': 'prices their fields',
      'graphql/schema/entities/composite-batch.ts': 'refuses their operations',
      'graphql/schema/entities/entity-union.ts': 'keeps their links as they are',
      'graphql/schema/entities/feed-scalars.ts': 'checks the values of their fields itself',
      'graphql/schema/feeds/feed.ts': 'a link may call one',
      'graphql/schema/links/link-plan.ts': 'a link may call one',
      'graphql/schema/links/link.ts': 'a link may call one',
      'graphql/run/execute.ts': 'runs their part of an operation',
      'graphql/run/link-run.ts': 'a link may call one',
      'graphql/run/operation-use.ts': 'their fields are used as well',
      'graphql/run/root-plan.ts': 'plans their part of an operation',
      'graphql/schema/schema.ts': 'adds their fields to the schema',
      'process/reload/check-weaker.ts': 'compares what protects their fields',
      'process/reload/wsdl-takeover.ts':
        'a change that removes what they or clients use is not safe',
    },
  },
  login: {
    homes: [
      'upstream/credentials/login-',
      'config/backend/login-',
      'compile/own-calls/login.ts',
      'compile/soap/token-place.ts',
      'flow/calls/session-call.ts',
    ],
    words: /\b\w*(?:[lL]ogins?|logIn|LOGIN)(?![a-z])\w*/g,
    exceptions: {
      'config/backend/upstream-keys.ts': 'has the keys',
      'config/backend/upstream-rules.ts': 'has the rules',
      'compile/backend/recording.ts': 'the credentials and the token of a login are replaced',
      'compile/backend/kept-backend.ts': 'a login that changed is a backend that changed',
      'compile/backend/reach.ts': 'a login may name the address',
      'compile/graphql/caching.ts': 'the operation of another service may log in',
      'compile/graphql/graphql-upstream.ts': 'services that speak GraphQL log in by credentials',
      'compile/own-calls/constant-call.ts': 'puts the token into a call of the gateway itself',
      'compile/own-calls/health.ts': 'checks need the token',
      'compile/soap/service.ts': 'holds the login of a service',
      'compile/warnings/backend-warnings.ts': 'it sends a secret',
      'flow/calls/declared-call.ts': 'makes the call with the token',
      'flow/drift/backend-documents.ts': '`?wsdl` may need the token',
    },
  },
  pages: {
    homes: [
      'graphql/schema/paging/',
      'graphql/schema/types/paging.ts',
      'config/graphql/page-',
      'compile/soap/pages.ts',
    ],
    exceptions: {
      'compile/soap/mapping.ts': 'maps them with the operation',
      'config/graphql/operation-keys.ts': 'has the key',
      'graphql/schema/fields/bound-field.ts': 'a field may be answered by pages',
      'graphql/schema/fields/exposure.ts': 'the mapping of an operation has them',
      'graphql/schema/links/link-plan.ts': 'plans them where a link leads',
      'graphql/run/field-call.ts': 'a call may be one of several pages',
      'graphql/schema/schema.ts': 'makes the field a connection',
    },
  },
  canary: {
    homes: [
      'gateway/canary/',
      'flow/canary/',
      'flow/calls/canary-',
      'flow/calls/chosen-backends.ts',
      'config/backend/canary-keys.ts',
      'compile/soap/second/canary.ts',
      'redis/canary-channel.ts',
      'process/parent/worker-canaries.ts',
    ],
    words: /\b\w*[cC]anar\w*/g,
    exceptions: {
      'compile/warnings/backend-warnings.ts':
        'warns of decrypted content that goes there, or is kept',
      'compile/backend/kept-backend.ts': 'a change of it leaves the connections of the service',
      'compile/soap/second/second-service.ts': 'a second backend has none itself',
      'compile/soap/service.ts': 'a service may have one',
      'config/plans/second-backend-plan.ts': 'reads its keys',
      'config/plans/service-plan.ts': 'reads its keys',
      'flow/calls/declared-call.ts': 'a call may be watched',
      'flow/downloads/endpoint.ts': 'content comes from the backend that its address names',
      'flow/graphql/downloads/content-addresses.ts': 'an address names its backend',
      'flow/graphql/host.ts': 'chooses the backend of a call',
      'flow/soap/answer-soap.ts': 'chooses the backend of a call',
      'flow/subscriptions/sources/poll-source.ts': 'chooses the backend of a poll',
    },
  },
  shadow: {
    homes: [
      'gateway/shadow/',
      'flow/calls/shadow-',
      'config/backend/shadow-',
      'compile/soap/second/shadow.ts',
      'observe/shadow-reports.ts',
    ],
    words: /\b(?:SHADOW|\w*[sS]hadow(?:s|Reports?|Traffic|Rules)?)\b/g,
    exceptions: {
      'compile/warnings/backend-warnings.ts':
        'warns of decrypted content that goes there, or is kept',
      'compile/backend/kept-backend.ts': 'a change of it leaves the connections of the service',
      'compile/soap/second/second-service.ts': 'a second backend has none itself',
      'compile/soap/service.ts': 'a service may have one',
      'config/plans/second-backend-plan.ts': 'reads its keys',
      'config/plans/service-plan.ts': 'reads its keys',
      'flow/calls/declared-call.ts': 'a call may be made twice',
    },
  },
  'idempotency keys': {
    homes: [
      'flow/idempotency/',
      'config/graphql/idempotency-',
      'compile/soap/idempotency.ts',
      'redis/redis-outcomes.ts',
      'gateway/shared/outcome-store.ts',
    ],
    exceptions: {
      'config/graphql/operation-keys.ts': 'has the key',
      'compile/soap/service.ts': 'has the rules of its operations',
      'flow/calls/call-key.ts': 'makes the claim of a call',
      'flow/calls/declared-call.ts': 'a call may have a key',
      'flow/graphql/call.ts': 'reads the key of a request',
      'flow/mcp/answer-mcp.ts': 'reads the key of a request',
      'flow/soap/answer-soap.ts': 'reads the key of a request',
    },
  },
  masks: {
    homes: ['graphql/schema/rights/mask.ts', 'config/clients/masks.ts'],
    words: /\b[mM]asker\w*/g,
    exceptions: {
      'config/load.ts': 'completes the short forms of the keys',
      'flow/graphql/rights-table.ts': 'makes the one of a kind of callers',
      'graphql/schema/rights/field-rights.ts': 'applies it to a field',
    },
  },
  downloads: {
    homes: [
      'flow/downloads/',
      'flow/graphql/downloads/',
      'graphql/schema/downloads/',
      'config/graphql/download-',
      'codec/read/content-re',
      'codec/read/base64-decoder.ts',
    ],
    exceptions: {
      'codec/read/attachment.ts': 'a part may be handed out while it comes',
      'codec/read/decode.ts': 'content may be handed out, or be an address',
      'codec/read/value-starter.ts': 'content may be handed out, or be an address',
      'codec/read/reply-receiver.ts': 'one of the two kinds of receivers',
      'config/graphql/graphql-keys.ts': 'has the keys',
      'flow/graphql/call-context.ts': 'a call may make addresses',
      'flow/graphql/endpoint.ts': 'makes them',
      'graphql/admission/validation.ts': 'refuses the directive elsewhere',
      'graphql/schema/fields/operation-field.ts': 'marks answers that may have addresses',
      'graphql/schema/output/output-field.ts': 'marks fields that may have addresses',
      'graphql/schema/output/reply-plan.ts': 'plans them',
    },
  },
  uploads: {
    homes: ['flow/graphql/uploads', 'core/buffers/file-content.ts'],
    exceptions: {
      'codec/write/attachments.ts': 'a file may be an attachment',
      'flow/graphql/endpoint.ts': 'has the limits of files',
      'flow/graphql/http.ts': 'reads files of a request',
      'graphql/schema/types/leaf.ts': 'a file may be a value',
      'codec/write/binary-parts.ts': 'a file may be the content of a part',
      'codec/write/leaves.ts': 'a file may be a value',
      'flow/graphql/call-message.ts': 'sends files with a call',
      'soap/mime/write-package.ts': 'a file may be the content of a part',
    },
  },
  attachments: {
    homes: [
      'soap/mime/attach',
      'codec/write/attachments.ts',
      'codec/read/attachment.ts',
      'graphql/schema/fields/attachment-fields.ts',
    ],
    exceptions: {
      'codec/read/decode.ts': 'values that are known when the message is over',
      'codec/read/value-starter.ts': 'values that are known when the message is over',
      'codec/read/response-builder.ts': 'values that are known when the message is over',
      'flow/graphql/call-message.ts': 'writes those of a call',
      'flow/graphql/decoded-reply.ts': 'reads those of a reply',
      'graphql/schema/fields/operation-field.ts': 'adds their arguments and fields',
      'wsdl/model.ts': 'parts of a message that the WSDL declares',
      'wsdl/operations/messages.ts': 'parts of a message that the WSDL declares',
    },
  },
};

const sources = readSources('src');
const shortOf = (path: string): string => path.slice('src/'.length);
const isBelow = (path: string, addresses: readonly string[]): boolean =>
  addresses.some((each) => path.startsWith(each));

/**
 * The files outside of its homes and of the registry that know of a capability, with the line and
 * what they name.
 */
function outside({ homes, words }: Capability): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const source of sources) {
    const path = shortOf(source.path);
    if (isBelow(path, homes) || isBelow(path, REGISTRY) || isHouse(source.path)) continue;
    for (const { target, line } of importsIn(source)) {
      if (target !== null && isBelow(shortOf(target), homes))
        found.set(path, `${line}: imports ${shortOf(target)}`);
    }
    const [word] = words === undefined ? [] : source.code.matchAll(words);
    if (word !== undefined) found.set(path, `${lineAt(source.text, word.index)}: names ${word[0]}`);
  }
  return found;
}

for (const [name, capability] of Object.entries(CAPABILITIES)) {
  t.test(
    `${name}: known at its own addresses, in the registry and in files that give a reason`,
    async (t) => {
      const known = outside(capability);
      const { homes, exceptions } = capability;
      t.same(
        [...known]
          .filter(([path]) => !Object.hasOwn(exceptions, path))
          .map(([path, what]) => `${path}:${what}`),
        [],
        'files that know of it without a reason',
      );
      t.same(
        Object.keys(exceptions).filter((path) => !known.has(path)),
        [],
        'exceptions that are none any more',
      );
      t.same(
        homes.filter((home) => !sources.some(({ path }) => isBelow(shortOf(path), [home]))),
        [],
        'addresses without a file',
      );
    },
  );
}

t.test('the page for developers lists each of them under "How to remove"', async (t) => {
  const page = readFileSync('src/README.md', 'utf8');
  const section = page.slice(page.indexOf('## How to remove')).replaceAll('\n', ' ');
  t.same(
    Object.keys(CAPABILITIES).filter((name) => !section.includes(name)),
    [],
  );
});

/** Further rows that the map has: parts that are not optional, or spread over capabilities. */
const MAPPED: Readonly<Record<string, string>> = {
  dialects: 'soap/dialect.ts',
  'REST paths': 'compile/rest/rest-routes.ts',
  'grants of OAuth': 'upstream/credentials/oauth-requests.ts',
  'rates of calls': 'upstream/pace/',
  'keys of calls': 'flow/calls/call-key.ts',
  'WS-Security of requests': 'wss/',
  'header blocks': 'soap/header/header-blocks.ts',
  'configuration keys': 'config/source/',
};

t.test('the page for developers has a row under "Where is" for each of them', async (t) => {
  const page = readFileSync('src/README.md', 'utf8');
  const map = page.slice(page.indexOf('## Where is'), page.indexOf('## How to add'));
  const rows = map.split('\n').filter((line) => line.startsWith('| '));
  const isMapped = (homes: readonly string[]): boolean =>
    rows.some((row) => homes.some((home) => row.includes(`\`${home}`)));
  t.same(
    Object.entries(CAPABILITIES)
      .filter(([, { homes }]) => !isMapped(homes))
      .map(([name]) => name),
    [],
    'capabilities without a row',
  );
  t.same(
    Object.entries(MAPPED)
      .filter(([, home]) => !isMapped([home]))
      .map(([name]) => name),
    [],
    'parts without a row',
  );
});

t.test('the registry has files only that are there', async (t) => {
  t.same(
    REGISTRY.filter((each) => !sources.some(({ path }) => isBelow(shortOf(path), [each]))),
    [],
  );
});
