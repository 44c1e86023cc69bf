import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dataFolder } from '../../kernel/data-folder.ts';
import { GitError, redactedOutput } from '../process/git-error.ts';
import type { GitSource } from '../source/git-source.ts';
import type { GitCredentials } from './git-credentials.ts';

/**
 * The askpass program, which Git calls with its question as the only argument (gitcredentials(7)). It answers exactly
 * two questions about one host, from the environment of the Git process that started it, and nothing else. The
 * password is therefore in no argument list, URL, file or configuration.
 */
const program = `#!/bin/sh
case "$1" in
"Username for '$ORGCTX_ASKPASS_ORIGIN': ")
  printf '%s\\n' "$ORGCTX_ASKPASS_USERNAME" ;;
"Password for '$ORGCTX_ASKPASS_ACCOUNT': " | "Password for '$ORGCTX_ASKPASS_ENCODED_ACCOUNT': ")
  printf '%s\\n' "$ORGCTX_ASKPASS_PASSWORD" ;;
*)
  exit 1 ;;
esac
`;

/** Returns the variables with which one Git process can authenticate at its source, and nowhere else. */
export async function askpassVariables(
  source: GitSource,
  { username, password }: GitCredentials,
  dataDir: string,
): Promise<Record<string, string>> {
  const { protocol, host } = new URL(source.url);
  return {
    GIT_ASKPASS: await askpassProgram(dataDir),
    ORGCTX_ASKPASS_ORIGIN: `${protocol}//${host}`,
    // Since version 2.48 Git encodes the name in its question.
    ORGCTX_ASKPASS_ACCOUNT: `${protocol}//${username}@${host}`,
    ORGCTX_ASKPASS_ENCODED_ACCOUNT: `${protocol}//${encodeURIComponent(username)}@${host}`,
    ORGCTX_ASKPASS_USERNAME: username,
    ORGCTX_ASKPASS_PASSWORD: password,
  };
}

/**
 * Writes the program if it is missing, different or not executable: the published package and some backups do not
 * preserve that permission.
 */
async function askpassProgram(dataDir: string): Promise<string> {
  const file = dataFolder(dataDir).askpass;
  if (await isInPlace(file)) return file;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, program, { mode: 0o700 });
  await rename(unfinished, file);
  return file;
}

async function isInPlace(file: string): Promise<boolean> {
  try {
    return (await readFile(file, 'utf8')) === program && ((await stat(file)).mode & 0o100) !== 0;
  } catch {
    return false;
  }
}

/** Returns the error of a Git that could not start the program. Otherwise it would look like missing credentials. */
export function askpassFailure(output: string): GitError | undefined {
  if (!/cannot (?:run|exec) \S{0,1000}askpass|askpass: Permission denied/.test(output)) return undefined;
  return new GitError(
    'failed',
    'The program DATA_DIR/git/askpass cannot be run. Mount DATA_DIR without "noexec"; the operation will be retried automatically.',
    { detail: { stderr: redactedOutput(output) } },
  );
}
