import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashPassword, verifyPassword } from './password.ts';
import type { PasswordResult, PasswordTask } from './password-worker.ts';

/*
 * Entry point of the thread that hashes passwords, one at a time and with low priority. On Linux `setPriority(0)`
 * applies to the calling thread; on other systems it would slow down the whole service.
 */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (task: PasswordTask) => {
  const reply: PasswordResult = { id: task.id, result: perform(task) };
  parentPort?.postMessage(reply, []);
});

function perform({ password, encoded }: PasswordTask): PasswordResult['result'] {
  return encoded === undefined ? hashPassword(password) : verifyPassword(password, encoded);
}
