import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../../test/support/git-repository.ts';
import { type BatchAnswer, BatchOutput } from './batch-output.ts';
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
  it('reads blobs of any size, in the order asked, while many reads are under way', async () => {
    await using reader = openBlobReader(gitDir);
    const paths = Array.from({ length: 50 }, () => ['empty', 'large', 'small', 'line breaks']).flat();
    const oids = new Map(['empty', 'large', 'small', 'line breaks'].map((path) => [path, oidOf(path)]));
    const blobs = await Promise.all(paths.map((path) => reader.read(oids.get(path) ?? '', 1_000_000)));
    expect(blobs.map((blob) => blob.length)).toEqual(
      Array.from({ length: 50 }, () => [0, 300_000, 6, 3]).flat(),
    );
    expect(blobs[1]).toEqual(large);
  });

  it('passes over a blob above the limit and goes on', async () => {
    await using reader = openBlobReader(gitDir);
    const answers = await Promise.all([
      reader.read(oidOf('large'), 299_999),
      reader.read(oidOf('small'), 6),
      reader.read(oidOf('small'), 5),
    ]);
    expect(answers.map(String)).toEqual(['too_large', 'small\n', 'too_large']);
  });

  it('calls absent ids, ids of other objects, and anything that is no id missing', async () => {
    await using reader = openBlobReader(gitDir);
    const ids = ['0'.repeat(40), commit, 'HEAD', '', `${oidOf('small')}\n${oidOf('small')}`];
    const answers = await Promise.all(ids.map((id) => reader.read(id, 1_000)));
    expect(answers).toEqual(ids.map(() => 'missing'));
    expect(String(await reader.read(oidOf('small'), 1_000))).toBe('small\n');
  });

  it('fails open and later reads once it is closed or aborted', async () => {
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

  it('calls an object without a readable header missing, and says to clone anew when its content is broken', async () => {
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
  it('reads the same answers however the output is cut into chunks', () => {
    const oid = 'a'.repeat(40);
    const output = Buffer.from(
      `${oid} blob 3\nx\ny\n${oid} missing\n${oid} blob 0\n\n${oid} tree 2\nzz\n${oid} blob 9\n123456789\n`,
    );
    for (let size = 1; size <= output.length; size += 1) {
      const answers: BatchAnswer[] = [];
      const batch = new BatchOutput({ limit: () => 5, answer: (answer) => answers.push(answer) });
      for (let at = 0; at < output.length; at += size) batch.push(output.subarray(at, at + size));
      expect(answers.map(String)).toEqual(['x\ny', 'missing', '', 'missing', 'too_large']);
    }
  });
});
