import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach } from 'vitest';
import { isInsideTransaction } from '../../src/foundation/kernel/inside-transaction.ts';

/**
 * For every test of the project: whatever opens a socket or starts a process inside a database transaction fails the
 * test it happens in, by whatever library and however its error was swallowed. The driver's own connections are let be.
 */
const begun: string[] = [];

const watched = {
  'net.client.socket': () => note('A socket was opened'),
  child_process: () => note('A process was started'),
};
for (const [channel, hear] of Object.entries(watched)) subscribe(channel, hear);

afterAll(() => {
  for (const [channel, hear] of Object.entries(watched)) unsubscribe(channel, hear);
});

afterEach(() => {
  const [first] = begun.splice(0);
  if (first !== undefined) throw new Error(first);
});

function note(what: string): void {
  if (!isInsideTransaction()) return;
  const { stack = '' } = new Error(`${what} inside a database transaction`);
  if (!/node_modules\/pg(?:-pool)?\//.test(stack)) begun.push(stack);
}
