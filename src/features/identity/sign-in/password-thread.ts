import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../../foundation/kernel/lower-priority.ts';
import { hashPassword, verifyPassword } from './password.ts';
import type { PasswordResult, PasswordTask } from './password-worker.ts';

/* Entry point of the thread that hashes passwords, one at a time and with low priority. */
lowerPriority();

parentPort?.on('message', (task: PasswordTask) => {
  const reply: PasswordResult = { id: task.id, result: perform(task) };
  parentPort?.postMessage(reply, []);
});

function perform({ password, encoded }: PasswordTask): PasswordResult['result'] {
  return encoded === undefined ? hashPassword(password) : verifyPassword(password, encoded);
}
