import { Buffer } from 'node:buffer';
import type { Config } from '../../config/schema.js';
import { compiledModels } from '../../wsdl/index.js';
import type { CompiledWsdls } from '../soap/documents/compiled-wsdls.js';
import type { KnownSchema } from '../soap/documents/known-schema.js';
import type { KnownModel } from '../soap/documents/named-wsdl.js';
import { rightsRules } from '../soap/rights.js';
import type { ConfiguredService } from '../soap/service.js';

/** What makes the schema of a generation. */
interface SchemaSources {
  readonly config: Config;
  readonly services: readonly ConfiguredService[];
  readonly wsdls: readonly KnownModel[];
}

/** What earlier compilations have found in the schema of this one, and what the next will find. */
export class SchemaMemory {
  /** Null where the schema has to be compiled. */
  readonly known: KnownSchema | null;
  readonly #forms: CompiledWsdls | null;
  readonly #key: string | null;

  private constructor(forms: CompiledWsdls | null, key: string | null, known: KnownSchema | null) {
    this.#forms = forms;
    this.#key = key;
    this.known = known;
  }

  /**
   * `isFirst`: the schema can be compiled later. Else it is compiled now, and not known until that
   * is over: a process that does not survive it compiles it first at its next start.
   */
  static async open(
    sources: SchemaSources,
    forms: CompiledWsdls | null,
    isFirst: boolean,
  ): Promise<SchemaMemory> {
    const key = forms === null ? null : schemaKey(sources, forms);
    if (forms === null || key === null) return new SchemaMemory(null, null, null);
    if (isFirst) return new SchemaMemory(forms, key, await forms.findSchema(key));
    await forms.removeSchema(key);
    return new SchemaMemory(forms, key, null);
  }

  /** Remembers a schema that was compiled without errors. */
  keep(found: KnownSchema): void {
    if (this.#key === null || this.known !== null) return;
    this.#forms?.keepSchema(this.#key, found);
  }
}

/**
 * Names the schema that is made from these sources. Null where SOAP callers would miss something
 * without it, where more than WSDLs and the configuration makes it, and where it is small.
 */
function schemaKey(sources: SchemaSources, forms: CompiledWsdls): string | null {
  const { config, wsdls } = sources;
  const isLarge = forms.keeps(wsdls.map(({ model }) => model));
  if (!isLarge || !isApart(sources)) return null;
  // They are read at the same time, in no order.
  const reads = new Map(wsdls.map(({ location, reads: { list } }) => [location, list]));
  const content = JSON.stringify([config, [...reads].toSorted(byLocation)]);
  return compiledModels.compiledKey('the schema', Buffer.from(content));
}

const byLocation = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1;

/** Whether no field has rules, no event is observed, and no file but the WSDLs is read for it. */
const isApart = ({
  config: { demo, graphqlServices, links, subscriptions, graphql },
  services,
  wsdls,
}: SchemaSources): boolean =>
  demo === undefined &&
  Object.keys(graphqlServices).length === 0 &&
  Object.keys(links).length === 0 &&
  Object.keys(subscriptions).length === 0 &&
  graphql.federation === undefined &&
  graphql.trusted === undefined &&
  services.every(({ wsdl }) => wsdl !== null) &&
  wsdls.every(({ taken }) => taken === null) &&
  rightsRules(services).length === 0;
