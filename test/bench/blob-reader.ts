import { join } from 'node:path';
import type { BatchAnswer } from '../../src/foundation/git/batch-output.ts';
import { type BlobReader, openBlobReader } from '../../src/foundation/git/blob-reader.ts';
import { listTree } from '../../src/foundation/git/objects.ts';
import { createRepository } from '../support/git-repository.ts';

/** `node test/bench/blob-reader.ts`: how many small blobs a second one reader gives, 256 under way at a time (must: 1,000). */
const files = 4_000;
const bar = 1_000;

const repository = createRepository(
  Object.fromEntries(Array.from({ length: files }, (_, index) => [`f${index % 50}/${index}`, `${index}\n`])),
);
const gitDir = join(repository.folder, '.git');
await using reader = openBlobReader(gitDir);
const started = performance.now();
const read = await readAll(reader, repository.git('rev-parse', 'HEAD'));
const perSecond = (read / (performance.now() - started)) * 1_000;
const verdict = read === files && perSecond >= bar ? 'holds' : 'MISSED';
console.log(`${read} blobs, ${perSecond.toFixed(0)} a second (must ${bar}: ${verdict})`);

async function readAll(blobs: BlobReader, commit: string): Promise<number> {
  let bodies = 0;
  let batch: Promise<BatchAnswer>[] = [];
  const drain = async (): Promise<void> => {
    bodies += (await Promise.all(batch)).filter((answer) => typeof answer !== 'string').length;
    batch = [];
  };
  for await (const { oid } of listTree(gitDir, commit)) {
    if (batch.push(blobs.read(oid, 1_000)) === 256) await drain();
  }
  await drain();
  return bodies;
}
