import asyncHooks from 'node:async_hooks';
import module, { register, syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before tap, where test files share a process. tap follows each promise and each callback
 * to know which test an error that no code caught belongs to; that takes about a tenth of the
 * processor time of the suite. In a group one file runs at a time: the error is that file's
 * (kit/group.ts).
 */
const { createHook } = asyncHooks;
const none: asyncHooks.AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = (callbacks) =>
  callbacks.destroy === undefined ? createHook(callbacks) : none;
// Modules by name get what their objects have now. What kit/unrecorded.ts put there is for tap's
// recorder alone.
Object.assign(module, { register });
syncBuiltinESMExports();
