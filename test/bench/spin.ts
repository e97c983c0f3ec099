/**
 * A busy neighbour: `node spin.js MILLIS` keeps one processor busy for so long, or until its parent
 * has gone.
 */
const endMillis = performance.now() + Number(process.argv[2] ?? '0');

function spin(): void {
  const sliceMillis = performance.now() + 20;
  while (performance.now() < sliceMillis);
  if (performance.now() < endMillis) setImmediate(spin);
  else process.disconnect?.();
}

process.on('disconnect', () => process.exit());
spin();
