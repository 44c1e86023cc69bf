import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from './git-error.ts';
import { resolveCommit } from './objects.ts';
import { gitOutput } from './spawn-git.ts';

/** A branch of a mirror and the commit it is at. */
export interface MirroredBranch {
  readonly name: string;
  readonly commit: string;
}

/** The mirror's ref of its default branch, whatever that is called: `a/b` after `a` is no conflict then. */
export const mirroredRef = 'refs/orgctx/source';
/** The further branches, by their own names. */
const branchesFolder = 'refs/orgctx/branches/';
/** What the default branch is called at the source: its ref does not say. */
const nameKey = 'orgctx.branch';

/** The ref of a further branch. */
export function branchRefOf(branch: string): string {
  return `${branchesFolder}${branch}`;
}

/**
 * The branches of a mirror, the default one first (`HEAD` where the source has none checked out), the others by name.
 * @throws GitError `damaged` when the mirror has no default branch any more
 */
export async function mirroredBranches(gitDir: string): Promise<[MirroredBranch, ...MirroredBranch[]]> {
  const [commit, name, further] = await Promise.all([
    resolveCommit(gitDir, 'HEAD'),
    defaultName(gitDir),
    furtherBranches(gitDir),
  ]);
  if (commit === undefined) {
    throw new GitError('damaged', 'The copy of the repository is damaged: sync it to copy it again.');
  }
  return [{ name, commit }, ...further];
}

async function defaultName(gitDir: string): Promise<string> {
  // Mirrors of former releases do not know it until they are fetched again.
  const output = await gitOutput(gitDir, ['config', '--local', '--default', 'HEAD', '--get', nameKey]);
  return output.toString('utf8').trim();
}

async function furtherBranches(gitDir: string): Promise<MirroredBranch[]> {
  const format = '--format=%(objecttype) %(objectname) %(refname)';
  const output = await gitOutput(gitDir, ['for-each-ref', format, branchesFolder]);
  return output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [type, commit = '', ref = ''] = line.split(' ');
      return type === 'commit' ? [{ name: ref.slice(branchesFolder.length), commit }] : [];
    });
}

/** Notes the name of the default branch. One writer at a time. */
export async function nameDefaultBranch(gitDir: string, name: string): Promise<void> {
  await gitOutput(gitDir, ['config', '--local', nameKey, name]);
}

/** Drops further branches other than these, before a fetch: `a` may have gone to make room for `a/b`. */
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

/** Removes locks that a killed fetch left on refs and configuration. Nothing else may be writing to the repository. */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  const refs = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  // No ref ends in `.lock` (git-check-ref-format(1)).
  const locks = refs.filter((name) => name.endsWith('.lock')).map((name) => join('refs', name));
  const files = ['HEAD.lock', 'config.lock', 'packed-refs.lock', 'shallow.lock', ...locks];
  await Promise.all(files.map((name) => rm(join(gitDir, name), { force: true })));
}
