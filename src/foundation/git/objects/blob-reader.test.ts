import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { BatchOutput, type BatchResponse } from './batch-output.ts';
import { openBlobReader } from './blob-reader.ts';

const large = randomBytes(300_000);
const repository = createRepository({ empty: '', small: 'small\n', large, 'line breaks': '\n\n\n' });
const gitDir = join(repository.folder, '.git');
const commit = repository.git('rev-parse', 'HEAD');
const oidOf = (path: string) => repository.git('rev-parse', `HEAD:${path}`);

function breakObject(oid: string, change: (bytes: Buffer) => Buffer): void {
  const file = join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(file, 0o600);
  writeFileSync(file, change(readFileSync(file)));
}

describe('a blob reader', () => {
  it('reads blobs of any size, in the order of the requests, with many reads pending', async () => {
    await using reader = openBlobReader(gitDir);
    const paths = Array.from({ length: 50 }, () => ['empty', 'large', 'small', 'line breaks']).flat();
    const oids = new Map(['empty', 'large', 'small', 'line breaks'].map((path) => [path, oidOf(path)]));
    const blobs = await Promise.all(paths.map((path) => reader.read(oids.get(path) ?? '', 1_000_000)));
    expect(blobs.map((blob) => blob.length)).toEqual(
      Array.from({ length: 50 }, () => [0, 300_000, 6, 3]).flat(),
    );
    expect(blobs[1]).toEqual(large);
  });

  it('skips a blob above the limit and continues', async () => {
    await using reader = openBlobReader(gitDir);
    const responses = await Promise.all([
      reader.read(oidOf('large'), 299_999),
      reader.read(oidOf('small'), 6),
      reader.read(oidOf('small'), 5),
    ]);
    expect(responses.map(String)).toEqual(['too_large', 'small\n', 'too_large']);
  });

  it('returns `missing` for absent ids, ids of other objects and invalid ids', async () => {
    await using reader = openBlobReader(gitDir);
    const ids = ['0'.repeat(40), commit, 'HEAD', '', `${oidOf('small')}\n${oidOf('small')}`];
    const responses = await Promise.all(ids.map((id) => reader.read(id, 1_000)));
    expect(responses).toEqual(ids.map(() => 'missing'));
    expect(String(await reader.read(oidOf('small'), 1_000))).toBe('small\n');
  });

  it('fails pending and later reads once it is closed or aborted', async () => {
    const reader = openBlobReader(gitDir);
    const open = expect(reader.read(oidOf('large'), 1_000_000)).rejects.toThrow('closed');
    await reader.close();
    await open;
    await expect(reader.read(oidOf('small'), 1_000)).rejects.toThrow('closed');

    const reason = new Error('stop');
    const controller = new AbortController();
    const aborted = openBlobReader(gitDir, controller.signal);
    controller.abort(reason);
    await expect(aborted.read(oidOf('small'), 1_000)).rejects.toBe(reason);
  });

  it('returns `missing` for an object without a readable header, and asks for a new clone when its content is broken', async () => {
    await using reader = openBlobReader(gitDir);
    breakObject(oidOf('small'), () => Buffer.from('not an object'));
    expect(await reader.read(oidOf('small'), 1_000)).toBe('missing');
    breakObject(oidOf('large'), (bytes) => bytes.fill(0, 150_000, 150_100));
    await expect(reader.read(oidOf('large'), 1_000_000)).rejects.toMatchObject({
      reason: 'damaged',
      retryable: false,
      message: expect.stringContaining('add it again') as string,
    });
  });
});

describe('BatchOutput', () => {
  it('reads the same responses regardless of chunk boundaries', () => {
    const oid = 'a'.repeat(40);
    const output = Buffer.from(
      `${oid} blob 3\nx\ny\n${oid} missing\n${oid} blob 0\n\n${oid} tree 2\nzz\n${oid} blob 9\n123456789\n`,
    );
    for (let size = 1; size <= output.length; size += 1) {
      const responses: BatchResponse[] = [];
      const batch = new BatchOutput({ limit: () => 5, receive: (response) => responses.push(response) });
      for (let at = 0; at < output.length; at += size) batch.push(output.subarray(at, at + size));
      expect(responses.map(String)).toEqual(['x\ny', 'missing', '', 'missing', 'too_large']);
    }
  });
});
