import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import { Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { MIB } from '../base/limit.js';
import type { Fragments } from './plan.js';

/** A document that was parsed and validated against the schema of one generation. */
export class AdmittedDocument {
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  /** @skip or @include depends on a variable: what will run is known only with the variables. */
  readonly isDynamic: boolean;
  /** What was worked out for an operation and holds for all variables, by whoever worked it out. */
  readonly #remembered = new Map<OperationDefinitionNode, Map<object, unknown>>();

  constructor(document: DocumentNode) {
    this.document = document;
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    }
    this.fragments = fragments;
    this.isDynamic = dependsOnVariables(document);
  }

  /** The answer of `make`, which is asked once per operation and maker unless the document is dynamic. */
  remember<T>(operation: OperationDefinitionNode, maker: Maker<T>, make: () => T): T {
    if (this.isDynamic) return make();
    const known = this.#remembered.get(operation) ?? new Map<object, unknown>();
    this.#remembered.set(operation, known);
    const held = known.get(maker);
    if (maker.holds(held)) return held;
    const made = make();
    known.set(maker, made);
    return made;
  }
}

/** Identifies what is remembered. */
export interface Maker<T> {
  holds(value: unknown): value is T;
}

/** The documents of one generation by their text; the least recently used go first. */
export class DocumentCache {
  readonly #cache = new LRUCache<string, AdmittedDocument>({
    max: 1000,
    maxSize: 16 * MIB,
    // A syntax tree takes about this much memory for each character of its text.
    sizeCalculation: (_document, text) => 1000 + 40 * text.length,
  });

  get(text: string): AdmittedDocument | undefined {
    return this.#cache.get(text);
  }

  set(text: string, document: AdmittedDocument): void {
    this.#cache.set(text, document);
  }
}

function dependsOnVariables(document: DocumentNode): boolean {
  let depends = false;
  visit(document, {
    Directive(node) {
      depends ||= node.arguments?.some((argument) => argument.value.kind === Kind.VARIABLE) ?? false;
    },
  });
  return depends;
}
