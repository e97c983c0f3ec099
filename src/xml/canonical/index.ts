/** Canonical XML: written while events come by, or from a tree that is kept. */

export { type CanonicalMethod, canonicalMethodOf } from './canonical-method.js';
export {
  type CanonicalSink,
  CanonicalWriter,
  canonicalValue,
  GREATER,
  RETURN,
  type WrittenAttribute,
} from './canonical-writer.js';
export { CommentNode, ElementNode, TreeBuilder, writeTree } from './element-tree.js';
