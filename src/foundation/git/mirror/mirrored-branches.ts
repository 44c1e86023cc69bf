import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../process/git-error.ts';
import { gitOutput } from '../process/spawn-git.ts';

/** A branch of a mirror and its commit. */
export interface MirroredBranch {
  readonly name: string;
  readonly commit: string;
}

/** The mirror's ref of its default branch, independent of the name: so `a/b` after `a` is no conflict. */
export const mirroredRef = 'refs/orgctx/source';
/** The folder of the further branches, by their names. */
const branchesFolder = 'refs/orgctx/branches/';
/** Configuration key that stores the name of the default branch, since its ref does not contain it. */
const nameKey = 'orgctx.branch';

/** Returns the ref of a further branch. */
export function branchRefOf(branch: string): string {
  return `${branchesFolder}${branch}`;
}

/**
 * Returns the branches of a mirror: the default branch first (`HEAD` if the source has none checked out), the others
 * by name.
 * @throws GitError `damaged` if the mirror no longer has its default branch or its name
 */
export async function mirroredBranches(gitDir: string): Promise<[MirroredBranch, ...MirroredBranch[]]> {
  const [commits, name] = await Promise.all([branchCommits(gitDir), defaultName(gitDir)]);
  const commit = commits.get(mirroredRef);
  if (commit === undefined || name === '') throw damaged();
  const further = [...commits].filter(([ref]) => ref !== mirroredRef);
  return [
    { name, commit },
    ...further.map(([ref, id]) => ({ name: ref.slice(branchesFolder.length), commit: id })),
  ];
}

async function defaultName(gitDir: string): Promise<string> {
  const output = await gitOutput(gitDir, ['config', '--local', '--default', '', '--get', nameKey]);
  return output.toString('utf8').trim();
}

function damaged(): GitError {
  return new GitError(
    'damaged',
    'The copy of the repository is damaged. Sync the repository to copy it again.',
  );
}

/** Returns the commits of the branches by their refs. */
async function branchCommits(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const format = '--format=%(objecttype) %(objectname) %(refname)';
  const reading = gitOutput(gitDir, ['for-each-ref', format, mirroredRef, branchesFolder]);
  const output = await reading.catch((error: unknown) => {
    // Git fails if a commit of a branch is missing.
    throw error instanceof GitError && error.reason === 'damaged' ? damaged() : error;
  });
  const refs = output.toString('utf8').split('\n');
  const commits = refs.map((line) => line.split(' ')).filter(([type]) => type === 'commit');
  return new Map(commits.map(([, commit = '', ref = '']) => [ref, commit]));
}

/** Stores the name of the default branch. Only one writer at a time. */
export async function nameDefaultBranch(gitDir: string, name: string): Promise<void> {
  await gitOutput(gitDir, ['config', '--local', nameKey, name]);
}

/**
 * Deletes the further branches other than these. Must run before a fetch, because `a` may have been deleted to make
 * room for `a/b`.
 */
export async function keepBranches(gitDir: string, names: readonly string[]): Promise<void> {
  const output = await gitOutput(gitDir, ['for-each-ref', '--format=%(refname)', branchesFolder]);
  const kept = new Set(names.map(branchRefOf));
  const gone = output
    .toString('utf8')
    .split('\n')
    .filter((ref) => ref !== '' && !kept.has(ref));
  if (gone.length === 0) return;
  const input = gone.map((ref) => `delete ${ref}\n`).join('');
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input });
}

/**
 * Removes locks that a killed fetch left on refs and configuration. No other process may be writing to the
 * repository.
 */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  const refs = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  // A ref name cannot end in `.lock` (git-check-ref-format(1)).
  const locks = refs.filter((name) => name.endsWith('.lock')).map((name) => join('refs', name));
  const files = ['HEAD.lock', 'config.lock', 'packed-refs.lock', 'shallow.lock', ...locks];
  await Promise.all(files.map((name) => rm(join(gitDir, name), { force: true })));
}
