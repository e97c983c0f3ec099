import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, KIB, Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { Gate, mime } from '../../soap/index.js';
import { encryption, type MessageVerifier } from '../../wss/index.js';
import type { MessageGate } from '../http/receive.js';
import type { RequestVerification } from './held-reply.js';

type MessageDecryption = encryption.MessageDecryption | encryption.PackageDecryption;

/** Decrypts a message in front of its gate, which reads it as any other one. */
export class DecryptingGate implements MessageGate, RequestVerification {
  readonly decryption: MessageDecryption;
  readonly #gate: Gate;
  readonly #readers: SoapService['readers'];
  /** When the first bytes came, and the last ones so far; how many there are. */
  #firstMillis: number | null = null;
  #lastMillis = 0;
  #bytes = 0;
  #isOver = false;
  #waiting: (() => void)[] = [];

  /** The output of `decryption` is the gate. */
  constructor(
    decryption: MessageDecryption,
    gate: Gate,
    { readers }: Pick<SoapService, 'readers'>,
  ) {
    this.#readers = readers;
    this.decryption = decryption;
    this.#gate = gate;
  }

  get hasWork(): boolean {
    return this.decryption.hasWork || this.#gate.hasWork;
  }

  /** What a failure is charged with: it depends on the visible parts of the message alone. */
  get chargedMillis(): number {
    return KEY_MILLIS * Math.max(1, this.decryption.keyCount) + this.#bytes / BYTES_PER_MILLI;
  }

  /** Whether content is decrypted that is not verified yet. */
  get isUnverified(): boolean {
    return this.decryption.isEncrypted && !this.decryption.isVerified;
  }

  /** What is answered depends on the end of the message. */
  get readsOn(): boolean {
    return this.isUnverified && !this.#isOver;
  }

  work(): void {
    this.#attempt(() => (this.decryption.hasWork ? this.decryption : this.#gate).work());
  }

  write(chunk: Buffer): void {
    this.#lastMillis = performance.now();
    this.#firstMillis ??= this.#lastMillis;
    this.#bytes += chunk.length;
    this.#attempt(() => this.decryption.write(chunk));
    if (this.#waiting.length > 0 && !this.isUnverified) {
      this.#settle();
    }
  }

  end(): void {
    this.#attempt(() => this.decryption.end());
    this.over();
  }

  /** Nothing more of the message comes. */
  over(): void {
    this.#isOver = true;
    this.#settle();
  }

  /** A Fault of the gateway, encrypted with the key of the request once that is verified. */
  sealFault(fault: Buffer): Buffer {
    const { bodyKey, isVerified } = this.decryption;
    if (bodyKey === null || !isVerified) return fault;
    const change = encryption.encryptAnswer(bodyKey, this.#readers);
    return Buffer.concat([change.write(fault), change.end()]);
  }

  /** Resolves once the content is verified, or cannot be. */
  settled(): Promise<void> {
    return this.readsOn ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /**
   * Resolves when a failure of decryption is answered: after a time that depends on the length of
   * the message alone, and not on what was found in it.
   */
  async awaitAnswer(): Promise<void> {
    const firstMillis = this.#firstMillis ?? performance.now();
    const workMillis = this.#bytes / BYTES_PER_MILLI;
    let dueMillis = ANSWER_MILLIS + Math.max(firstMillis + workMillis, this.#lastMillis);
    const lateMillis = Math.max(0, performance.now() - dueMillis);
    dueMillis += Math.ceil(lateMillis / ANSWER_MILLIS) * ANSWER_MILLIS;
    // Timers count from the beginning of a turn of the event loop: the first one may come early.
    for (let restMillis = ANSWER_MILLIS; restMillis > 0; ) {
      restMillis = dueMillis - performance.now();
      if (restMillis > 0) await setTimeout(Math.floor(restMillis) + 1);
    }
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (caught) {
      this.over();
      throw caught;
    }
  }

  #settle(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) {
      resolve();
    }
  }
}

/** Failures of decryption are answered so late at least: later than keys take to be opened. */
const ANSWER_MILLIS = 50;
/** A message is decrypted and read faster than this, unless the machine is overloaded. */
const BYTES_PER_MILLI = 24 * KIB;
/** The time of the event loop that a failure is charged with for each key, and by the length. */
const KEY_MILLIS = 2;

/**
 * The refusal of a message that may be encrypted, once it may be told: until the content is
 * verified, all failures are those of decryption, whatever caused them, and are answered at the
 * same time. `body` is the rest of a message that flows, which nothing else takes any more.
 */
export async function refusalOfEncrypted(
  caught: unknown,
  gate: DecryptingGate,
  exchange: Pick<Exchange, 'workMillis'>,
  body: Readable | null,
): Promise<Refusal> {
  body?.destroy();
  await gate.settled();
  const refusal = asRefusal(caught);
  const isOfCall = body !== null && gate.isUnverified && refusal.code !== 'CLIENT_GONE';
  const told = isOfCall
    ? new Refusal('wsse:FailedCheck', `decryption: not verified: ${refusal.code}`)
    : refusal;
  if (told.code === 'wsse:FailedCheck') {
    // Neither the answer nor the delay of those that follow depends on what was found.
    exchange.workMillis = gate.chargedMillis;
    await gate.awaitAnswer();
  }
  return told;
}

/** How a message is read. */
interface DecryptedHead {
  /** Null for an envelope that comes as it is. */
  readonly package: mime.PackageType | null;
  readonly charset: string | null;
}

/** Decrypts a message before its gate; null where that is not configured. */
export function decryptionOf(
  rules: encryption.DecryptionRules | null,
  service: SoapService,
  { package: type, charset }: DecryptedHead,
  gate: Gate,
  verifier: MessageVerifier | null,
): MessageDecryption | null {
  if (rules === null) return null;
  const options = {
    rules,
    headBytes: gate.headBytes,
    windowBytes: gate.windowBytes,
    readers: service.readers,
    charset,
    verifier,
    output: gate,
  };
  if (type === null) return new encryption.MessageDecryption(options);
  const { mimeLimits: limits, xmlLimits, heldBytes: bufferBytes } = service;
  const bounds = { limits, messageBytes: xmlLimits.messageBytes };
  return new encryption.PackageDecryption({ ...options, type, bounds, bufferBytes });
}
