import module from 'node:module';

/**
 * Loaded before tap's own hooks, where nobody looks at what they record (.ci/run): which files each
 * process loads, for the table of coverage. They do that also without the table, in a thread of
 * their own, in every test file and in every process that a test starts, and it took as much of the
 * processor as the tests do.
 */

// What tap's recorder asks for first: it finds that this process has one, and leaves alone what the
// process loads and starts. With another version of tap this may do nothing; tests run all the
// same.
Object.assign(globalThis, {
  [Symbol.for('@tapjs/processinfo.ProcessInfoNodeData')]: { files: [], sources: {} },
});
Object.assign(module, { register: () => {}, registerHooks: undefined });
// The processes that tests start are as they are at a caller's.
delete process.env['NODE_OPTIONS'];
