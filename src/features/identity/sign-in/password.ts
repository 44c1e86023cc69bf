import { type Argon2Parameters, argon2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

const minLength = 12;
/** Maximum length of a password, in bytes. Longer ones only take time. */
const maxBytes = 1024;

/** Cost of Argon2id as OWASP recommends for password storage: 19 MiB, 2 passes, 1 lane. Built into Node since 24.7. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

const encoded =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,88})$/;

/** Validates a new password. @throws InvalidInput */
export function checkNewPassword(password: string): void {
  if (password.length >= minLength && passwordBytes(password).length <= maxBytes) return;
  const error = `must be at least ${minLength} characters and at most ${maxBytes} bytes long`;
  throw invalidField('password', error, `The password ${error}.`);
}

/**
 * Returns the password as an encoded Argon2id hash (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`). Blocks the thread for tens
 * of milliseconds; a server must use `password-hashing.ts` instead.
 * @throws InvalidInput
 */
export function hashPassword(password: string): string {
  checkNewPassword(password);
  const message = passwordBytes(password);
  const nonce = randomBytes(16);
  const hash = argon2Sync('argon2id', { message, nonce, ...cost });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(hash)}`;
}

/** Returns whether `password` matches an encoded hash, with the cost stated in the hash. As slow as hashing. */
export function verifyPassword(password: string, hash: string): boolean {
  const message = passwordBytes(password);
  const [, memory, passes, parallelism, salt, tag] = encoded.exec(hash) ?? [];
  if (salt === undefined || tag === undefined || message.length > maxBytes) return false;
  const expected = Buffer.from(tag, 'base64');
  const parameters: Argon2Parameters = {
    message,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  };
  return timingSafeEqual(argon2Sync('argon2id', parameters), expected);
}

/** Normalizes a password, so that equivalent Unicode forms match (NIST SP 800-63B section 5.1.1.2). */
function passwordBytes(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'), 'utf8');
}

function unpadded(bytes: Buffer): string {
  return withoutEnd(bytes.toString('base64'), '=');
}
