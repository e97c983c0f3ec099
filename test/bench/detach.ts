/**
 * Puts this process into the state that long-running ones are in: once any buffer has been detached
 * (by memory of WebAssembly that grows, by a transfer), V8 checks every access to a typed array.
 * Figures without it would flatter.
 */
export function detachBuffer(): void {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
}
