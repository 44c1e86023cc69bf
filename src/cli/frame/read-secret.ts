import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from './context.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const maxBytes = 64 * 1024;

/** The origin of a secret: the named file, or else stdin. */
interface SecretSource {
  /** The flag that names a file, for messages. */
  readonly flag: string;
  readonly file: string | undefined;
}

/**
 * Reads a secret from a file or from stdin, without its final line break. It is never a flag, because `ps` shows
 * flags. @throws UsageError
 */
export async function readSecret(
  { cwd, terminal }: Pick<CommandContext, 'cwd' | 'terminal'>,
  { flag, file }: SecretSource,
): Promise<string> {
  const name = `The secret for ${flag}`;
  const secret =
    file === undefined
      ? await readPipedSecret(terminal, {
          name,
          maxBytes,
          hint: `${flag} was not given. Name a file with it, or pipe the secret.`,
        })
      : await fromFile(resolve(cwd, file), flag);
  if (secret === '') throw new UsageError(`${name} is empty.`);
  return secret;
}

/** A secret that is piped to stdin. */
interface PipedSecret {
  /** Begins the error messages: `The password`. */
  readonly name: string;
  readonly maxBytes: number;
  /** The instruction for a person if stdin is a terminal. */
  readonly hint: string;
}

/** Reads a secret from stdin, without its final line break. Never prompts. @throws UsageError */
export async function readPipedSecret(
  { stdin }: Pick<Terminal, 'stdin'>,
  { name, maxBytes: max, hint }: PipedSecret,
): Promise<string> {
  if (stdin.isTTY === true) {
    throw new UsageError(`${name} must be piped to stdin, but stdin is a terminal.`, hint);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > max) throw tooLong(name, max);
    chunks.push(bytes);
  }
  return withoutLineBreak(Buffer.concat(chunks));
}

async function fromFile(path: string, flag: string): Promise<string> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) {
    throw new UsageError(`The file of ${flag} cannot be read.`, `Check that ${path} exists and is readable.`);
  }
  if (bytes.length > maxBytes) throw tooLong(`The secret for ${flag}`, maxBytes);
  return withoutLineBreak(bytes);
}

function withoutLineBreak(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

function tooLong(name: string, max: number): UsageError {
  return new UsageError(`${name} is longer than ${max} bytes.`);
}
