import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach } from 'vitest';
import { isInsideTransaction } from '../../../src/foundation/kernel/inside-transaction.ts';

/**
 * Fails every test of the project that opens a socket or starts a process inside a database transaction, in any library
 * and even if the error is swallowed. Connections of the database driver are allowed.
 */
const violations: string[] = [];

const watched = {
  'net.client.socket': () => recordViolation('A socket was opened'),
  child_process: () => recordViolation('A process was started'),
};
for (const [channel, listener] of Object.entries(watched)) subscribe(channel, listener);

afterAll(() => {
  for (const [channel, listener] of Object.entries(watched)) unsubscribe(channel, listener);
});

afterEach(() => {
  const [first] = violations.splice(0);
  if (first !== undefined) throw new Error(first);
});

function recordViolation(what: string): void {
  if (!isInsideTransaction()) return;
  const { stack = '' } = new Error(`${what} inside a database transaction`);
  if (!/node_modules\/pg(?:-pool)?\//.test(stack)) violations.push(stack);
}
