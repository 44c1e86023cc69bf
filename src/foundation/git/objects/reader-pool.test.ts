import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { recordProcesses } from '../../../../test/support/git/started-processes.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { BlobReader } from './blob-reader.ts';
import { openReaderPool } from './reader-pool.ts';

const repository = createRepository({ 'a.txt': 'one\n' });
const commit = repository.git('rev-parse', 'HEAD');
const folder = temporaryFolder();
const mirrors = Array.from({ length: 3 }, (_, index) => join(folder, `${index}.git`));
for (const mirror of mirrors) symlinkSync(join(repository.folder, '.git'), mirror);
const [first = '', second = '', third = ''] = mirrors;
const { signal } = new AbortController();
const hour = 3_600_000;
const find = (reader: BlobReader) => reader.find(commit, 'a.txt');

it('keeps the most recently used readers, and none after closing', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, hour);
  for (const mirror of [first, second, first, third, first]) await pool.use(mirror, signal, find);
  expect(processes.count).toBe(3);
  await expect.poll(() => processes.running).toBe(2);
  await pool.close();
  expect(processes.running).toBe(0);
});

it('opens no reader after closing, not even for what was read then', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, hour);
  let closing: Promise<void> | undefined;
  const reading = pool.use(first, signal, (reader) => {
    closing = pool.close();
    return find(reader);
  });
  await expect(reading).rejects.toMatchObject({ reason: 'failed' });
  await expect(pool.use(second, signal, find)).rejects.toMatchObject({ reason: 'failed' });
  await closing;
  expect(processes).toMatchObject({ count: 1, running: 0 });
});

it('replaces a reader after its lifetime, when its last user is done', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, 20);
  await pool.use(first, signal, async (reader) => {
    await expect.poll(() => pool.use(first, signal, find).then(() => processes.count)).toBeGreaterThan(1);
    expect(await find(reader)).toMatchObject({ type: 'blob', bytes: 4 });
  });
  await expect.poll(() => processes.running).toBe(0);
  await pool.close();
});

it('ends a reader that expired in use when it closes', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, 20);
  const reading = pool.use(first, signal, async (reader) => {
    await expect.poll(() => pool.use(first, signal, find).then(() => processes.count)).toBeGreaterThan(1);
    await pool.close();
    expect(processes.running).toBe(0);
    return find(reader);
  });
  await expect(reading).rejects.toMatchObject({ reason: 'failed' });
});

it('ends a discarded reader, and its other users continue', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, hour);
  let attempts = 0;
  const found = await pool.use(first, signal, (reader) => {
    if (attempts++ === 0) pool.discard(first);
    return find(reader);
  });
  expect(found).toMatchObject({ type: 'blob' });
  expect(attempts).toBe(2);
  await expect.poll(() => processes.running).toBe(0);
  await pool.close();
});

it('does not wait for a reader when the caller has gone, and keeps it for others', async () => {
  using processes = recordProcesses();
  const pool = openReaderPool(2, hour);
  const gone = new AbortController();
  const waiting = pool.use(first, gone.signal, () => new Promise(() => undefined));
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(await pool.use(first, signal, find)).toMatchObject({ type: 'blob' });
  expect(processes.count).toBe(1);
  await pool.close();
});
