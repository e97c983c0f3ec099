import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { InputError } from '../codec/index.js';
import type { ConfiguredGraphqlUpstream } from '../compile/graphql/graphql-upstream.js';
import { printEnvelope } from '../compile/soap/print-envelope.js';
import type { ConfiguredService } from '../compile/soap/service.js';
import { type Compiled, compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import { isRecord, Refusal } from '../core/index.js';
import {
  admission,
  type BoundField,
  type CallInput,
  graphqlSchema,
  lifecycle,
  run,
  type subschemas,
} from '../graphql/index.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import type { mime } from '../soap/index.js';
import type { Operation } from '../wsdl/index.js';
import { indent } from './indent.js';
import { printReach } from './reach.js';
import { printSubschemaRequest } from './subschema-request.js';

/**
 * Prints the calls that a query would cause, and sends nothing. A query that the server would
 * refuse is refused with the same text, and 1. Throws `ConfigurationError`.
 */
export async function explainQuery(
  file: string,
  query: string,
  variables: string | null,
  terminal: Terminal,
): Promise<ExitCode> {
  const input = parsed(variables ?? '{}');
  if (input === null) {
    terminal.error('The variables are not valid JSON.');
    return 2;
  }
  const compiled = await compile(await loadConfig(file, process.env));
  await compiled.close();
  try {
    const admitted = await admitAsServer(
      compiled,
      JSON.stringify({ query, variables: input.value }),
    );
    return await new Explanation(compiled, admitted, terminal).print();
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    const errors = lifecycle.refusalErrors(caught);
    for (const error of errors) {
      terminal.error(printError(error));
    }
    const { limit, found } = caught;
    if (limit !== null) {
      const count = found === null ? '' : `${found} found; `;
      terminal.error(`  ${count}the limit is ${limit.value} (${limit.key})`);
    }
    for (const { extensions } of errors) {
      const { cost } = extensions;
      if (isRecord(cost)) {
        terminal.error(`  ${String(cost['remedy'])}`);
      }
    }
    return 1;
  }
}

function parsed(json: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return null;
  }
}

async function admitAsServer(
  { config, graph }: Compiled,
  body: string,
): Promise<admission.Admitted> {
  const headers = { 'content-type': 'application/json' };
  const raw = await admission.readParams({
    method: 'POST',
    url: '/',
    headers,
    body: async () => body,
  });
  const { introspection, measure } = config.graphql;
  const operations = lifecycle.operationsOf({
    built: graph,
    limits: config.limits.graphql,
    measured: measure,
    introspection,
  });
  return (await lifecycle.admitOperation(raw, operations, {})).admitted;
}

class Explanation {
  readonly #compiled: Compiled;
  readonly #admitted: admission.Admitted;
  readonly #plan: run.RootPlan;
  readonly #terminal: Terminal;
  #code: ExitCode = 0;

  constructor(compiled: Compiled, admitted: admission.Admitted, terminal: Terminal) {
    this.#compiled = compiled;
    this.#admitted = admitted;
    this.#plan = run.rootPlanOf(admitted, compiled.graph);
    this.#terminal = terminal;
  }

  async print(): Promise<ExitCode> {
    const { operation, document, cost } = this.#admitted;
    const { limits } = this.#compiled.config;
    const depth = admission.depthOf(operation, document.fragments.values());
    const order = operation.operation === 'mutation' ? 'one after the other' : 'side by side';
    this.#terminal.out(
      [
        `${operation.operation}: cost ${cost} of ${limits.graphql.cost}, depth ${depth} of ` +
          `${limits.graphql.depth}`,
        'cache: the document is not cached, answers are ' +
          `${this.#isAnyRead ? 'cached by the rules of the calls' : 'not cached'}`,
        `root fields: ${this.#plan.fields.length}, ${order}`,
        this.#costs(),
      ].join('\n'),
    );
    for (const field of this.#plan.fields) {
      await this.#field(field);
    }
    return this.#code;
  }

  get #isAnyRead(): boolean {
    const { caching } = this.#compiled;
    const { fields, links } = this.#plan;
    const asks = fields.flatMap((field) =>
      field.call === null
        ? run.linkUses(field, links).map(({ selection }) => selection.target.ask)
        : [field.call.ask],
    );
    return asks.some(
      (ask) => ask.kind === 'soap' && caching.read(ask.bound.service, ask.bound.operation) !== null,
    );
  }

  /** The cost by field, the highest first. */
  #costs(): string {
    const parts = Object.entries(run.costByField(this.#admitted)).map(
      ([path, points]) => `${path} ${points}`,
    );
    const { calls } = this.#admitted.estimate;
    return (
      `calls: at most ${calls}` +
      `${parts.length === 0 ? '' : `; cost by field: ${parts.join(', ')}`}`
    );
  }

  async #field(field: run.RootField): Promise<void> {
    const { key, name, nodes, call } = field;
    const uses = run.linkUses(field, this.#plan.links);
    if (call === null) {
      const answer =
        uses.length > 0 ? 'answered by the calls of its objects' : 'no call, the gateway answers';
      this.#terminal.out(`\n${key}: ${answer}`);
      await this.#links(uses);
      return;
    }
    const { ask } = call;
    if (ask.kind === 'subschema') {
      return this.#subschemaCall(`${key}: ${nameOf(call.bound)}`, ask.plan, {}, '');
    }
    const definition = this.#plan.root.getFields()[name];
    const node = nodes[0];
    if (definition === undefined || node === undefined) throw new Error('admitted without a field');
    await this.#attempt(() => {
      const input = run.argumentsOf(
        definition,
        node,
        this.#admitted.variables,
        ask.bound.headersArgument,
      );
      this.#call(`${key}: ${nameOf(ask.bound)}`, ask.bound, input, new Set(), '');
    }, [key]);
    await this.#links(uses);
  }

  async #links(uses: readonly run.LinkUse[]): Promise<void> {
    for (const use of uses) {
      await this.#link(use);
    }
  }

  async #link({ path, selection }: run.LinkUse): Promise<void> {
    const { link, nodes, target } = selection;
    const { called, definition, feeds, batch } = link;
    const node = nodes[0];
    if (node === undefined) throw new Error('a link without a node');
    const { batchItems } = this.#compiled.config.limits.graphql;
    const filled = feeds
      .map(({ argument, field }) => `${argument.join('.')}: ${field.join('.')}`)
      .join(', ');
    const how = batch === null ? '' : `, batched by ${batchItems}`;
    await this.#attempt(async () => {
      const own = run.argumentsOf(
        definition,
        node,
        this.#admitted.variables,
        called.headersArgument,
      );
      const composite = batch?.composite ?? null;
      const isList = batch !== null && composite === null;
      const values = feeds.map((feed) => ({ feed, value: standInFor(feed, isList) }));
      const standIns = new Set(feeds.map(textOf));
      const title = `then for each ${path}: ${nameOf(called)}(${filled})${how}`;
      const input = run.withValues(own, values, composite);
      if (target.ask.kind === 'subschema') {
        await this.#subschemaCall(title, target.ask.plan, input.arguments, '  ');
      } else {
        this.#call(title, target.ask.bound, input, standIns, '  ');
      }
    }, [path]);
  }

  #call(
    title: string,
    bound: BoundField,
    input: CallInput,
    standIns: ReadonlySet<string>,
    margin: string,
  ): void {
    const service = this.#compiled.services.find(({ name }) => name === bound.service);
    if (service === undefined) throw new Error('a field of a service that is not there');
    const [dialect] = service.dialects;
    const { contentType, soapAction } = service.callHead(bound.operation);
    const { attachments = [] } = bound.requestPlan;
    const { text, parts } = printEnvelope(
      this.#compiled.config.limits.codec,
      service,
      bound,
      input,
      standIns,
    );
    this.#terminal.out(`\n${margin}${title}`);
    const root = parts.length === 0 ? contentType : 'application/xop+xml';
    const lines = [
      `SOAP ${dialect.name}, POST ${service.config.urls.join(' or ')}`,
      `content-type: ${attachments.length + parts.length === 0 ? contentType : `multipart/related, its first part ${root}`}`,
      ...parts.map(({ id, mediaType, bytes }) => `part ${id}: ${sizeOf(bytes)} as ${mediaType}`),
      ...attachments.map(
        ({ key, part, mediaType }) => `attachment ${part}: the argument ${key} as ${mediaType}`,
      ),
      ...(soapAction === null ? [] : [`soapaction: ${soapAction}`]),
      ...describeOwn(service),
      ...printPages(bound),
      ...printCaching(this.#compiled.caching, bound.service, bound.operation),
      ...printReach(service.config, bound.operation.name),
    ];
    this.#terminal.out(lines.map((line) => `${margin}  ${line}`).join('\n'));
    this.#terminal.out(indent(text, `${margin}  `));
  }

  async #subschemaCall(
    title: string,
    plan: subschemas.SubschemaPlan,
    values: CallInput['arguments'],
    margin: string,
  ): Promise<void> {
    const service = this.#compiled.graphqlUpstreams.find(({ name }) => name === plan.field.service);
    const request = printSubschemaRequest(
      await run.subschemaRequestOf(plan, values, this.#admitted, this.#plan),
      plan,
    );
    this.#terminal.out(
      `\n${margin}${title}\n${margin}  ${service === undefined ? '' : wayTo(service, plan)}`,
    );
    for (const line of service === undefined ? [] : printReach(service.config, null)) {
      this.#terminal.out(`${margin}  ${line}`);
    }
    this.#terminal.out(request.replaceAll(/^/gm, `${margin}  `));
    const nodes = plan.links?.feeds ?? new Map();
    for (const selection of [...this.#plan.links.values()]) {
      const [node] = selection.nodes;
      if (node !== undefined && nodes.has(node)) {
        await this.#link({ path: graphqlSchema.responseKey(node), selection });
      }
    }
  }

  /** Reports errors of arguments as the server would. */
  async #attempt(work: () => void | Promise<void>, path: readonly string[]): Promise<void> {
    try {
      await work();
    } catch (caught) {
      if (!(caught instanceof Refusal) && !(caught instanceof InputError)) throw caught;
      this.#terminal.error(`${path.join('.')}: ${printError(lifecycle.fieldError(caught, {}))}`);
      this.#code = 1;
    }
  }
}

/** The bytes of a part; of a value that a file gives, none are known. */
const sizeOf = (bytes: mime.PackagePiece): string =>
  Buffer.isBuffer(bytes) ? `${bytes.length} bytes` : 'a file';

/** How a service that speaks GraphQL is asked. */
function wayTo(
  { config, subscriptions }: ConfiguredGraphqlUpstream,
  { field }: subschemas.SubschemaPlan,
): string {
  if (field.parent !== 'Subscription') return `GraphQL, POST ${config.urls.join(' or ')}`;
  return `GraphQL over ${subscriptions?.protocol}, ${subscriptions?.urls.join(' or ')}`;
}

const nameOf = ({
  service,
  operation,
}: Pick<BoundField, 'service'> & { readonly operation: { readonly name: string } }): string =>
  `${service}.${operation.name}`;

/** The header blocks that the gateway adds when the message is sent. */
function describeOwn({ security, tokenPlace, ownBlocks }: ConfiguredService): readonly string[] {
  const token =
    tokenPlace?.kind === 'http' ? `field ${tokenPlace.field}` : `block ${ownBlocks.at(-1)}`;
  return [
    ...(security === null ? [] : [`with a WS-Security block of the gateway`]),
    ...(tokenPlace === null ? [] : [`with the token of the service in the header ${token}`]),
  ];
}

/** How many rows each call of a paged field brings. */
function printPages({ paging = null }: BoundField): readonly string[] {
  if (paging === null) return [];
  const behind =
    paging.kind === 'cursor'
      ? 'each names the next'
      : 'several at once where the reply tells the total';
  return [`pages: ${paging.size} rows for each call, by ${paging.kind}; ${behind}`];
}

/** The cache rules of the operation. */
function printCaching(
  { read, write }: Compiled['caching'],
  service: string,
  operation: Operation,
): readonly string[] {
  const changes = write(service, operation);
  if (changes !== null) {
    return [`cache: makes old ${changes.invalidations.map(({ name }) => name).join(', ')}`];
  }
  const rule = read(service, operation);
  if (rule === null) return [];
  const time = rule.freshMillis === 0 ? 'while it is under way' : `for ${rule.freshMillis} ms`;
  return [`cache: one call for ${rule.isShared ? 'all clients' : 'each client'} ${time}`];
}

const textOf = ({ field }: graphqlSchema.FieldFeed): string => `{${field.join('.')}}`;

/** The text in the skeleton for a value that comes from the answer above. */
const standInFor = (feed: graphqlSchema.FieldFeed, isBatch: boolean): unknown =>
  isBatch || feed.isList ? [textOf(feed)] : textOf(feed);

function printError({ message, extensions, locations }: GraphQLError): string {
  const [at] = locations ?? [];
  const place = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`;
  return `${String(extensions['code'])}: ${message}${place}`;
}
