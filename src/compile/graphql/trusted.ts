import type { Buffer } from 'node:buffer';
import { type FindingsError, invalid } from '../../config/keys/finding.js';
import type { ManifestPlan } from '../../config/plans/gateway-plan.js';
import type { Config } from '../../config/schema.js';
import {
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  errorCode,
  type inputFiles,
  jsonValues,
  MIB,
  Refusal,
} from '../../core/index.js';
import { admission, lifecycle } from '../../graphql/index.js';
import type { Graph } from './graph.js';

/** The manifest of trusted documents, read. */
export interface TrustedManifest {
  /** As the operator would name it. */
  readonly file: string;
  readonly text: string;
  readonly entries: readonly admission.ManifestEntry[];
}

/** The trusted documents of a generation, and those among them that will be refused. */
export interface CompiledTrusted {
  /** Null where none are configured. */
  readonly trusted: admission.TrustedDocuments | null;
  readonly warnings: readonly Diagnostic[];
}

const FILE_BYTES_MAX = 64 * MIB;

/** Finding the place of each costs a walk through the file. */
const WARNINGS_MAX = 100;

/**
 * Reads the manifest of a configuration; null where it names none. Throws `FindingsError` for one
 * that cannot be read, `ConfigurationError` for one that cannot be used.
 */
export async function readTrusted(
  plan: ManifestPlan | null,
  inputs: inputFiles.Inputs,
): Promise<TrustedManifest | null> {
  if (plan === null) return null;
  const { shown: file } = plan;
  const text = await readText(plan, inputs);
  const fail = (what: string, remedy: string | null, offset: number | null): ConfigurationError =>
    new ConfigurationError([{ file, ...placeOf(text, offset), what, remedy }]);
  const manifest = admission.readManifest(parse(text, fail));
  if ('entries' in manifest) return { file, text, entries: manifest.entries };
  throw fail(
    `The manifest cannot be used. ${manifest.what}`,
    manifest.remedy,
    offsetOf(text, manifest.id),
  );
}

/**
 * Checks each trusted document as if it came with a request. One that does not fit (the schema of
 * today, the limits) is a warning and not a diagnostic: manifests hold the documents of clients
 * long gone, and these must not keep the gateway from starting.
 */
export function compileTrusted(
  config: Pick<Config, 'graphql' | 'limits'>,
  manifest: TrustedManifest | null,
  graph: Graph,
): CompiledTrusted {
  const { trusted: keys, measure, introspection } = config.graphql;
  if (manifest === null) return { trusted: null, warnings: [] };
  const { file, text, entries } = manifest;
  const { admission: rules } = lifecycle.operationsOf({
    built: graph,
    limits: config.limits.graphql,
    measured: measure,
    introspection,
  });
  const byId = new Map<string, string>();
  const documents = new Map<string, admission.AdmittedDocument>();
  const warnings: Diagnostic[] = [];
  let further = 0;
  for (const { id, name, text: document } of entries) {
    byId.set(id, document);
    try {
      documents.set(document, admission.readDocument(document, rules));
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      if (warnings.length === WARNINGS_MAX) {
        further++;
      } else {
        warnings.push({
          file,
          ...placeOf(text, offsetOf(text, id)),
          ...warningOf({ id, name }, caught),
        });
      }
    }
  }
  if (further > 0) {
    warnings.push(
      diagnosis.unplaced(`Of the trusted documents ${further} more will be refused.`, null, file),
    );
  }
  if (keys?.only === true && entries.length === 0) {
    const what =
      'The manifest has no documents, and `trusted.only` lets nothing else run: ' +
      'GraphQL refuses everything.';
    warnings.push({
      file,
      line: 1,
      column: 1,
      what,
      remedy: 'Put the documents of your clients in it.',
    });
  }
  const texts = new Set(byId.values());
  const trusted: admission.TrustedDocuments = {
    only: keys?.only === true,
    documents,
    textOf: (id) => byId.get(id) ?? byId.get(id.replace(/^sha256:/, '')) ?? null,
    hasText: (document) => texts.has(document),
  };
  return { trusted, warnings };
}

async function readText({ location }: ManifestPlan, inputs: inputFiles.Inputs): Promise<string> {
  const refuse = (what: string): FindingsError => {
    const remedy = 'Give the path of a JSON file, from here.';
    return invalid(['graphql', 'trusted', 'manifest'], what, remedy, 'value');
  };
  let bytes: Buffer;
  try {
    bytes = await inputs.readFile(location);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw refuse(`The manifest of trusted documents cannot be read (${code}).`);
  }
  if (bytes.length > FILE_BYTES_MAX) {
    throw refuse('The manifest of trusted documents is longer than 64 MiB.');
  }
  return bytes.toString('utf8');
}

function parse(
  text: string,
  fail: (what: string, remedy: string | null, offset: number | null) => ConfigurationError,
): unknown {
  try {
    return jsonValues.parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (!/^two members/.test(error.message)) {
      // The words of the engine, which quote the text, are no use; where it stopped is.
      const at = /position (\d+)/.exec(error.message)?.[1];
      throw fail('The manifest is not JSON.', null, at === undefined ? null : Number(at));
    }
    throw fail(
      'The manifest has two members of one name.',
      'Each id stands for one document.',
      null,
    );
  }
}

/** Returns the offset of an id in the text, or null. */
function offsetOf(text: string, id: string | null): number | null {
  const offset = id === null ? -1 : text.indexOf(JSON.stringify(id));
  return offset < 0 ? null : offset;
}

function placeOf(text: string, offset: number | null): Pick<Diagnostic, 'line' | 'column'> {
  if (offset === null) return { line: 1, column: 1 };
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

function warningOf(
  { id, name }: Omit<admission.ManifestEntry, 'text'>,
  refusal: Refusal,
): Pick<Diagnostic, 'what' | 'remedy'> {
  const [first] = lifecycle.refusalErrors(refusal);
  const shown = (name ?? id).replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64);
  return {
    what:
      `The trusted document \`${shown}\` will be refused (${refusal.code}): ` +
      `${first?.message ?? refusal.message}`,
    remedy: 'Fix it, or remove it when no client uses it any more.',
  };
}
