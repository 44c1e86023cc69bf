import { join } from 'node:path';
import type { BatchResponse } from '../../src/foundation/git/objects/batch-output.ts';
import { type BlobReader, openBlobReader } from '../../src/foundation/git/objects/blob-reader.ts';
import { listTree } from '../../src/foundation/git/objects/objects.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/blob-reader.ts`: measures how many small blobs per second one reader returns with 256 in flight
 * (must: 1,000).
 */
const files = sized(4_000, 50);
const threshold = 1_000;

const repository = createRepository(
  Object.fromEntries(Array.from({ length: files }, (_, index) => [`f${index % 50}/${index}`, `${index}\n`])),
);
const gitDir = join(repository.folder, '.git');
await using reader = openBlobReader(gitDir);
const started = performance.now();
const read = await readAll(reader, repository.git('rev-parse', 'HEAD'));
const perSecond = (read / (performance.now() - started)) * 1_000;
const outcome = read === files && perSecond >= threshold ? 'holds' : 'MISSED';
console.log(`${read} blobs, ${perSecond.toFixed(0)} per second (must ${threshold}: ${outcome})`);

async function readAll(blobs: BlobReader, commit: string): Promise<number> {
  let bodies = 0;
  let batch: Promise<BatchResponse>[] = [];
  const drain = async (): Promise<void> => {
    bodies += (await Promise.all(batch)).filter((response) => typeof response !== 'string').length;
    batch = [];
  };
  for await (const { oid } of listTree(gitDir, commit)) {
    if (batch.push(blobs.read(oid, 1_000)) === 256) await drain();
  }
  await drain();
  return bodies;
}
