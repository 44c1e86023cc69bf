import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classifyGitFailure } from '../../../src/foundation/git/process/classify-git-failure.ts';
import { gitEnvironment } from '../../../src/foundation/git/process/environment.ts';
import { ensureContextRepository } from '../../../src/foundation/git/writing/context-repository.ts';
import { startGitHttpServer } from '../../standins/git-http-server.ts';
import { type GitServer, openGitServer } from '../../support/git/git-server.ts';
import { gitFailure, land, push, requestOf, staged } from '../../support/mirror/context-writer.ts';

/** Contains characters that a URL must encode. */
const password = 'ghs_s3cret/+Token%20';
const credentials = { username: 'x-access-token', password };
let root: GitServer['root'];
let server: GitServer['server'];
let remote: GitServer['remote'];
let open: GitServer['open'];

beforeEach(async () => {
  const files = { 'README.md': 'of people', 'tracker/a.md': 'a' };
  ({ root, server, remote, open } = await openGitServer(files));
});
afterEach(() => server.close());

const spelledPasswords = [
  password,
  encodeURIComponent(password),
  Buffer.from(`${credentials.username}:${password}`).toString('base64'),
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('Git credentials', () => {
  beforeEach(() => {
    server.credentials = credentials;
  });

  it('give access to a repository that requires them, for reading and writing', async () => {
    const { commit } = await land(open({ credentials }), { 'tracker/a.md': 'ours' });
    expect(remote.git('rev-parse', 'main')).toBe(commit);
  });

  it('are required, and must be correct', async () => {
    await expect(ensureContextRepository(open())).rejects.toMatchObject({ reason: 'not_found' });
    const wrong = open({ credentials: { ...credentials, password: 'another-secret' } });
    const failure = await gitFailure(ensureContextRepository(wrong));
    expect(failure).toMatchObject({ reason: 'authentication', retryable: false });
    expect(failure.message).toContain('Give it new ones');
    expect(JSON.stringify([failure.message, failure.detail])).not.toContain('another-secret');
  });

  it('are in no argument list while Git runs, and in no file afterwards', async () => {
    const request = open({ credentials });
    const commit = await staged(request);
    const seen = new Set<string>();
    const watch = setInterval(() => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
        } catch {
          // It is gone.
        }
      }
    }, 5);
    server.behaviour = { kind: 'slow', bytesPerSecond: 400 };
    await push(request, commit);
    clearInterval(watch);
    const lines = [...seen];
    expect(lines.some((line) => line.includes('push --porcelain'))).toBe(true);
    const files = filesBelow(request.deps.dataDir);
    expect(files.some((file) => file.endsWith('/git/askpass'))).toBe(true);
    for (const secret of spelledPasswords) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
      expect(files.filter((file) => readFileSync(file).includes(secret))).toEqual([]);
    }
    expect(statSync(join(request.deps.dataDir, 'git', 'askpass')).mode & 0o777).toBe(0o700);
  });

  it('are removed from the output of a host', async () => {
    const request = open({ credentials });
    const commit = await staged(request);
    server.behaviour = { kind: 'decline', words: `no: ${spelledPasswords.join(' ')}` };
    const failure = await gitFailure(push(request, commit));
    expect(failure.detail).toMatchObject({ stderr: expect.stringContaining('[redacted]') as string });
    for (const secret of spelledPasswords) {
      expect(JSON.stringify([failure.message, failure.detail])).not.toContain(secret);
    }
  });

  it('are given for their own host, and for no other question', async () => {
    const { askpassVariables } = await import('../../../src/foundation/git/remote/askpass.ts');
    const request = open();
    const env = await askpassVariables(
      request.source,
      { ...credentials, username: 'a b$(id)*' },
      request.deps.dataDir,
    );
    const ask = (question: string) => {
      try {
        return execFileSync(env['GIT_ASKPASS'] ?? '', [question], { env, encoding: 'utf8' });
      } catch {
        return undefined;
      }
    };
    const host = `127.0.0.1:${server.port}`;
    expect(ask(`Username for 'http://${host}': `)).toBe('a b$(id)*\n');
    expect(ask(`Password for 'http://a b$(id)*@${host}': `)).toBe(`${password}\n`);
    expect(ask(`Password for 'http://a%20b%24(id)*@${host}': `)).toBe(`${password}\n`);
    for (const question of [
      `Password for 'https://a b$(id)*@${host}': `,
      `Password for 'http://a b$(id)*@${host}.example.com': `,
      `Password for 'http://a b$(id)*@127.0.0.1': `,
      `Password for 'http://other@${host}': `,
      `Username for 'http://git.example.com': `,
      'Password: ',
      '',
    ]) {
      expect(ask(question)).toBeUndefined();
    }
  });

  it('are given again after the helper program lost its execute permission', async () => {
    const request = open({ credentials });
    const commit = await staged(request);
    const program = join(request.deps.dataDir, 'git', 'askpass');
    for (const mode of [0o600, 0o644]) {
      chmodSync(program, mode);
      expect(await push(request, commit)).toBe('pushed');
      expect(statSync(program).mode & 0o777).toBe(0o700);
    }
  });

  it('cannot be given when nothing in the data folder may be executed, and the error says so', async () => {
    const { source, deps } = open();
    const program = join(deps.dataDir, 'askpass');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o600 });
    const env = gitEnvironment({ protocol: 'http', variables: { GIT_ASKPASS: program } });
    const stderr = await text(spawn('git', ['ls-remote', source.url], { env }).stderr);
    const failure = classifyGitFailure(source, stderr);
    expect(failure.retryable).toBe(true);
    expect(failure.message).toContain('noexec');
  });

  it('are not sent to another host after a redirect', async () => {
    const thief = await startGitHttpServer({ root });
    try {
      thief.credentials = credentials;
      server.behaviour = { kind: 'redirect', to: thief.origin };
      await expect(ensureContextRepository(open({ credentials }))).rejects.toMatchObject({
        reason: 'not_found',
      });
      expect(thief.requests.length).toBeGreaterThan(0);
      thief.credentials = undefined;
      expect((await ensureContextRepository(open({ credentials }))).tip).toBe(
        remote.git('rev-parse', 'main'),
      );
    } finally {
      await thief.close();
    }
  });

  it('are sent over http only to a host that the operator allows', () => {
    expect(() => requestOf('http://git.example.com/owner/name.git', { credentials })).toThrow(
      /only be called with https/,
    );
  });
});
