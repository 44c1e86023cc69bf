import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InvalidInput } from '../kernel/errors.ts';
import { invalidField } from '../kernel/invalid-field.ts';
import { pathExists } from '../kernel/path-exists.ts';
import { readsFrom } from './reads-from.ts';

export interface FolderRules {
  /** DATA_DIR, which holds the mirrors of every organization: no folder in there is a source. */
  readonly dataDir: string;
  /** True for whoever runs the host: others are not told what a folder is, or whether there is one. */
  readonly explainFolders?: boolean;
}

/**
 * The real path of a folder that is a Git repository, with a work tree or bare, and reads nothing of DATA_DIR.
 * @throws InvalidInput naming the fix where the rules explain folders; else one and the same for every fault, which
 * stays its cause.
 */
export async function checkFolder(folder: string, rules: FolderRules): Promise<string> {
  try {
    return await repositoryAt(folder, rules.dataDir);
  } catch (error) {
    if (rules.explainFolders === true) throw error;
    const advice = 'it must be the root of a Git repository that this service may read; ask whoever runs it';
    throw fault(`The folder cannot be added: ${advice}`, error);
  }
}

async function repositoryAt(folder: string, dataDir: string): Promise<string> {
  const path = await realpath(folder).catch((cause: unknown) => {
    throw fault(
      `${folder} cannot be opened: check that the folder exists on this host and can be read`,
      cause,
    );
  });
  if (await readsFrom(dataDir, path)) {
    throw fault(`${path} leads into the data folder of this service: name the repository's own source`);
  }
  if (await isRepository(path)) return path;
  const root = await repositoryAbove(path);
  throw fault(
    root === undefined
      ? `${path} is no Git repository: run "git init" and commit there, or name another folder`
      : `${path} lies inside the Git repository ${root}: add that folder`,
  );
}

/** A repository with a work tree has `.git` (a file in a linked work tree); a bare one is such a folder itself. */
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

function fault(message: string, cause?: unknown): InvalidInput {
  return invalidField('source', message, `${message}.`, { cause });
}
