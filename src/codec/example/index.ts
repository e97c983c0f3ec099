/** Example content by a schema, example arguments by a plan. */

export { ExampleWriter } from './example-content.js';
export { type ExampleMember, type ExampleObject, exampleInput } from './example-input.js';
export { SCALAR_EXAMPLES } from './scalar-examples.js';
export { textFor, type WantedTexts, type WantedTextsOf } from './wanted-texts.js';
