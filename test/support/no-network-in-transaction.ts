import { subscribe } from 'node:diagnostics_channel';
import { afterEach } from 'vitest';
import { isInsideTransaction } from '../../src/foundation/kernel/inside-transaction.ts';

/**
 * For every test of the project: whatever opens a socket or starts a process inside a database transaction fails the
 * test it happens in, by whatever library and however its error was swallowed. The driver's own connections are let be.
 */
const begun: string[] = [];

subscribe('net.client.socket', () => note('A socket was opened'));
subscribe('child_process', () => note('A process was started'));

afterEach(() => {
  const [first] = begun.splice(0);
  if (first !== undefined) throw new Error(first);
});

function note(what: string): void {
  if (!isInsideTransaction()) return;
  const { stack = '' } = new Error(`${what} inside a database transaction`);
  if (!/node_modules\/pg(?:-pool)?\//.test(stack)) begun.push(stack);
}
