const STEP = '(\\{[^{}\\s]{0,1024}\\})?[^\\s/@{}:.]{1,256}';

/** A header block and elements in it, as a pattern: `header:{namespace}Block/child`. */
export const HEADER_STEPS = `header:${STEP}(/${STEP}){0,8}`;
