import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorCode } from '../base/error-code.js';
import { ChainVerifier } from '../observe/audit-chain.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/** Problems that are printed. */
const PROBLEMS_MAX = 20;

/**
 * Verifies the chains of audit files, in the order given: 0 whole, 1 changed or incomplete, 2 not to be read.
 * `isContinued`: chains may begin in earlier files.
 */
export async function verifyAudit(
  files: readonly string[],
  isContinued: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const verifier = new ChainVerifier();
  let lines = 0;
  let problems = 0;
  let earlier = 0;
  for (const file of files) {
    let number = 0;
    try {
      for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
        number++;
        // Processes that start together may each end a line that was cut.
        if (line === '') continue;
        lines++;
        const finding = verifier.check(line);
        if (finding === null) continue;
        const { kind, what } = finding;
        if (kind === 'earlier') earlier++;
        if (kind === 'earlier' && isContinued) terminal.out(`${file}:${number}: ${what}`);
        else if (++problems <= PROBLEMS_MAX) terminal.error(`${file}:${number}: ${what}`);
      }
    } catch (error) {
      const code = errorCode(error) ?? 'unknown error';
      terminal.error(`${file} cannot be read (${code}).`);
      return 2;
    }
  }
  if (problems > 0) {
    terminal.error(`${problems} of ${lines} lines do not fit.`);
    if (earlier > 0 && !isContinued)
      terminal.error('Lines before these are missing. If they stand in files that are not given, add --continued.');
    return 1;
  }
  terminal.out(`The audit is whole: lines ${lines}, chains ${verifier.chains}, from earlier files ${earlier}.`);
  return 0;
}
