import type { ConfigChange, Weakening } from './protection.js';

/**
 * Tools of agents that a person had to confirm, and that are offered without that; and tools that
 * change data, are new, and are confirmed by no person.
 */
export const unconfirmedTools = (change: ConfigChange): readonly Weakening[] => [
  ...noLongerConfirmed(change),
  ...newWriteTools(change),
];

/** Whether a list has the name of an operation, or all of its service. */
const has = (names: readonly string[], name: string): boolean =>
  names.includes(name) || names.includes(`${name.slice(0, name.indexOf('.'))}.*`);

const newWriteTools = ({ before, after }: ConfigChange): readonly Weakening[] =>
  (after.mcp?.write ?? [])
    .filter((name) => !has(before.mcp?.write ?? [], name) && !has(after.mcp?.confirm ?? [], name))
    .map((name) => ({
      path: ['mcp', 'write'],
      what: `now has \`${name}\`, which \`mcp.confirm\` does not have`,
    }));

function noLongerConfirmed({ before, after }: ConfigChange): readonly Weakening[] {
  const confirm = after.mcp?.confirm ?? [];
  const offered = [...(after.mcp?.operations ?? []), ...(after.mcp?.write ?? [])];
  return (before.mcp?.confirm ?? [])
    .filter((name) => !confirm.includes(name) && has(offered, name))
    .map((name) => ({
      path: ['mcp', 'confirm'],
      what: `lacks \`${name}\`, which is still a tool`,
    }));
}
