import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorCode } from '../base/error-code.js';
import { ChainVerifier } from '../observe/audit-chain.js';
import type { ExitCode, Terminal } from './terminal.js';

/** Problems that are printed. */
const PROBLEMS_MAX = 20;

/** Verifies the chains of audit files, in the order given: 0 whole, 1 changed or incomplete, 2 not to be read. */
export async function verifyAudit(files: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const verifier = new ChainVerifier();
  let lines = 0;
  let problems = 0;
  for (const file of files) {
    let number = 0;
    try {
      for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
        number++;
        lines++;
        const finding = verifier.check(line);
        if (finding === null) continue;
        if (finding.isBroken) problems++;
        if (!finding.isBroken) terminal.out(`${file}:${number}: ${finding.what}`);
        else if (problems <= PROBLEMS_MAX) terminal.error(`${file}:${number}: ${finding.what}`);
      }
    } catch (error) {
      const code = errorCode(error) ?? 'unknown error';
      terminal.error(`${file} cannot be read (${code}).`);
      return 2;
    }
  }
  if (problems > 0) {
    terminal.error(`${problems} of ${lines} lines do not fit.`);
    return 1;
  }
  terminal.out(`The audit is whole: lines ${lines}, chains ${verifier.chains}.`);
  return 0;
}
