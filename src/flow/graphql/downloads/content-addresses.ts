import { Buffer } from 'node:buffer';
import { GraphQLFloat, GraphQLID, GraphQLInt, GraphQLString, getNamedType } from 'graphql';
import type { CallerIdentity, Client } from '../../../access/client.js';
import type { replyDecoding } from '../../../codec/index.js';
import type { SoapService } from '../../../compile/soap/service.js';
import { isRecord } from '../../../core/index.js';
import { TextSeal } from '../../../gateway/text-seal.js';
import type { DescribedOperation, FieldCall, RawVariables } from '../../../graphql/index.js';
import { callerDigest } from '../../calls/caller-parts.js';
import type { BackendMark } from '../../calls/chosen-backends.js';

/**
 * Bytes of the arguments and the place in the reply that an address holds, as JSON. With all else
 * it is below 8 KiB then.
 */
const CALL_BYTES_MAX = 3072;

/**
 * Binary content that a client may download: the call that brings it, and its place in the reply.
 */
export interface Download {
  readonly described: DescribedOperation;
  readonly values: RawVariables;
  readonly place: replyDecoding.ContentPlace;
  /** The backend that the content came from. */
  readonly backend: BackendMark;
}

interface DownloadParts {
  readonly path: string;
  readonly keys: readonly string[];
  readonly lifetimeMillis: number;
  /** The address of the gateway; '' where it is not known. */
  readonly publicUrl: string;
  /** The operations that are fields of the schema, by `service.operation`. */
  readonly described: ReadonlyMap<string, DescribedOperation>;
  readonly services: ReadonlyMap<string, SoapService>;
}

/**
 * The addresses of binary content in replies. Each holds the call that is repeated, sealed; the
 * gateway keeps nothing.
 */
export class ContentAddresses {
  readonly path: string;
  readonly #base: string;
  readonly #seal: TextSeal;
  readonly #parts: DownloadParts;

  constructor(parts: DownloadParts) {
    const { path, keys } = parts;
    const [first, ...others] = keys;
    if (first === undefined) throw new Error('downloads without a key');
    this.path = `${path}/`;
    this.#base = `${parts.publicUrl.replace(/\/+$/, '')}${this.path}`;
    this.#seal = new TextSeal('soapstone download', [first, ...others]);
    this.#parts = parts;
  }

  /** Makes the addresses of one call. */
  maker(
    call: FieldCall,
    client: Client,
    headers: CallerIdentity['headers'],
    backend: BackendMark,
  ): replyDecoding.AddressMaker {
    /** The arguments are written once, and only where an address is asked for. */
    let written: string | null = null;
    return ({ names, indexes }) => {
      const { bound } = call;
      const name = `${bound.service}.${bound.operation.name}`;
      if (bound.parent !== 'Query' || !this.#parts.described.has(name)) return NOT_READ;
      if (bound.paging != null) return OF_PAGES;
      written ??= valuesOf(call);
      const about = JSON.stringify([written, names, indexes]);
      if (Buffer.byteLength(about) > CALL_BYTES_MAX) return TOO_LONG;
      return (beside) => {
        const endsMillis = Date.now() + this.#parts.lifetimeMillis;
        const holder = this.#holder(bound.service, bound.operation.name, client, headers);
        return (
          this.#base +
          this.#seal.seal(
            JSON.stringify([VERSION, name, about, beside, holder, endsMillis, ...(backend ?? [])]),
          )
        );
      };
    };
  }

  /**
   * The download that an address is for; null where it is none, has ended, or is another client's.
   */
  open(sealed: string, client: Client, headers: CallerIdentity['headers']): Download | null {
    const text = this.#seal.open(sealed);
    const parts: unknown = text === null ? null : JSON.parse(text);
    if (!Array.isArray(parts) || parts[0] !== VERSION) return null;
    const [, name, about, beside, holder, endsMillis, ...at]: readonly unknown[] = parts;
    const described = this.#parts.described.get(String(name));
    if (described === undefined || !described.isRead || !(Number(endsMillis) > Date.now())) {
      return null;
    }
    if (
      holder !== this.#holder(described.service, described.bound.operation.name, client, headers)
    ) {
      return null;
    }
    const call: unknown = JSON.parse(String(about));
    const [written, names, indexes]: readonly unknown[] = Array.isArray(call) ? call : [];
    const values: unknown = JSON.parse(String(written));
    if (!isRecord(values)) return null;
    const place = { names: texts(names), indexes: numbers(indexes), beside: digests(beside) };
    const [digest, isAsked] = at;
    const backend: BackendMark = digest === undefined ? null : [String(digest), isAsked === true];
    return { described, values: asVariables(values, described), place, backend };
  }

  /** Names the client, and all else by which the backend tells its callers apart. */
  #holder(
    serviceName: string,
    operation: string,
    client: Client,
    headers: CallerIdentity['headers'],
  ): string | null {
    const service = this.#parts.services.get(serviceName);
    return service === undefined
      ? null
      : callerDigest('holder', { service, operation }, client, headers);
  }
}

const VERSION = 2;

/** The arguments of a call as JSON. */
function valuesOf({ bound, arguments: values, headers }: FieldCall): string {
  const all =
    bound.headersArgument === null ? values : { ...values, [bound.headersArgument]: headers };
  return JSON.stringify(all, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

const NOT_READ = 'has no address: only fields of Query can be asked for again';
const OF_PAGES = 'has no address: it is in a row of pages';
const TOO_LONG = 'has no address: the arguments of its call, or its place, are too long';

const texts = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(String) : []);
const digests = (list: unknown): readonly replyDecoding.FieldDigest[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown) =>
    isRecord(each) ? [{ name: String(each['name']), digest: String(each['digest']) }] : [],
  );
const numbers = (list: unknown): readonly number[] => (Array.isArray(list) ? list.map(Number) : []);

/**
 * The arguments as variables of a document: those of a link have the types of the fields that they
 * come from.
 */
function asVariables(
  values: Readonly<Record<string, unknown>>,
  { field }: DescribedOperation,
): RawVariables {
  const variables: Record<string, unknown> = Object.create(null);
  for (const { name, type } of field.args) {
    if (!Object.hasOwn(values, name)) continue;
    const named = getNamedType(type);
    const isText = named === GraphQLString || named === GraphQLID;
    const isNumber = named === GraphQLInt || named === GraphQLFloat;
    const convert = (value: unknown): unknown => {
      if (isText && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
      return isNumber && typeof value === 'string' ? Number(value) : value;
    };
    const value = values[name];
    variables[name] = Array.isArray(value) ? value.map(convert) : convert(value);
  }
  return variables;
}
