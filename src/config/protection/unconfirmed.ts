import type { ConfigChange, Weakening } from './protection.js';

/** Tools of agents that a person had to confirm, and that are offered without that. */
export function unconfirmedTools({ before, after }: ConfigChange): readonly Weakening[] {
  const confirm = after.mcp?.confirm ?? [];
  const offered = [...(after.mcp?.operations ?? []), ...(after.mcp?.write ?? [])];
  const isOffered = (name: string): boolean =>
    offered.includes(name) || offered.includes(`${name.slice(0, name.indexOf('.'))}.*`);
  return (before.mcp?.confirm ?? [])
    .filter((name) => !confirm.includes(name) && isOffered(name))
    .map((name) => ({
      path: ['mcp', 'confirm'],
      what: `lacks \`${name}\`, which is still a tool`,
    }));
}
