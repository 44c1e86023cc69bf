import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requestComparison } from '../../../src/features/mirror/change-store.ts';
import type { MirrorDeps } from '../../../src/features/mirror/mirror-deps.ts';
import { mirrorCommit } from '../../../src/features/mirror/tasks.ts';
import type { MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import { startGitHttpServer } from '../../standins/git-http-server.ts';
import type { Random } from '../connectors/random.ts';
import type { TestDatabase } from '../database/databases.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { createRemote, type MirrorRemote } from './mirror-remote.ts';

/** How a process reaches the context repository. */
export interface BranchAccess {
  readonly allowHosts: readonly string[];
  readonly credentials: { readonly username: string; readonly password: string };
}

/** A context repository on a Git host over HTTP, which other people change and which refuses now and then. */
export interface ChangedBranch extends AsyncDisposable {
  readonly remote: MirrorRemote;
  readonly source: string;
  readonly access: BranchAccess;
  /** Does something that people do with a branch, and tells the mirror of it as a webhook does, or not. */
  change(database: TestDatabase, targetId: MirrorTargetId, random: Random): Promise<void>;
  /** Refuses pushes or credentials from now on, or no longer. */
  refuse(random: Random): void;
  /** Ends every refusal, commits the files of people and lets the time of the next attempt come. */
  settle(database: TestDatabase, targetId: MirrorTargetId): Promise<void>;
}

/** What people have in the repository in the end, also inside the folders of connectors. */
export const ownFiles = { 'README.md': 'last', 'tracker/notes.md': 'last', 'oncall/runbook.md': 'last' };

const credentials = { username: 'orgctx', password: 'a-token-that-works' };
const identity = ['-c', 'user.name=Person', '-c', 'user.email=person@example.com'];

export async function openChangedBranch(): Promise<ChangedBranch> {
  const root = temporaryFolder();
  const host = await startGitHttpServer({ root });
  host.credentials = credentials;
  const remote = createRemote(root);
  remote.commitByHand({ 'README.md': 'first' });

  const tipOf = () => remote.git('for-each-ref', '--format=%(objectname)', 'refs/heads/main').trim();
  const move = (to: string) => remote.git('update-ref', 'refs/heads/main', to);
  const commitTree = (tree: string, ...parents: readonly string[]) =>
    remote
      .git(...identity, 'commit-tree', tree, ...parents.flatMap((each) => ['-p', each]), '-m', 'By hand')
      .trim();

  /** Commits on the tip: `null` deletes a file. A worker may push meanwhile; then its push is overwritten. */
  function commit(files: Readonly<Record<string, string | null>>): void {
    const env = { ...process.env, GIT_INDEX_FILE: join(temporaryFolder(), 'index') };
    const git = (args: readonly string[], input = '') =>
      execFileSync('git', ['--git-dir', remote.folder, ...args], { encoding: 'utf8', env, input }).trim();
    const tip = tipOf();
    if (tip !== '') git(['read-tree', tip]);
    const entries = Object.entries(files).map(([path, text]) =>
      text === null
        ? `0 ${'0'.repeat(40)}\t${path}\0`
        : `100644 ${git(['hash-object', '-w', '--stdin'], text)}\t${path}\0`,
    );
    git(['update-index', '-z', '--index-info'], entries.join(''));
    move(commitTree(git(['write-tree']), ...(tip === '' ? [] : [tip])));
  }

  const mirroredPaths = (): readonly string[] =>
    tipOf() === ''
      ? []
      : remote
          .git('ls-tree', '-r', '-z', '--name-only', 'main')
          .split('\0')
          .filter((path) => path !== '' && !(path in ownFiles));
  const history = (): readonly string[] =>
    tipOf() === '' ? [] : remote.git('rev-list', 'main').trim().split('\n');

  const changes: readonly ((random: Random) => void)[] = [
    // A forced push to an older commit.
    (random) => move(random.pick(history()) ?? ''),
    // A revert to an older state.
    (random) => move(commitTree(`${random.pick(history()) ?? ''}^{tree}`, tipOf())),
    // A history that is rewritten to one commit.
    () => move(commitTree('main^{tree}')),
    (random) => {
      const paths = random.shuffle(mirroredPaths()).slice(0, 1 + random.below(8));
      commit(
        Object.fromEntries(paths.map((path) => [path, random.below(2) === 0 ? null : 'edited by hand'])),
      );
    },
    (random) => {
      const path = random.pick(Object.keys(ownFiles)) ?? '';
      commit({ [path]: `${random.below(1_000)}` });
    },
    () => remote.git('update-ref', '-d', 'refs/heads/main'),
    () => {
      rmSync(remote.folder, { recursive: true, maxRetries: 5, retryDelay: 20 });
      createRemote(dirname(remote.folder));
    },
  ];

  return {
    remote,
    source: `${host.origin}/context.git`,
    access: { allowHosts: [`127.0.0.1:${host.port}`], credentials },
    async change({ queries }, targetId, random) {
      const change = random.pick(
        changes.slice(tipOf() === '' ? 4 : 0, random.below(3) === 0 ? undefined : 5),
      );
      if (tipOf() === '') commit({ 'README.md': 'again' });
      else change?.(random);
      if (random.below(2) === 0) await requestComparison(queries, targetId, undefined);
    },
    refuse(random) {
      host.credentials = random.below(4) === 0 ? { ...credentials, password: 'another' } : credentials;
      host.behaviour =
        random.below(4) === 0
          ? { kind: 'decline', words: 'error: GH006: Protected branch update failed' }
          : { kind: 'well' };
    },
    async settle({ queries }, targetId) {
      host.credentials = credentials;
      host.behaviour = { kind: 'well' };
      commit(ownFiles);
      await requestComparison(queries, targetId, undefined);
      const ready = queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready');
      await ready.where('task', '=', mirrorCommit.name).execute();
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
}

/** Returns the dependencies of mirroring for such a branch. */
export function branchDeps({ allowHosts, credentials: given }: BranchAccess): Partial<MirrorDeps> {
  return { git: { dataDir: temporaryFolder(), allowHosts }, credentials: () => Promise.resolve(given) };
}
