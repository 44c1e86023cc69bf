import { createHash } from 'node:crypto';
import { isManifest, type Manifest, readManifest } from '../../../backends/languages/port.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { RepositoryPackages } from '../packages/repository-packages.ts';
import { type FileEntry, type ParseDeps, readText } from './read-files.ts';

/** Maximum number of manifests of a repository; those nearest to its root are read. */
const maxManifests = 2_000;

/** Reads the manifests among the files of a commit. Damaged ones and those that are too large say nothing. */
export async function readPackages(
  { reader, signal }: Pick<ParseDeps, 'reader' | 'signal'>,
  entries: Iterable<FileEntry>,
): Promise<RepositoryPackages> {
  const found = [...entries].filter(({ path }) => isManifest(path));
  const ordered = found.toSorted((a, b) => depthOf(a) - depthOf(b) || compareText(a.path, b.path));
  const manifests = new Map<string, Manifest>();
  const hash = createHash('sha256');
  for (const { path, oid } of ordered.slice(0, maxManifests)) {
    signal.throwIfAborted();
    const text = await readText(reader, oid);
    const manifest = text === undefined ? undefined : readManifest(path, text);
    if (manifest === undefined) continue;
    manifests.set(path, manifest);
    hash.update(JSON.stringify([path, { ...manifest, entries: [...(manifest.entries ?? [])] }]));
  }
  return new RepositoryPackages(manifests, hash.digest('base64'));
}

function depthOf({ path }: FileEntry): number {
  return path.split('/').length;
}
