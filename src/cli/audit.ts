import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { errorCode } from '../core/index.js';
import { type ChainFinding, ChainVerifier } from '../observe/audit/audit-chain.js';
import { isMacOf } from '../observe/audit/chain-writer.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/** Problems that are printed. */
const PROBLEMS_MAX = 20;

export interface AuditOptions {
  /** Chains may begin in earlier files, which are not given. */
  readonly isContinued: boolean;
  /** Holds `audit.key`; null: signatures are not verified. */
  readonly keyFile: string | null;
}

/**
 * Verifies the chains of audit files, in the order given: 0 whole, 1 changed or incomplete, 2 not
 * to be read.
 */
export async function verifyAudit(
  files: readonly string[],
  { isContinued, keyFile }: AuditOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const verifier = new ChainVerifier();
  const report = new Report(isContinued, terminal);
  let isSigned = false;
  let reading = keyFile ?? '';
  try {
    const key = keyFile === null ? null : (await readFile(keyFile, 'utf8')).replace(/\r?\n$/, '');
    for (const file of files) {
      reading = file;
      let number = 0;
      for await (const line of createInterface({
        input: createReadStream(file, 'utf8'),
        crlfDelay: Infinity,
      })) {
        number++;
        // Processes that start together may each end a line that was cut.
        if (line === '') continue;
        const place = `${file}:${number}`;
        report.lines++;
        report.add(place, verifier.check(line, place));
        isSigned ||= line.includes(',"mac":"');
        if (key === null) continue;
        const isGenuine = isMacOf(line, key);
        if (isGenuine === null) {
          report.add(place, { kind: 'broken', what: 'has no signature' });
        } else if (!isGenuine) {
          report.add(place, { kind: 'broken', what: 'is not signed with this key' });
        }
      }
    }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    terminal.error(`${reading} cannot be read (${code}).`);
    return 2;
  }
  for (const { place, ...finding } of verifier.finish()) {
    report.add(place, finding);
  }
  for (const place of verifier.gaps) {
    terminal.out(
      `${place}: a process ended in the middle of this line, which the next one recorded.`,
    );
  }
  if (isSigned && keyFile === null) {
    terminal.out('Lines are signed: --key-file FILE verifies that with `audit.key`.');
  }
  return report.end(verifier.chains, verifier.gaps.length);
}

/** Prints what was found. */
class Report {
  lines = 0;
  #problems = 0;
  #earlier = 0;
  readonly #isContinued: boolean;
  readonly #terminal: Terminal;

  constructor(isContinued: boolean, terminal: Terminal) {
    this.#isContinued = isContinued;
    this.#terminal = terminal;
  }

  add(place: string, finding: ChainFinding | null): void {
    if (finding === null) return;
    const { kind, what } = finding;
    if (kind === 'earlier') {
      this.#earlier++;
    }
    if (kind === 'earlier' && this.#isContinued) {
      this.#terminal.out(`${place}: ${what}`);
    } else if (++this.#problems <= PROBLEMS_MAX) {
      this.#terminal.error(`${place}: ${what}`);
    }
  }

  end(chains: number, gaps: number): ExitCode {
    if (this.#problems === 0) {
      this.#terminal.out(
        `The audit is ${gaps === 0 ? 'whole' : `unchanged, with ${gaps} recorded gaps`}: ` +
          `lines ${this.lines}, chains ${chains}, from earlier files ${this.#earlier}.`,
      );
      return 0;
    }
    this.#terminal.error(`${this.#problems} findings in ${this.lines} lines.`);
    if (this.#earlier > 0 && !this.#isContinued) {
      this.#terminal.error(
        'Lines before these are missing. If they stand in files that are not ' +
          'given, add --continued.',
      );
    }
    return 1;
  }
}
