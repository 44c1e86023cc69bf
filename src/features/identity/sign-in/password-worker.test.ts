import { expect, it } from 'vitest';
import { hashPassword } from './password.ts';
import { PasswordWorker } from './password-worker.ts';

it('starts a new thread after an error, and the exit of the old one does not affect it', async () => {
  const passwords = new PasswordWorker();
  const password = 'correct horse battery';
  const encoded = hashPassword(password);
  await expect(passwords.hash('short')).rejects.toThrow('at least 12 characters');
  expect(await passwords.verify(password, encoded)).toBe(true);
});
