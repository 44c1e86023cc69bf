import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureContextRepository } from '../../../src/foundation/git/writing/context-repository.ts';
import type { FileChange } from '../../../src/foundation/git/writing/write-commit.ts';
import { type GitServer, openGitServer } from '../../support/git/git-server.ts';
import { runKilledAt } from '../../support/kill/run-killed.ts';
import { author, land, write } from '../../support/mirror/context-writer.ts';

let server: GitServer['server'];
let remote: GitServer['remote'];
let open: GitServer['open'];

beforeEach(async () => {
  const files = { 'README.md': 'of people', 'tracker/a.md': 'a' };
  ({ server, remote, open } = await openGitServer(files));
});
afterEach(() => server.close());

describe('killing a process', () => {
  const program = new URL('../../support/mirror/context-program.ts', import.meta.url).pathname;

  it('between any two writes leaves the branch unchanged or updated, and the next process completes', async () => {
    const request = open();
    for (let at = 1; ; at += 1) {
      const before = remote.git('rev-parse', 'main');
      const { source, deps } = request;
      const run = await runKilledAt(at, [program, source.url, deps.dataDir, `${at}`]);
      const after = remote.git('rev-parse', 'main');
      if (after !== before) expect(remote.files()['tracker/a.md']).toBe(`${at}`);
      expect(remote.git('rev-list', '--count', `${before}..${after}`)).toMatch(/^[01]$/);
      if (!run.killed) {
        expect(run.code).toBe(0);
        expect(at).toBeGreaterThan(15);
        break;
      }
      await land(request, { 'tracker/a.md': `${at}` });
      expect(remote.files()['tracker/a.md']).toBe(`${at}`);
      // Every second kill meets an empty folder.
      if (at % 2 === 0) rmSync(request.gitDir, { recursive: true });
    }
    expect(remote.git('rev-list', '--merges', '--count', 'main')).toBe('0');
    remote.git('fsck', '--strict');
  });

  it('of Git in the middle of its input moves no ref, and the next commit is complete', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    for (let n = 0; n < 5; n += 1) {
      async function* changes(): AsyncGenerator<FileChange> {
        for (let file = 0; file < 50; file += 1) {
          yield { path: `tracker/${file}.md`, content: randomBytes(20_000) };
          if (file === 10 * n) for (const pid of writersTo(request.gitDir)) process.kill(pid, 'SIGKILL');
        }
      }
      await expect(write(request, tip, changes())).rejects.toMatchObject({
        reason: 'torn',
        retryable: true,
      });
    }
    expect(existsSync(join(request.gitDir, 'refs/orgctx/staging'))).toBe(false);
    await land(request, { 'tracker/a.md': 'after' });
    expect(remote.files()).toEqual({ 'README.md': 'of people', 'tracker/a.md': 'after' });
  });

  it('of ours while Git waits for more input creates no commit from the truncated stream', async () => {
    const request = open();
    const { tip = '' } = await ensureContextRepository(request);
    const script = join(request.deps.dataDir, 'die.ts');
    const module = new URL('../../../src/foundation/git/writing/write-commit.ts', import.meta.url).pathname;
    writeFileSync(
      script,
      `import { writeCommit } from ${JSON.stringify(module)};
      async function* changes() {
        for (let n = 0; n < 40; n += 1) yield { path: \`tracker/\${n}\`, content: Buffer.alloc(20_000, 'x') };
        await new Promise((resolve) => setTimeout(resolve, 200));
        process.kill(process.pid, 'SIGKILL');
      }
      await writeCommit({ gitDir: ${JSON.stringify(request.gitDir)}, parent: ${JSON.stringify(tip)}, changes: changes(),
        roots: ['tracker'], message: 'x', author: ${JSON.stringify(author)}, time: 0,
        stagingRef: 'refs/orgctx/staging/1', signal: new AbortController().signal });`,
    );
    const child = spawn(process.execPath, [script], { stdio: 'ignore' });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    while (writersTo(request.gitDir).length > 0) await sleep(20);
    expect(existsSync(join(request.gitDir, 'refs/orgctx/staging/1'))).toBe(false);
    await land(request, { 'tracker/a.md': 'after' });
    expect(remote.git('rev-list', '--count', 'main')).toBe('2');
  });
});

/** Returns the Git processes that write to a folder. */
function writersTo(gitDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(gitDir) && line.includes('fast-import');
      } catch {
        return false; // The process has ended.
      }
    })
    .map(Number);
}
