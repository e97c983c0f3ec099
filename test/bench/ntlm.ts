import { type CallersOptions, runCallers } from '../kit/ntlm-caller.js';
import { isProgram, isQuick, print } from './kit.js';

const BAR: CallersOptions = { identities: 50, callers: 20, calls: 20, cutEvery: 200 };

/**
 * Callers that authenticate their connections by NTLM, each on an upstream connection of its own.
 */
export async function benchNtlm(quick: boolean): Promise<void> {
  const options = quick ? { ...BAR, identities: 10 } : BAR;
  const startedMillis = performance.now();
  const found = await runCallers(options);
  const seconds = ((performance.now() - startedMillis) / 1000).toFixed(1);
  print(
    `\n${options.identities} NTLM identities, ${options.callers} callers each, ${found.calls} ` +
      `calls, ${seconds} s\n\n`,
  );
  for (const [name, count] of Object.entries(found)) print(`  ${name} ${count}\n`);
  const wrong = found.wrongIdentity + found.wrongReply + found.refused + found.lost;
  if (wrong > 0 || found.cut !== found.cutByBackend) process.exitCode = 1;
}

if (isProgram(import.meta.url)) await benchNtlm(isQuick());
