import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InvalidInput } from '../../kernel/errors.ts';
import { pathExists } from '../../kernel/path-exists.ts';
import { invalidField } from '../../kernel/wire/invalid-field.ts';
import { readsFrom } from './reads-from.ts';

export interface FolderRules {
  /** DATA_DIR, which contains the mirrors of every organization: no folder inside it is a source. */
  readonly dataDir: string;
  /**
   * True for the operator of the host. Other callers must not learn whether a folder exists or what it is. Default:
   * false.
   */
  readonly explainFolders?: boolean;
}

/**
 * Returns the real path of a folder that is a Git repository, with a work tree or bare, and reads nothing from
 * DATA_DIR.
 * @throws InvalidInput naming the fix if the rules explain folders; otherwise the same message for every error, with
 * the original as its cause.
 */
export async function checkFolder(folder: string, rules: FolderRules): Promise<string> {
  try {
    return await repositoryAt(folder, rules.dataDir);
  } catch (error) {
    if (rules.explainFolders === true) throw error;
    const advice = 'it must be the root of a Git repository that this service may read; ask the operator';
    throw problem(`The folder cannot be added: ${advice}`, error);
  }
}

async function repositoryAt(folder: string, dataDir: string): Promise<string> {
  const path = await realpath(folder).catch((cause: unknown) => {
    throw problem(
      `${folder} cannot be opened: check that the folder exists on this host and can be read`,
      cause,
    );
  });
  if (await readsFrom(dataDir, path)) {
    throw problem(`${path} leads into the data folder of this service: name the repository's own source`);
  }
  if (await isRepository(path)) return path;
  const root = await repositoryAbove(path);
  throw problem(
    root === undefined
      ? `${path} is not a Git repository: run "git init" and commit there, or name another folder`
      : `${path} is inside the Git repository ${root}: add that folder`,
  );
}

/**
 * Returns whether a folder is a repository: with a work tree it contains `.git` (a file in a linked work tree); a
 * bare one has that layout itself.
 */
async function isRepository(path: string): Promise<boolean> {
  if (await pathExists(join(path, '.git'))) return true;
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => pathExists(join(path, name))));
  return parts.every(Boolean);
}

async function repositoryAbove(path: string): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent === path) return undefined;
  return (await isRepository(parent)) ? parent : repositoryAbove(parent);
}

function problem(message: string, cause?: unknown): InvalidInput {
  return invalidField('source', message, `${message}.`, { cause });
}
