/** A model as a file: packed data, with the reads that it was made from. */

export { type CompiledModel, compiledKey, readCompiled, writeCompiled } from './compiled-model.js';
