import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MirrorDeps } from '../../../src/features/mirror/mirror-deps.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { findTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { GitError, type GitReason } from '../../../src/foundation/git/process/git-error.ts';
import { listJobs } from '../../../src/foundation/jobs/inspect/list-jobs.ts';
import { isPermanent } from '../../../src/foundation/jobs/retry-decision.ts';
import type { Worker } from '../../../src/foundation/jobs/worker/worker.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { SecretUnreadable } from '../../../src/foundation/secrets/secret-unreadable.ts';
import { type GitHttpServer, startGitHttpServer } from '../../standins/git-http-server.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import {
  mirrorDeps,
  mirrorWorker,
  presentTarget,
  queueFiles,
  runCommit,
  targetFor,
  waitingPaths,
} from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const password = 'a-token-that-no-one-knows';

/** Exhaustive by its type: a new reason must be classified here. */
type TransientReason = 'timed_out' | 'unreachable' | 'disk_full' | 'torn' | 'failed';
const permanentReasons: Readonly<Record<Exclude<GitReason, TransientReason>, true>> = {
  not_found: true,
  branch_not_found: true,
  empty: true,
  too_large: true,
  untrusted: true,
  redirected: true,
  damaged: true,
  authentication: true,
  push_forbidden: true,
  protected_branch: true,
  push_declined: true,
  archived: true,
  git_missing: true,
};

it('the documentation explains each permanent refusal, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/context-repositories.md'), 'utf8');
  const rows = page.match(/^\| `[^|]*\|/gm) ?? [];
  const named = rows.flatMap((row) => [...row.matchAll(/`git_(\w+)`/g)].map(([, reason = '']) => reason));
  // A missing branch is created, and an empty repository gets its first commit.
  const { branch_not_found: _missing, empty: _empty, ...documented } = permanentReasons;
  expect(rows.join()).not.toContain('secret_unreadable');
  expect(named.toSorted()).toEqual(Object.keys(documented).toSorted());
  for (const reason of Object.keys(permanentReasons)) {
    expect(isPermanent(new GitError(reason as GitReason, reason)), reason).toBe(true);
  }
  const place = { connectionId: 'c' as ConnectionId, field: 'token' } as const;
  expect(isPermanent(new SecretUnreadable(place, 'wrong_key'))).toBe(false);
});

describeEachDatabase('mirroring to a host that refuses', (open) => {
  let database: TestDatabase;
  let root: string;
  let host: GitHttpServer;
  let remote: MirrorRemote;
  let target: MirrorTarget;
  let deps: MirrorDeps;
  let worker: Worker | undefined;

  beforeEach(async () => {
    database = await open();
    root = temporaryFolder();
    host = await startGitHttpServer({ root });
    remote = createRemote(root);
    remote.commitByHand({ 'README.md': 'by hand' });
    const scope = await seedOrganization(database, 'acme');
    const allowHosts = [`127.0.0.1:${host.port}`];
    target = await targetFor(database, scope, `${host.origin}/context.git`, { allowHosts });
    deps = mirrorDeps(database, {
      git: { dataDir: temporaryFolder(), allowHosts },
      credentials: () => Promise.resolve({ username: 'orgctx', password }),
    });
  });
  afterEach(async () => {
    await worker?.stop(5_000);
    worker = undefined;
    await host.close();
  });

  const queue = (files: Readonly<Record<string, string | null>>): Promise<void> =>
    queueFiles(database, target.id, files);
  const row = (): Promise<MirrorTarget> => presentTarget(database, target.id);
  const run = (context?: Parameters<typeof runCommit>[2]): Promise<void> =>
    runCommit(deps, target.id, context);
  const jobs = async () => (await listJobs(database.queries, {})).items;
  const start = (): void => {
    worker = mirrorWorker(deps, { pollMs: 200 });
    worker.start();
  };
  const until = (look: () => Promise<void>): Promise<void> =>
    vi.waitFor(look, { timeout: 120_000, interval: 20 });
  const untilPushed = (): Promise<void> =>
    until(async () => {
      expect(await waitingPaths(database)).toEqual([]);
      expect(await jobs()).toEqual([]);
    });

  /** Lets the time of the next attempt come. */
  const pass = () =>
    database.queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();

  it('waits for a protected branch with a growing delay, and goes on by itself without a new change', async () => {
    host.behaviour = { kind: 'decline', words: 'error: GH006: Protected branch update failed' };
    await queue({ 'tracker/a.md': 'a' });
    start();
    const delays: number[] = [];
    for (const failures of [1, 2, 3, 4]) {
      await until(async () => {
        expect((await row()).error).toMatchObject({ failures });
        expect(await jobs()).toHaveLength(1);
      });
      const { error } = await row();
      expect(error).toMatchObject({ code: 'git_protected_branch', permanent: true });
      expect(error?.message).toContain('protected');
      expect(await jobs()).toMatchObject([{ state: 'ready', runAt: error?.retryAt }]);
      delays.push((error?.retryAt ?? 0) - (error?.at ?? 0));
      if (failures < 4) await pass();
    }
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays[3]).toBeLessThanOrEqual(15 * 60_000);

    const requests = host.requests.length;
    await queue({ 'tracker/b.md': 'b' });
    expect(await jobs()).toMatchObject([{ state: 'ready', runAt: (await row()).error?.retryAt }]);
    expect(host.requests).toHaveLength(requests);

    host.behaviour = { kind: 'well' };
    await pass();
    await untilPushed();
    expect(remote.files()).toEqual({ 'README.md': 'by hand', 'tracker/a.md': 'a', 'tracker/b.md': 'b' });
    expect((await row()).error).toBeUndefined();
  });

  it('goes on once refused credentials work again', async () => {
    host.credentials = { username: 'orgctx', password: 'another' };
    await queue({ 'tracker/a.md': 'a' });
    start();
    await until(async () => expect((await row()).error).toMatchObject({ code: 'git_authentication' }));
    host.credentials = { username: 'orgctx', password };
    await pass();
    await untilPushed();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
  });

  it('says in the transactions that record them that errors come and end', async () => {
    const changes: (string | undefined)[] = [];
    deps = {
      ...deps,
      errorChanged: async (tx, { id }) => void changes.push((await findTarget(tx, id))?.error?.code),
    };
    host.behaviour = { kind: 'decline', words: 'error: GH006: Protected branch update failed' };
    await queue({ 'tracker/a.md': 'a' });
    await run();
    await run();
    host.behaviour = { kind: 'well' };
    await run();
    expect(changes).toEqual(['git_protected_branch', undefined]);
  });

  it.each([
    [{ kind: 'forbid-push' }, 'git_push_forbidden'],
    [{ kind: 'forbid-push', words: 'This repository was archived so it is read-only.' }, 'git_archived'],
    [{ kind: 'decline', words: 'no commits on Fridays' }, 'git_push_declined'],
  ] as const)('reports the kind of a refusal: %j', async (behaviour, code) => {
    host.behaviour = behaviour;
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect((await row()).error).toMatchObject({ code, permanent: true });
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    expect(JSON.stringify(await row())).not.toContain(password);
  });

  it('reports a missing repository, and recovers when it is back', async () => {
    const scope = { organizationId: target.organizationId, orgSlug: 'acme' };
    const allowHosts = deps.git.allowHosts;
    target = await targetFor(database, scope, `${host.origin}/gone.git`, { allowHosts });
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect((await row()).error).toMatchObject({ code: 'git_not_found', permanent: true });
    const back = createRemote(root, 'gone.git');
    await run();
    expect(back.files()).toEqual({ 'tracker/a.md': 'a' });
    expect((await row()).error).toBeUndefined();
  });

  it('reports refused credentials, and recovers with valid ones', async () => {
    host.credentials = { username: 'orgctx', password: 'another' };
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect((await row()).error).toMatchObject({ code: 'git_authentication', permanent: true });
    host.credentials = { username: 'orgctx', password };
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
    expect((await row()).error).toBeUndefined();
  });

  it('asks again for credentials that expire during a run', async () => {
    const tokens = ['first', 'second', 'third'];
    let given = 0;
    deps = {
      ...deps,
      credentials: () => Promise.resolve({ username: 'orgctx', password: tokens[given++] ?? 'none' }),
    };
    host.credentials = { username: 'orgctx', password: 'first' };
    await queue({ 'tracker/a.md': 'a' });
    await run({
      assertHeld: () => {
        host.credentials = { username: 'orgctx', password: 'second' };
        return Promise.resolve();
      },
    });
    expect(given).toBe(2);
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
  });

  it('fails when a token expires during a push, and loses nothing', async () => {
    host.credentials = { username: 'orgctx', password };
    host.behaviour = { kind: 'expire' };
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect((await row()).error).toMatchObject({ permanent: true });
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    host.behaviour = { kind: 'well' };
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
  });

  it('retries after a transient error, and reports it only when it gives up', async () => {
    host.behaviour = { kind: 'reset-push' };
    await queue({ 'tracker/a.md': 'a' });
    await expect(run({ attempt: 11, maxAttempts: 12 })).rejects.toMatchObject({ retryable: true });
    expect((await row()).error).toBeUndefined();
    await run({ attempt: 12, maxAttempts: 12 });
    expect((await row()).error).toMatchObject({ permanent: false });
    expect(await jobs()).toMatchObject([{ state: 'ready' }]);
    host.behaviour = { kind: 'well' };
    await pass();
    start();
    await untilPushed();
    expect((await row()).error).toBeUndefined();
  });

  it('detects that a push with a lost reply succeeded, and does not repeat it', async () => {
    host.behaviour = { kind: 'lose-answer' };
    await queue({ 'tracker/a.md': 'a' });
    await expect(run()).rejects.toMatchObject({ retryable: true });
    host.behaviour = { kind: 'well' };
    await run();
    expect(remote.history()).toHaveLength(2);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('commits on top of a concurrent push that the host accepted first', async () => {
    remote.commitByHand({ 'notes.md': 'theirs' }, 'theirs');
    remote.git('update-ref', 'refs/heads/theirs', remote.commitByHand({ 'notes.md': 'theirs' }));
    remote.git('update-ref', 'refs/heads/main', remote.history('theirs')[1]?.id ?? '');
    const commit = remote.history('theirs')[0]?.id ?? '';
    host.beforePush = () => remote.git('update-ref', 'refs/heads/main', commit);
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect(remote.files()).toEqual({ 'README.md': 'by hand', 'notes.md': 'theirs', 'tracker/a.md': 'a' });
    expect(remote.history().every(({ parents }) => parents.length <= 1)).toBe(true);
  });
});
