import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContextRepositoryRequest,
  ensureContextRepository,
} from '../../../src/foundation/git/writing/context-repository.ts';
import { pushCommit } from '../../../src/foundation/git/writing/push-commit.ts';
import { type FileChange, writeCommit } from '../../../src/foundation/git/writing/write-commit.ts';
import { type GitServer, openGitServer } from '../../support/git/git-server.ts';
import {
  author,
  gitFailure,
  hostRepository,
  land,
  push,
  requestOf,
  staged,
  write,
} from '../../support/mirror/context-writer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const credentials = { username: 'x-access-token', password: 'ghs_secret' };
let root: GitServer['root'];
let server: GitServer['server'];
let remote: GitServer['remote'];
let open: GitServer['open'];

beforeEach(async () => {
  const files = { 'README.md': 'of people', 'tracker/a.md': 'a' };
  ({ root, server, remote, open } = await openGitServer(files));
});
afterEach(() => server.close());

describe('a permanently refused push', () => {
  it.each([
    ['protected_branch', { kind: 'decline', words: 'GH006: Protected branch update failed' }, /is protected/],
    ['push_declined', { kind: 'decline', words: 'no tabs here' }, /a hook or a rule/],
    ['push_forbidden', { kind: 'forbid-push' }, /write access/],
    ['authentication', { kind: 'expire' }, /Give it new ones/],
    ['authentication', { kind: 'ask-password' }, /Give it new ones/],
    ['not_found', { kind: 'fail', status: 404 }, /does not exist/],
  ] as const)('is reported as %s after %o', async (reason, behaviour, words) => {
    server.credentials = credentials;
    const request = open({ credentials });
    const commit = await staged(request);
    server.behaviour = behaviour;
    const failure = await gitFailure(push(request, commit));
    expect(failure).toMatchObject({ reason, retryable: false });
    expect(failure.message).toMatch(words);
    expect(remote.git('rev-list', '--count', 'main')).toBe('1');
  });

  it('is reported as archived if the host says so', async () => {
    const request = open();
    const commit = await staged(request);
    const words = 'This repository was archived so it is read-only.';
    server.behaviour = { kind: 'forbid-push', words };
    expect(await gitFailure(push(request, commit))).toMatchObject({ reason: 'archived', retryable: false });
  });

  it('is not classified by the name of a repository or a branch', async () => {
    hostRepository(root, 'owner/archived.git', { 'tracker/a.md': 'a' });
    const request = open({ branch: 'read-only-repository' }, 'owner/archived.git');
    await ensureContextRepository(request);
    const { commit = '' } = await write(request, undefined, { 'tracker/a.md': 'ours' });
    server.behaviour = { kind: 'fail', status: 503 };
    expect(await gitFailure(push(request, commit))).toMatchObject({ reason: 'unreachable' });
    server.behaviour = { kind: 'decline', words: 'no' };
    expect(await gitFailure(push(request, commit))).toMatchObject({ reason: 'push_declined' });
  });

  it('to a missing repository is reported as such', async () => {
    const request = open();
    const commit = await staged(request);
    rmSync(remote.gitDir, { recursive: true });
    expect(await gitFailure(push(request, commit))).toMatchObject({ reason: 'not_found', retryable: false });
    expect(await gitFailure(ensureContextRepository(request))).toMatchObject({ reason: 'not_found' });
  });

  it('may be one into a folder with a checked-out work tree', async () => {
    const people = join(temporaryFolder(), 'people');
    execFileSync('git', ['clone', '--quiet', remote.gitDir, people]);
    const request = requestOf(people);
    const commit = await staged(request);
    expect(await gitFailure(push(request, commit))).toMatchObject({ reason: 'push_declined' });
  });
});

describe('a folder as a target', () => {
  /** Creates a repository whose own configuration and hooks would run a program that leaves a trace. */
  function trapped(): { readonly folder: string; readonly trace: string; git(...args: string[]): string } {
    const parent = temporaryFolder();
    const [folder, trace] = [join(parent, 'people'), join(parent, 'trace')];
    execFileSync('git', ['clone', '--quiet', remote.gitDir, folder]);
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
    for (const name of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction']) {
      writeFileSync(join(folder, '.git/hooks', name), `#!/bin/sh\necho ${name} >> '${trace}'\n`, {
        mode: 0o755,
      });
    }
    const leave = (word: string): string => `sh -c 'echo ${word} >> ${trace}' #`;
    writeFileSync(join(folder, '.git/objects/info/alternates'), `${join(remote.gitDir, 'objects')}\n`);
    writeFileSync(join(folder, '.git/info/attributes'), '* filter=x\n');
    for (const [key, value] of [
      ['uploadpack.packObjectsHook', leave('packObjectsHook')],
      ['core.alternateRefsCommand', leave('alternateRefsCommand')],
      ['core.hooksPath', join(folder, '.git/hooks')],
      ['filter.x.smudge', leave('smudge')],
      ['filter.x.clean', leave('clean')],
      ['receive.denyCurrentBranch', 'updateInstead'],
      ['receive.autogc', 'true'],
      ['gc.auto', '1'],
      ['core.fsmonitor', leave('fsmonitor')],
    ] as const) {
      git('config', key, value);
    }
    return { folder, trace, git };
  }

  it('runs no program that its repository names, for reading and writing', async () => {
    const { folder, trace, git } = trapped();
    const request = requestOf(folder, { branch: 'context' });
    expect((await ensureContextRepository(request)).tip).toBeUndefined();
    const { commit } = await land(request, { 'tracker/a.md': 'ours' });
    expect(git('rev-parse', 'context')).toBe(commit);
    expect(existsSync(trace)).toBe(false);
    git('update-ref', 'refs/heads/other', 'main');
    expect(readFileSync(trace, 'utf8')).toContain('reference-transaction');
  });

  it('keeps its work tree: a checked-out branch is not moved', async () => {
    const { folder, trace } = trapped();
    const request = requestOf(folder);
    const failure = await gitFailure(push(request, await staged(request)));
    expect(failure).toMatchObject({ reason: 'push_declined' });
    expect(existsSync(trace)).toBe(false);
    expect(readFileSync(join(folder, 'tracker/a.md'), 'utf8')).toBe('a');
  });
});

describe('an interrupted push', () => {
  it.each([
    [{ kind: 'reset-push' }, 'unreachable'],
    [{ kind: 'fail', status: 503 }, 'unreachable'],
    [{ kind: 'silent' }, 'timed_out'],
  ] as const)('is retryable after %o', async (behaviour, reason) => {
    const request = open();
    const commit = await staged(request);
    server.behaviour = behaviour;
    const limits = { stallMs: 400, totalMs: 60_000 };
    expect(await gitFailure(pushCommit({ ...request, commit, limits }))).toMatchObject({
      reason,
      retryable: true,
    });
    server.behaviour = { kind: 'well' };
    expect(await push(request, commit)).toBe('pushed');
  });

  it('takes no longer than its total time limit', async () => {
    const request = open();
    const commit = await staged(request);
    server.behaviour = { kind: 'slow', bytesPerSecond: 20 };
    const limits = { stallMs: 10_000, totalMs: 500 };
    expect(await gitFailure(pushCommit({ ...request, commit, limits }))).toMatchObject({
      reason: 'timed_out',
    });
  });

  it('that succeeded is detected: nothing is written twice', async () => {
    const request = open();
    const commit = await staged(request);
    server.behaviour = { kind: 'lose-answer' };
    expect(await gitFailure(push(request, commit))).toMatchObject({ retryable: true });
    server.behaviour = { kind: 'well' };
    expect(await land(request, { 'tracker/a.md': 'ours' })).toEqual({ commit, refusals: 0 });
    expect(remote.git('rev-list', '--count', 'main')).toBe('2');
  });

  it('ends at once when its caller aborts it', async () => {
    const controller = new AbortController();
    const request = open({ signal: controller.signal });
    const commit = await staged(request);
    server.behaviour = { kind: 'silent' };
    const reason = new Error('the worker drains');
    const asked = server.requests.length;
    const ended = expect(push(request, commit)).rejects.toBe(reason);
    while (server.requests.length === asked) await sleep(10);
    controller.abort(reason);
    await ended;
  });
});

describe('a refused commit', () => {
  const stagingRefs = ({ gitDir }: ContextRepositoryRequest): string =>
    execFileSync('git', ['--git-dir', gitDir, 'for-each-ref', 'refs/orgctx/staging'], { encoding: 'utf8' });

  it.each([
    'README.md',
    'tracker/../README.md',
    'tracker/.GIT/config',
    'tracker/x\nM 100644 inline README.md',
    'tracker/"\ndone\n',
  ])('leaves nothing behind, for the path %j', async (path) => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    await expect(write(request, tip, { 'tracker/good.md': 'x', [path]: 'y' })).rejects.toMatchObject({
      status: 400,
    });
    await expect(write(request, tip, { [path]: null })).rejects.toMatchObject({ status: 400 });
    expect(stagingRefs(request)).toBe('');
  });

  it('cannot inject Git commands through its contents, its message or its author', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    const commands = '\nM 100644 inline README.md\ndata 1\nx\ndone\n';
    await land(request, { 'tracker/a.md': commands });
    const base = {
      gitDir: request.gitDir,
      parent: tip,
      changes: [],
      roots: ['tracker'],
      time: 0,
      signal: request.signal,
    };
    const evil = { ...base, message: commands, author, stagingRef: 'refs/orgctx/staging/1' };
    expect(await writeCommit(evil)).toMatchObject({ changed: false });
    for (const name of ['a\nfrom x', 'a <b', 'a\0']) {
      await expect(writeCommit({ ...evil, author: { ...author, name } })).rejects.toMatchObject({
        status: 400,
      });
    }
    for (const stagingRef of [
      'refs/heads/main',
      'refs/orgctx/staging/../source',
      'refs/orgctx/staging/1\n',
    ]) {
      await expect(writeCommit({ ...evil, stagingRef })).rejects.toMatchObject({ status: 400 });
    }
    for (const parent of ['main', `${tip ?? ''}\n`, '--all']) {
      await expect(writeCommit({ ...evil, parent })).rejects.toMatchObject({ status: 400 });
    }
    expect(remote.files()).toEqual({ 'README.md': 'of people', 'tracker/a.md': commands });
  });

  it('may exceed a limit', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    const commit = (limits: { maxFiles: number; maxBytes: number }) =>
      writeCommit({
        gitDir: request.gitDir,
        parent: tip,
        changes: [1, 2, 3].map((n) => ({ path: `tracker/${n}`, content: randomBytes(100) })),
        roots: ['tracker'],
        message: 'x',
        author,
        time: 0,
        stagingRef: 'refs/orgctx/staging/1',
        limits,
        signal: request.signal,
      });
    await expect(commit({ maxFiles: 2, maxBytes: 1_000 })).rejects.toThrow(/at most 2 files/);
    await expect(commit({ maxFiles: 3, maxBytes: 299 })).rejects.toThrow(/299 bytes/);
    expect(stagingRefs(request)).toBe('');
    expect(await commit({ maxFiles: 3, maxBytes: 300 })).toMatchObject({ changed: true });
  });

  it('may have a source of changes that fails, or that is aborted and never answers', async () => {
    const controller = new AbortController();
    const request = open({ signal: controller.signal });
    const { tip } = await ensureContextRepository(request);
    const broken = new Error('the database is away');
    async function* failing(): AsyncGenerator<FileChange> {
      yield { path: 'tracker/x', content: Buffer.alloc(500_000) };
      await Promise.reject(broken);
    }
    await expect(write(request, tip, failing())).rejects.toBe(broken);
    async function* hanging(): AsyncGenerator<FileChange> {
      yield { path: 'tracker/x', content: Buffer.alloc(500_000) };
      controller.abort(broken);
      await new Promise(() => undefined);
    }
    await expect(write(request, tip, hanging())).rejects.toBe(broken);
    expect(stagingRefs(request)).toBe('');
  });
});
