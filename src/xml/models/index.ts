/** Content models in the memory of the skimmer. */

export { modelMemory } from './memory.js';
