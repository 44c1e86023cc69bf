import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneMirror } from '../../../src/foundation/git/mirror/mirror.ts';
import type { GitError } from '../../../src/foundation/git/process/git-error.ts';
import {
  type ContextRepositoryRequest,
  ensureContextRepository,
} from '../../../src/foundation/git/writing/context-repository.ts';
import { type HostileGitHost, startHostileGitHost } from '../../standins/hostile-git-host.ts';
import { gitFailure, hostRepository, push, requestOf, staged } from '../../support/mirror/context-writer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const mebibyte = 1024 ** 2;
let host: HostileGitHost;

beforeEach(async () => {
  host = await startHostileGitHost({ kind: 'endless-messages' });
});
afterEach(() => host.close());

/** Stages a commit that is ready to be pushed to the host. */
async function stagedFor(
  to: HostileGitHost,
): Promise<{ readonly request: ContextRepositoryRequest; readonly commit: string }> {
  const folder = requestOf(hostRepository(temporaryFolder(), 'c.git', { 'tracker/a.md': 'a' }).gitDir);
  const commit = await staged(folder);
  return { request: { ...folder, source: requestOf(`${to.origin}/owner/name.git`).source }, commit };
}

async function failureOf(work: Promise<unknown>): Promise<GitError & { readonly took: number }> {
  const began = performance.now();
  return Object.assign(await gitFailure(work), { took: performance.now() - began });
}

const read = () => cloneMirror(requestOf(`${host.origin}/owner/name.git`));

/** In milliseconds, on a machine with other load. The prevented attacks took more than a minute. */
const soon = 10_000;

describe('a host whose output is slow to parse', () => {
  it.each([
    [404, 'repository ', 'not_found'],
    [403, 'Permission to ', 'not_found'],
    [500, 'https://'.repeat(1_000), 'unreachable'],
  ] as const)('does not block a reader: %i, %s', async (status, word, reason) => {
    host.behaviour = { kind: 'refuse', status, words: word.repeat(mebibyte / word.length) };
    const failure = await failureOf(read());
    expect(failure).toMatchObject({ reason });
    expect(failure.took).toBeLessThan(soon);
  });

  it.each([
    [404, 'repository ', 'not_found'],
    [403, 'Permission to ', 'push_forbidden'],
    [400, 'Write access ', 'failed'],
    [400, 'fatal: ', 'failed'],
  ] as const)('does not block a writer: %i, %s', async (status, word, reason) => {
    const { request, commit } = await stagedFor(host);
    host.behaviour = { kind: 'refuse', status, words: word.repeat(mebibyte / word.length) };
    const failure = await failureOf(push(request, commit));
    expect(failure).toMatchObject({ reason });
    expect(failure.took).toBeLessThan(soon);
  });

  it('is still understood when its message comes after much other output', async () => {
    const { request, commit } = await stagedFor(host);
    const words = `${'noise\n'.repeat(100_000)}This repository was archived so it is read-only.\n`;
    host.behaviour = { kind: 'refuse', status: 403, words };
    expect(await failureOf(push(request, commit))).toMatchObject({ reason: 'archived' });
  });

  it('does not block with the packets of its greeting', async () => {
    const packets = Array.from({ length: 20 }, () => `${'< '.repeat(32_000)}\n`);
    host.behaviour = { kind: 'greet', packets };
    const began = performance.now();
    const request = requestOf(`${host.origin}/owner/name.git`);
    expect(await ensureContextRepository(request)).toEqual({ tip: undefined });
    expect(performance.now() - began).toBeLessThan(soon);
  });
});

describe('a host that sends without end', () => {
  it('messages to a reader is aborted', async () => {
    expect(await failureOf(read())).toMatchObject({ reason: 'too_large', retryable: false });
    expect(host.sent).toBeLessThan(100 * mebibyte);
  });

  it('messages to a writer is aborted, and the copy is unchanged', async () => {
    const { request, commit } = await stagedFor(host);
    const failure = await failureOf(push(request, commit));
    expect(failure).toMatchObject({ reason: 'too_large', retryable: false });
    expect(failure.message).toContain('127.0.0.1');
    expect(host.sent).toBeLessThan(100 * mebibyte);
  });

  it('its greeting is aborted before it fills the memory', async () => {
    host.behaviour = { kind: 'endless-greeting' };
    expect(await failureOf(read())).toMatchObject({ reason: 'too_large', retryable: false });
    expect(host.sent).toBeLessThan(300 * mebibyte);
  });

  it('its greeting of a push is aborted too, later', async () => {
    const { request, commit } = await stagedFor(host);
    host.behaviour = { kind: 'endless-greeting' };
    expect(await failureOf(push(request, commit))).toMatchObject({ reason: 'too_large', retryable: false });
    expect(host.sent).toBeLessThan(1_500 * mebibyte);
  });
});
