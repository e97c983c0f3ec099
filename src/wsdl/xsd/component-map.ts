import { getOrMake } from '../../core/index.js';
import type { XmlNode } from '../documents/xml-tree.js';

/** A component, as far as it matters which one it is. */
interface Key {
  readonly node: XmlNode;
  readonly unit: { readonly target: string };
}

/** Results by component: one node is another component under another target namespace. */
export class ComponentMap<T> {
  readonly #byNode = new Map<XmlNode, Map<string, T>>();

  get({ node, unit }: Key): T | undefined {
    return this.#byNode.get(node)?.get(unit.target);
  }

  set({ node, unit }: Key, value: T): T {
    getOrMake(this.#byNode, node, () => new Map<string, T>()).set(unit.target, value);
    return value;
  }
}
