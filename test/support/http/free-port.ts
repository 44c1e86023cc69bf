import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The first port that the system gives to connections and to servers without a port of their own (Linux: 32768, other
 * systems: more).
 */
const firstOfSystem = 32_768;
/** Above the ports that `fetch` refuses, of which 10080 is the last. */
const first = 12_000;

/**
 * Returns a free port of 127.0.0.1 for a server that starts later. It is none that the system gives away meanwhile, so
 * only another caller could take it: one of some 20,000.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, firstOfSystem);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
