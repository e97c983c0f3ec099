import { Buffer } from 'node:buffer';
import type { GraphQLSchema } from 'graphql';
import type { requestPlans } from '../../codec/index.js';
import { proofDemands } from '../../config/clients/token-keys.js';
import type { Config, ServiceConfig } from '../../config/schema.js';
import { AT_ONCE, collections, getOrMake, inputFiles, type Steps } from '../../core/index.js';
import { type DescribedOperation, namedOperations } from '../../graphql/index.js';
import { COMPONENTS, PROBLEM, PROBLEM_CONTENT, printOperation } from './openapi-operation.js';
import { type PlannedOperation, planOpenApi } from './openapi-plan.js';
import { type DocumentWriter, type OpenApiForm, printMembers, writerOf } from './openapi-text.js';
import type { RestRoute } from './rest-routes.js';

/** Operations of REST: at the paths of their names, and at paths of their own. */
export interface OfferedOperations {
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  readonly routes: readonly RestRoute[];
}

/** Parts of the document that are the same for all clients. */
export interface OpenApiFrame {
  readonly schema: GraphQLSchema;
  readonly servers: readonly { readonly url: string }[];
  /** Ways to identify a client, by name; empty where callers need none. */
  readonly securitySchemes: Readonly<Record<string, namedOperations.JsonSchema>>;
  /** The header fields of idempotency keys, by service and operation. */
  readonly keyFields: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function openApiFrame(
  schema: GraphQLSchema,
  { clients, publicUrl, services }: Config,
): OpenApiFrame {
  const { apiKeys, basic, certificate } = clients ?? {};
  const demands = proofDemands(clients);
  const takesBearer = demands.some((demand) => demand !== 'dpop');
  const takesProofs = demands.some((demand) => demand === 'dpop' || demand === 'either');
  const securitySchemes: Record<string, namedOperations.JsonSchema> = {
    ...(apiKeys === undefined
      ? {}
      : { apiKey: { type: 'apiKey', in: 'header', name: apiKeys.header } }),
    ...(basic === undefined ? {} : { basic: { type: 'http', scheme: 'basic' } }),
    ...(takesBearer ? { bearer: { type: 'http', scheme: 'bearer' } } : {}),
    ...(takesProofs ? { dpop: { type: 'http', scheme: 'dpop' } } : {}),
    ...(certificate === undefined ? {} : { certificate: { type: 'mutualTLS' } }),
  };
  return {
    schema,
    servers: [{ url: publicUrl?.replace(/\/+$/, '') || '/' }],
    securitySchemes,
    keyFields: new Map(
      Object.entries(services).map(([name, service]) => [name, keyFieldsOf(service)]),
    ),
  };
}

const keyFieldsOf = ({ operations }: ServiceConfig): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(operations).flatMap(([name, mapping]) =>
      typeof mapping === 'object' && mapping.idempotency !== undefined
        ? [[name, mapping.idempotency.header] as const]
        : [],
    ),
  );

/** Members of a path or of the components at this level of the document. */
const PART_LEVEL = 2;

/** The text of an operation or of a component. */
interface DocumentPart {
  readonly text: string;
  /** The component of the body; '' for none. */
  readonly body: string;
  readonly referred: readonly namedOperations.ReferredType[];
}

/**
 * Prints documents of OpenAPI 3.1 in one form. Operations and components that documents share are
 * printed once.
 */
export class OpenApiPrinter {
  readonly #frame: OpenApiFrame;
  readonly #form: OpenApiForm;
  readonly #parts: collections.BoundedCache<DocumentPart>;
  /** Numbers of what is written, for keys of parts. */
  readonly #written = new Map<requestPlans.EncodeValue, number>();

  /** `bytes`: of the parts that are kept. */
  constructor(frame: OpenApiFrame, form: OpenApiForm, bytes: number) {
    this.#frame = frame;
    this.#form = form;
    this.#parts = new collections.BoundedCache({
      size: bytes,
      sizeOf: ({ text, body }, key) => text.length + body.length + key.length + 1,
    });
  }

  /** Describes operations by their paths. */
  *print({ operations, routes }: OfferedOperations): Steps<Buffer> {
    const planned = planOpenApi(operations, routes);
    const services = new Set<string>();
    for (const methods of planned.values()) {
      for (const { described } of methods) {
        services.add(described.service);
      }
    }
    yield;
    const writer = writerOf(this.#form);
    this.#add(writer, headOf(this.#frame, [...services]), 0);
    writer.open('paths');
    const bodies: string[] = [];
    const referred: namedOperations.ReferredType[] = [];
    for (const [path, methods] of planned) {
      writer.open(path);
      for (const each of methods) {
        const part = this.#operation(path, each);
        writer.add(part.text);
        if (part.body !== '') {
          bodies.push(part.body);
        }
        referred.push(...part.referred);
        yield;
      }
      writer.close();
    }
    writer.close();
    yield* this.#addComponents(writer, referred, bodies);
    writer.close();
    return yield* encoded(writer.chunks);
  }

  *#addComponents(
    writer: DocumentWriter,
    referred: readonly namedOperations.ReferredType[],
    bodies: readonly string[],
  ): Steps<void> {
    writer.open('components');
    writer.open('schemas');
    for (const text of yield* this.#components(referred)) {
      writer.add(text);
    }
    for (const text of bodies) {
      writer.add(text);
    }
    this.#add(writer, { [PROBLEM]: PROBLEM_SCHEMA }, PART_LEVEL);
    writer.close();
    const { securitySchemes } = this.#frame;
    const hasSchemes = Object.keys(securitySchemes).length > 0;
    this.#add(writer, { responses: { [PROBLEM]: PROBLEM_RESPONSE } }, 1);
    if (hasSchemes) {
      this.#add(writer, { securitySchemes }, 1);
    }
    writer.close();
  }

  #add(writer: DocumentWriter, members: namedOperations.JsonSchema, level: number): void {
    writer.add(printMembers(members, level, this.#form));
  }

  #operation(path: string, planned: PlannedOperation): DocumentPart {
    const { method, id, bodyName } = planned;
    return getOrMake(this.#parts, JSON.stringify([path, method, id, bodyName]), () => {
      const describer = this.#describer();
      const { operation, body } = printOperation(planned, describer, this.#frame);
      return {
        text: printMembers({ [method]: operation }, PART_LEVEL, this.#form),
        body: body === null ? '' : printMembers({ [bodyName ?? '']: body }, PART_LEVEL, this.#form),
        referred: describer.takeReferred(),
      };
    });
  }

  /** The types that are referred to, and those that these refer to, by name. */
  *#components(referred: readonly namedOperations.ReferredType[]): Steps<readonly string[]> {
    const found = new Map<string, string>();
    const seen = new Set<string>();
    const pending: namedOperations.ReferredType[] = [];
    const refer = (types: readonly namedOperations.ReferredType[]): void => {
      for (const each of types) {
        if (seen.has(each.type.name)) continue;
        seen.add(each.type.name);
        pending.push(each);
      }
    };
    refer(referred);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const part = this.#component(next);
      found.set(next.type.name, part.text);
      refer(part.referred);
      yield;
    }
    return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  }

  #component(referred: namedOperations.ReferredType): DocumentPart {
    const { type, written } = referred;
    const form =
      written === null ? '' : getOrMake(this.#written, written, () => this.#written.size);
    return getOrMake(this.#parts, `${type.name} ${form}`, () => {
      const describer = this.#describer();
      const schema = describer.component(referred);
      return {
        text: printMembers({ [type.name]: schema }, PART_LEVEL, this.#form),
        body: '',
        referred: describer.takeReferred(),
      };
    });
  }

  #describer(): namedOperations.SchemaDescriber {
    return new namedOperations.SchemaDescriber(this.#frame.schema, COMPONENTS, { isExact: true });
  }
}

/** Describes operations by their paths, without a pause. */
export const printOpenApi = (
  frame: OpenApiFrame,
  offered: OfferedOperations,
  form: OpenApiForm,
): string =>
  AT_ONCE.finish(
    new OpenApiPrinter(frame, form, Number.MAX_SAFE_INTEGER).print(offered),
  ).toString();

/** Chunks that become bytes together. */
const CHUNKS_TOGETHER = 100;

function* encoded(chunks: readonly string[]): Steps<Buffer> {
  const buffers: Buffer[] = [];
  for (let at = 0; at < chunks.length; at += CHUNKS_TOGETHER) {
    buffers.push(Buffer.from(chunks.slice(at, at + CHUNKS_TOGETHER).join('')));
    yield;
  }
  return Buffer.concat(buffers);
}

const headOf = (
  { servers, securitySchemes }: OpenApiFrame,
  services: readonly string[],
): namedOperations.JsonSchema => ({
  openapi: '3.1.0',
  info: {
    title: services.join(', ') || 'Soapstone',
    version: inputFiles.packageVersion(),
    description: 'Operations of SOAP services as JSON. Errors are problem details (RFC 9457).',
  },
  servers,
  security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  tags: services.map((name) => ({ name, description: `Operations of the service ${name}.` })),
});

const PROBLEM_SCHEMA: namedOperations.JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong; of a Fault its string.' },
    code: { type: 'string', description: 'A code of the closed table of refusals.' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON pointer of an argument.' },
          parameter: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
    fault: { type: 'object', description: 'The parts of a Fault of the backend.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
};

const PROBLEM_RESPONSE = {
  description: 'The request was refused, or the backend failed.',
  content: PROBLEM_CONTENT,
};
