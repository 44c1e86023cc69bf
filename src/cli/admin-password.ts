import type { Terminal } from './frame/terminal.ts';
import { UsageError } from './frame/usage-error.ts';

const maxLength = 4096;

/** The secret piped to stdin, without its last line break. Never prompted for, and never a flag: `ps` shows flags. */
export async function readSecretFromStdin({ stdin }: Terminal): Promise<string> {
  if (stdin.isTTY === true) {
    throw new UsageError(
      'The password is read from stdin, which is a terminal.',
      'Pipe it: orgctx admin create … --password-stdin < password.txt',
    );
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > maxLength) throw new UsageError(`The password on stdin is longer than ${maxLength} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
