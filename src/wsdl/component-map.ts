import type { Component } from './components.js';
import type { XmlNode } from './tree.js';

/** What was made of components: the same node means something else under another target namespace. */
export class ComponentMap<T> {
  readonly #byNode = new Map<XmlNode, Map<string, T>>();

  get({ node, unit }: Component): T | undefined {
    return this.#byNode.get(node)?.get(unit.target);
  }

  set({ node, unit }: Component, value: T): T {
    const byTarget = this.#byNode.get(node);
    if (byTarget === undefined) this.#byNode.set(node, new Map([[unit.target, value]]));
    else byTarget.set(unit.target, value);
    return value;
  }
}
