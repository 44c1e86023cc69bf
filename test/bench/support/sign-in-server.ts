import { setTimeout as sleep } from 'node:timers/promises';
import { openPasswordHashing } from '../../../src/features/identity/sign-in/password-hashing.ts';
import {
  type PasswordHashes,
  PasswordWorker,
} from '../../../src/features/identity/sign-in/password-worker.ts';
import { createLogger } from '../../../src/foundation/telemetry/logger.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { freePort } from '../../support/http/free-port.ts';
import { openTestPages } from '../../support/http/pages.ts';

/**
 * A server that `sign-in-flood.ts` measures, in a separate process: REST and pages over one SQLite database. With the
 * argument `timer` it does not hash; each hash is a timer of the configured length. The message `hashes` returns the
 * number of hashes since the last such message and their mean duration in milliseconds.
 */
const thread = new PasswordWorker();
const isTimer = process.argv[2] === 'timer';
let timerMs = 50;
let count = 0;
let total = 0;
const measured = async <T>(work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await work();
  count += 1;
  total += performance.now() - started;
  return result;
};
const hashes: PasswordHashes = {
  hash: (password) => measured(() => (isTimer ? sleep(timerMs, '') : thread.hash(password))),
  verify: (password, encoded) =>
    measured(() => (isTimer ? sleep(timerMs, false) : thread.verify(password, encoded))),
};
const log = createLogger({ level: 'fatal', name: 'bench', pretty: false, destination: 'stderr' });
const database = await openTestDatabase('sqlite');
const port = await freePort();
const baseUrl = `http://127.0.0.1:${port}`;
// The flood comes from many addresses like that of a botnet: a single address would be refused without a hash.
const { server, keys } = await openTestPages(database, {
  baseUrl,
  log,
  http: { trustProxy: true },
  hashing: openPasswordHashing(hashes),
});
await server.listen({ host: '127.0.0.1', port });
process.on('message', (message: 'hashes' | { readonly timerMs: number }) => {
  if (message === 'hashes') {
    process.send?.({ count, meanMs: total / count });
    count = 0;
    total = 0;
  } else timerMs = message.timerMs;
});
process.once('disconnect', () => process.exit());
process.send?.({ baseUrl, apiKey: keys.member });
