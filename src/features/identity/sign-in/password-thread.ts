import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashPassword, verifyPassword } from './password.ts';
import type { PasswordAnswer, PasswordTask } from './password-worker.ts';

/*
 * Entry of the thread that hashes passwords: one at a time, and with the processor's time that nothing else wants. Linux
 * takes the calling thread for process 0; elsewhere this would slow the whole service down.
 */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (task: PasswordTask) => {
  const answer: PasswordAnswer = { id: task.id, result: perform(task) };
  parentPort?.postMessage(answer, []);
});

function perform({ password, encoded }: PasswordTask): PasswordAnswer['result'] {
  return encoded === undefined ? hashPassword(password) : verifyPassword(password, encoded);
}
