import { expect, it } from 'vitest';
import { hashPassword } from './password.ts';
import { PasswordWorker } from './password-worker.ts';

it('goes on in another thread after a fault, whose end takes nothing of the new one along', async () => {
  const passwords = new PasswordWorker();
  const password = 'correct horse battery';
  const encoded = hashPassword(password);
  await expect(passwords.hash('short')).rejects.toThrow('at least 12 characters');
  expect(await passwords.verify(password, encoded)).toBe(true);
});
