import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../support/git/git-repository.ts';
import { orgctx, start } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Few enough for one response to count all matches; the files are so large that the kills hit clone and indexing. */
const fileCount = 350;
const dataDir = temporaryFolder();
let serve: ReturnType<typeof start>;
let baseUrl: string;
let apiKey: string;
let source: TestRepository;

beforeAll(async () => {
  source = createRepository(corpus('first'));
  await orgctx(['migrate', '--data-dir', dataDir]);
  await orgctx(['admin', 'create', '--email', 'ada@example.com', '--org', 'acme', '--data-dir', dataDir]);
  const key = await orgctx([
    'admin',
    'key',
    'create',
    '--email',
    'ada@example.com',
    '--name',
    'test',
    '--json',
    '--data-dir',
    dataDir,
  ]);
  apiKey = JSON.parse(key.stdout).apiKey;
  serve = start(['serve', '--port', '0', '--data-dir', dataDir], {
    env: { ALLOW_LOCAL_REPOSITORIES: 'true' },
  });
  const log = await serve.line((text) => text.includes('"worker ready"'));
  baseUrl = JSON.parse(log.split('\n')[0] ?? '').baseUrl;
});

afterAll(() => serve?.stop());

function corpus(marker: string): Record<string, string> {
  const line = (): string => `${randomBytes(24).toString('base64')}\n`;
  const file = (): string => `generation ${marker}\n${Array.from({ length: 2000 }, line).join('')}`;
  return Object.fromEntries(
    Array.from({ length: fileCount }, (_, index) => [`src/part-${index % 40}/file-${index}.txt`, file()]),
  );
}

async function api(
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown> & { items: { state: string }[] }> {
  const response = await fetch(`${baseUrl}/acme/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown> & { items: { state: string }[] };
}

/** Returns the number of files with the word of one generation: all files or none. */
async function found(marker: string): Promise<number> {
  const { stats } = (await api(`/search?q=${encodeURIComponent(`"generation ${marker}"`)}&limit=200`)) as {
    stats?: { matched: number };
  };
  return stats?.matched ?? -1;
}

/** Returns the process id of the newest worker from the supervisor's log. */
function workerPid(): number {
  const ready = serve.output.stdout.split('\n').filter((line) => line.includes('"worker ready"'));
  return JSON.parse(ready.at(-1) ?? '{}').pid;
}

async function killWorkerIn(state: string, id: string): Promise<void> {
  const pid = workerPid();
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(5)) {
    const repository = (await api(`/repositories/${id}`)) as { state?: unknown };
    if (repository.state !== state) continue;
    process.kill(pid, 'SIGKILL');
    return;
  }
  throw new Error(`the repository never reached the state ${state}`);
}

/** Waits for `indexed` and checks meanwhile that no search returns a partial result. */
async function untilIndexed(
  id: string,
  complete: (counts: readonly number[]) => boolean,
  markers: readonly string[],
): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(250)) {
    const counts = await Promise.all(markers.map(found));
    expect(
      counts.every((count) => count === 0 || count === fileCount),
      `partial result: ${counts.join(', ')}`,
    ).toBe(true);
    const { state } = (await api(`/repositories/${id}`)) as { state?: unknown };
    if (state === 'indexed' && complete(counts)) return;
  }
  throw new Error('the repository was not indexed again');
}

describe('a worker killed with SIGKILL', () => {
  let id: string;

  it('during a clone: the next worker finishes it', async () => {
    const added = await api('/repositories', {
      method: 'POST',
      body: JSON.stringify({ source: source.folder }),
    });
    id = String(added['id']);
    await killWorkerIn('cloning', id);
    await untilIndexed(id, ([first]) => first === fileCount, ['first']);
  });

  it('during indexing: the former index answers until the new one is complete', async () => {
    source.commit(corpus('second'));
    await api(`/repositories/${id}/sync`, { method: 'POST' });
    await killWorkerIn('indexing', id);
    expect(await found('first')).toBe(fileCount);
    await untilIndexed(id, ([first, second]) => first === 0 && second === fileCount, ['first', 'second']);
  });

  it('does not affect serve and is replaced', async () => {
    const response = await fetch(`${baseUrl}/.status`);
    expect(await response.json()).toMatchObject({ status: 'ok' });
    expect(() => process.kill(workerPid(), 0)).not.toThrow();
  });
});
