import { Buffer } from 'node:buffer';

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** The order of the words, the shifts and the constant of each round. */
const ROUNDS = [
  {
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
    constant: 0,
  },
  {
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
    constant: 0x5a827999,
  },
  {
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
    constant: 0x6ed9eba1,
  },
] as const;

/** MD4 (RFC 1320). NTLM derives its keys with it; the OpenSSL of Node has it no longer. */
export function md4(message: Buffer): Buffer {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = Buffer.alloc(blocks * BLOCK_BYTES);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(message.length) * 8n, padded.length - LENGTH_BYTES);
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    state = withBlock(state, padded, at);
  }
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) {
    digest.writeUInt32LE(word >>> 0, index * 4);
  }
  return digest;
}

type State = readonly [number, number, number, number];

function withBlock(before: State, bytes: Buffer, at: number): State {
  let [a, b, c, d] = before;
  for (const [round, { order, shifts, constant }] of ROUNDS.entries()) {
    for (const [step, word] of order.entries()) {
      const sum = (a + mixed(round, b, c, d) + bytes.readUInt32LE(at + word * 4) + constant) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
    }
  }
  return [(a + before[0]) | 0, (b + before[1]) | 0, (c + before[2]) | 0, (d + before[3]) | 0];
}

function mixed(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d);
  return round === 1 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
}
