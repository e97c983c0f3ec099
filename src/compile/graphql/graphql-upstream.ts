import { Buffer } from 'node:buffer';
import {
  buildASTSchema,
  buildClientSchema,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  Source,
  validateSchema,
} from 'graphql';
import type { Via } from '../../access/network/via.js';
import { FindingsError, invalid } from '../../config/keys/finding.js';
import type { GraphqlServicePlan } from '../../config/plans/service-plan.js';
import type { GraphqlServiceConfig } from '../../config/schema.js';
import {
  ConfigurationError,
  errorCode,
  type inputFiles,
  Refusal,
  type scopeRules,
} from '../../core/index.js';
import { subschemas } from '../../graphql/index.js';
import {
  authentication,
  heads,
  type healthChecks,
  postWhole,
  Upstream,
} from '../../upstream/index.js';
import { BACKENDS } from '../backend/kept-backend.js';
import { compileReach, limitsOf, type Reach } from '../backend/reach.js';
import type { Keeping } from '../keep.js';
import type { Callables } from '../own-calls/constant-call.js';
import { compileHealth } from '../own-calls/health.js';
import { compileSession } from '../own-calls/login.js';
import { fieldPlace } from '../soap/token-place.js';
import { withConfiguredCosts } from './subschema-costs.js';
import { subschemaRules } from './subschema-rules.js';

/** A compiled GraphQL upstream: its subschema and its connections. */
export interface GraphqlUpstream {
  readonly name: string;
  readonly subschema: subschemas.Subschema;
  readonly upstream: Upstream;
  /** The login session that its credentials come from; null for none. */
  readonly session: authentication.LoginSession | null;
  /** Null for none. */
  readonly health: healthChecks.HealthChecks | null;
  readonly limits: GraphqlServiceConfig['limits'];
  /** The credentials, TLS and proxy of calls and subscriptions. */
  readonly reach: Reach;
  /** In lower case. */
  readonly forwardHeaders: readonly string[];
  /** Null where the service gets no `Via`. */
  readonly via: Via | null;
  /** The address and protocol of the subscriptions; null where they are not offered. */
  readonly subscriptions: UpstreamSubscriptions | null;
}

/** A GraphQL upstream with its configuration, from which other tables are made at start-up. */
export interface ConfiguredGraphqlUpstream extends GraphqlUpstream {
  readonly config: GraphqlServiceConfig;
}

export interface UpstreamSubscriptions {
  readonly protocol: 'sse' | 'graphql-transport-ws';
  /** Used in turn; ws or wss where that is spoken. */
  readonly urls: readonly string[];
  readonly connectionParams: Readonly<Record<string, string>>;
}

/** What services that speak GraphQL have in common. */
interface UpstreamParts {
  readonly inputs: inputFiles.Inputs;
  readonly keeping: Keeping;
  readonly via: Via;
}

/**
 * Compiles a service that speaks GraphQL; `callables` are the services that speak SOAP.
 * Throws `FindingsError`.
 */
export async function compileGraphqlUpstream(
  plan: GraphqlServicePlan,
  callables: Callables,
  { inputs, keeping, via: gatewayVia }: UpstreamParts,
): Promise<ConfiguredGraphqlUpstream> {
  const { name, config } = plan;
  // A session ends with its generation, and so do the connections that carry it.
  const kept = config.auth?.login === undefined ? BACKENDS.find(keeping, name, config) : null;
  const way = kept?.reach ?? (await compileReach(plan));
  const login = compileLogin(plan, callables, (origin) => {
    const { pathname, search } = new URL(config.urls[0] ?? '');
    upstream.addresses.move(new URL(pathname + search, origin));
  });
  const session = login?.session ?? null;
  const reach = login === null ? way : { ...way, credentials: login.credentials };
  const upstream = kept?.upstream.hold() ?? new Upstream(config.urls, limitsOf(config), reach);
  try {
    const { schema, costs, requirements } =
      plan.schema === null
        ? {
            schema: await introspect(plan, upstream, inputs),
            costs: subschemas.NO_COSTS,
            requirements: NO_REQUIREMENTS,
          }
        : await readSchema(plan, plan.schema, inputs);
    const { wrapSubschema } = await subschemas.loadWrap();
    const subschema: subschemas.Subschema = {
      name,
      schema,
      prefix: config.prefix ?? null,
      renames: new Map(Object.entries(config.rename)),
      hidden: config.hide,
      callCost: config.callCost ?? null,
      costs: withConfiguredCosts(costs, schema, config.costs, name),
      rules: subschemaRules(requirements, schema, config.fields),
      subscribes: config.subscriptions !== false,
      wrap: wrapSubschema,
    };
    const forwardHeaders = config.forwardHeaders.map((field) => field.toLowerCase());
    const health = compileHealth(config, upstream, reach);
    const subscriptions = subscriptionsOf(config);
    const { limits } = config;
    if (login === null) {
      BACKENDS.set(keeping, name, config, { upstream, reach });
    }
    return {
      name,
      subschema,
      upstream,
      session,
      health,
      limits,
      config,
      reach,
      forwardHeaders,
      via: config.via ? gatewayVia : null,
      subscriptions,
    };
  } catch (error) {
    await session?.close();
    await upstream.close();
    throw error;
  }
}

/**
 * The session of `auth.login`, and the credentials that come from it; null for none. Throws
 * `FindingsError`.
 */
function compileLogin(
  { name, config }: GraphqlServicePlan,
  callables: Callables,
  move: (url: URL) => void,
): {
  readonly session: authentication.LoginSession;
  readonly credentials: authentication.TokenCredentials;
} | null {
  const { auth } = config;
  const place = auth?.login === undefined ? null : fieldPlace(auth.login);
  if (auth?.login === undefined || place === null) return null;
  const session = compileSession(callables, name, { place, move }, auth.login);
  return {
    session,
    credentials: new authentication.TokenCredentials(session, place.field, place.prefix),
  };
}

/**
 * Without configuration, subscriptions have the address of queries: `graphql-sse` and others serve
 * them there.
 */
function subscriptionsOf({
  subscriptions = true,
  urls,
}: GraphqlServiceConfig): UpstreamSubscriptions | null {
  if (subscriptions === false) return null;
  const options = subscriptions === true ? { connectionParams: {} } : subscriptions;
  const addresses = options.url === undefined ? urls : [options.url];
  const protocol =
    options.protocol ?? (/^ws/i.test(addresses[0] ?? '') ? 'graphql-transport-ws' : 'sse');
  return {
    protocol,
    urls: addresses.map((address) =>
      protocol === 'sse' ? address : address.replace(/^http/i, 'ws'),
    ),
    connectionParams: options.connectionParams,
  };
}

async function introspect(
  { name, config }: GraphqlServicePlan,
  upstream: Upstream,
  inputs: inputFiles.Inputs,
): Promise<GraphQLSchema> {
  const { schemaBytes, schemaMillis } = config.limits.remote;
  const fail = (why: string, remedy = AS_FILE): FindingsError =>
    errorOf(name, 'url', `${CANNOT} (${why}).`, remedy);
  let text: string;
  try {
    const ask = () =>
      postWhole(upstream, {
        headers: ['content-type', 'application/json', 'accept', 'application/json'],
        body: Buffer.from(
          JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: false }) }),
        ),
        isIdempotent: true,
        maxBytes: schemaBytes,
        maxBytesKey: 'limits.remote.schemaBytes',
        signal: AbortSignal.timeout(schemaMillis),
        aborted: () => new Refusal('UPSTREAM_TIMEOUT', 'schema'),
        checkHead: heads.checkJsonHead,
      });
    text = (await inputs.fetch(`introspection of ${name}`, ask)).toString('utf8');
  } catch (caught) {
    if (caught instanceof Refusal) throw fail(caught.message.replace(/\.$/, ''));
    throw caught;
  }
  try {
    const reply = { text, limits: { depth: 64, values: schemaBytes } };
    const { data, errors } = subschemas.readSubschemaReply(reply, new Set(['__schema']), 1);
    if (errors !== undefined || data === null) throw fail('it does not answer introspection');
    return validated(name, 'url', buildClientSchema(asIntrospection(data)));
  } catch (caught) {
    if (caught instanceof FindingsError) throw caught;
    if (caught instanceof Refusal) throw fail(caught.message.replace(/\.$/, ''));
    throw fail('what it answers is no schema');
  }
}

const NO_REQUIREMENTS: ReadonlyMap<string, scopeRules.Requirement> = new Map();

const CANNOT = 'Its schema cannot be had';
const AS_FILE =
  'Start it first; or save its schema as SDL in a file and name that as `schema`: ' +
  'then it need not be up.';

/** `buildClientSchema` throws for whatever is not what it expects. */
const asIntrospection = (data: unknown): IntrospectionQuery => data as IntrospectionQuery;

async function readSchema(
  { name, config }: GraphqlServicePlan,
  { location, name: file }: NonNullable<GraphqlServicePlan['schema']>,
  inputs: inputFiles.Inputs,
): Promise<{
  readonly schema: GraphQLSchema;
  readonly costs: subschemas.SubschemaCosts;
  readonly requirements: ReadonlyMap<string, scopeRules.Requirement>;
}> {
  let sdl: Buffer;
  try {
    sdl = await inputs.readFile(location);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const remedy = 'Paths are relative to the configuration file.';
    throw errorOf(name, 'schema', `The schema ${file} cannot be read (${code}).`, remedy);
  }
  const { schemaBytes } = config.limits.remote;
  if (sdl.length > schemaBytes) {
    throw errorOf(name, 'schema', `The schema ${file} is longer than ${schemaBytes} bytes.`, null);
  }
  try {
    const linked = subschemas.resolveLinks(parse(new Source(sdl.toString('utf8'), file)));
    const { document, requirementsOf } = subschemas.takeRights(
      subschemas.removeInaccessible(linked),
    );
    const { document: bare, costOf } = subschemas.takeCosts(document, name);
    const schema = validated(name, 'schema', buildASTSchema(bare));
    return { schema, costs: costOf(schema), requirements: requirementsOf(schema) };
  } catch (error) {
    if (error instanceof FindingsError) throw error;
    if (error instanceof RangeError) {
      throw errorOf(name, 'schema', `The schema ${file} is nested too deep.`, null);
    }
    if (!(error instanceof Error)) throw error;
    const [at] = error instanceof GraphQLError ? (error.locations ?? []) : [];
    throw new ConfigurationError([
      {
        file,
        line: at?.line ?? null,
        column: at?.column ?? null,
        what: error.message,
        remedy: null,
      },
    ]);
  }
}

/** Throws `FindingsError` for what a schema may not have. */
function validated(service: string, key: SchemaKey, schema: GraphQLSchema): GraphQLSchema {
  const errors = validateSchema(schema);
  if (errors.length === 0) return schema;
  const first = errors.slice(0, ERRORS_SHOWN).map(({ message }) => message);
  throw errorOf(service, key, `Its schema is not valid: ${first.join(' ')}`, null);
}

const ERRORS_SHOWN = 5;

/** The key that says where the schema of a service comes from. */
type SchemaKey = 'url' | 'schema';

const errorOf = (
  service: string,
  key: SchemaKey,
  what: string,
  remedy: string | null,
): FindingsError => invalid([key], `Service \`${service}\`: ${what}`, remedy);
