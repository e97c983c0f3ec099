import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';

import type { GatewayProcess, ProcessOptions } from './gateway-process.js';

/** A time for which an event loop ran nothing else. */
export interface LoopHold {
  readonly millis: number;
  /** Processor time of the process meanwhile: less where other processes had the processor. */
  readonly cpuMillis: number;
}

/** Longer than the ticks of the probe. */
const TICKS_MILLIS = 5;

/**
 * The times for which the event loop of a gateway process was held, as a probe in that process
 * writes them down.
 */
export class LoopHolds {
  readonly #folder: string;
  /** Lines taken of each process's file: several processes write at a time. */
  readonly #taken = new Map<string, number>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<LoopHolds> {
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-loop-'));
    t.teardown(() => rm(folder, { recursive: true }));
    return new LoopHolds(folder);
  }

  /** For the process that is watched. */
  get options(): ProcessOptions {
    return {
      nodeOptions: ['--import', new URL('../bench/loop-gap.js', import.meta.url).href],
      environment: { LOOP_GAPS: this.#folder },
    };
  }

  /** The longest one since the last call. */
  async take({ adminUrl }: Pick<GatewayProcess, 'adminUrl'>): Promise<LoopHold> {
    // Answered behind what holds the loop now.
    await (await fetch(`${adminUrl}/ready`)).arrayBuffer();
    await wait(TICKS_MILLIS);
    const holds = readdirSync(this.#folder).flatMap((name): LoopHold[] => {
      const lines = readFileSync(join(this.#folder, name), 'utf8').trimEnd().split('\n');
      const fresh = lines.slice(this.#taken.get(name) ?? 0);
      this.#taken.set(name, lines.length);
      return fresh.map((line) => {
        const [, millis, cpuMillis] = line.split(' ').map(Number);
        return { millis: millis ?? 0, cpuMillis: cpuMillis ?? 0 };
      });
    });
    return holds.reduce((longest, hold) => (hold.millis > longest.millis ? hold : longest), {
      millis: 0,
      cpuMillis: 0,
    });
  }
}
