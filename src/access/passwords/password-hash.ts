import { Buffer } from 'node:buffer';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** A hash of a password by scrypt (RFC 7914), with the parameters it was made with. */
export interface PasswordHash {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * `scrypt:LOG2_COST:BLOCK_SIZE:PARALLELIZATION:SALT:HASH`, the last two in base64url. The bounds
 * keep one verification below 128 MiB.
 */
export const PASSWORD_HASH =
  '^scrypt:1[4-7]:[1-8]:[1-4]:[A-Za-z0-9_-]{22,128}:[A-Za-z0-9_-]{43,128}$';

const FORM = new RegExp(PASSWORD_HASH);

/** Reads a hash; null for another text. */
export function parsePasswordHash(text: string): PasswordHash | null {
  if (!FORM.test(text)) return null;
  const [, log2 = '', blockSize = '', parallelization = '', salt = '', hash = ''] = text.split(':');
  return {
    cost: 2 ** Number(log2),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

/** Hashes a password with a new salt and the parameters that OWASP recommends for 32 MiB. */
export async function hashPassword(password: string): Promise<string> {
  const [log2, blockSize, parallelization] = [15, 8, 3];
  const salt = randomBytes(16);
  const hash = await derive(password, {
    cost: 2 ** log2,
    blockSize,
    parallelization,
    salt,
    hash: Buffer.alloc(32),
  });
  return [
    'scrypt',
    log2,
    blockSize,
    parallelization,
    salt.toString('base64url'),
    hash.toString('base64url'),
  ].join(':');
}

/** Whether a password has this hash. The work is done outside the event loop. */
export const isPasswordOf = async (password: string, expected: PasswordHash): Promise<boolean> =>
  timingSafeEqual(await derive(password, expected), expected.hash);

function derive(
  password: string,
  { cost, blockSize, parallelization, salt, hash }: PasswordHash,
): Promise<Buffer> {
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hash.length, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
