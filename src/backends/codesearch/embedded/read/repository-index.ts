import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bits } from '../format/bits.ts';
import { isAbsent, type Manifest, manifestFile, readManifest } from '../format/manifest.ts';
import { deadDocuments, openSegmentFile, searchableDocuments } from './live-segment.ts';
import type { Segment } from './segment.ts';

/** One generation of a repository, open for reading. It stays readable when its files are deleted. */
export interface RepositoryIndex {
  readonly manifest: Manifest;
  readonly segments: readonly { readonly segment: Segment; readonly documents: Bits }[];
  close(): void;
}

/** `undefined` when nothing is indexed. @throws DamagedSegment */
export function openRepositoryIndex(folder: string): RepositoryIndex | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined || isMarkedDamaged(folder, manifest.generation)) return undefined;
  const segments: { segment: Segment; documents: Bits }[] = [];
  const close = (): void => {
    for (const { segment } of segments) segment.close();
  };
  try {
    for (const entry of manifest.segments) {
      const segment = openSegmentFile(folder, entry);
      segments.push({ segment, documents: new Uint32Array(0) });
      segments[segments.length - 1] = {
        segment,
        documents: searchableDocuments(segment, deadDocuments(folder, entry)),
      };
    }
  } catch (error) {
    close();
    throw error;
  }
  return { manifest, segments, close };
}

/** What tells one generation's manifest from the next without reading it; `undefined` when there is none. */
export function manifestVersion(folder: string): string | undefined {
  const stat = statSync(manifestFile(folder), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino}.${stat.mtimeNs}.${stat.size}`;
}

/** Whoever finds damage leaves a mark, so that the process that writes the index rebuilds it. */
export function markDamaged(folder: string, generation: number): void {
  try {
    writeFileSync(join(folder, damageMark(generation)), '', { mode: 0o600 });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

export function isMarkedDamaged(folder: string, generation: number): boolean {
  return statSync(join(folder, damageMark(generation)), { throwIfNoEntry: false }) !== undefined;
}

export function damageMark(generation: number): string {
  return `damaged-${generation}`;
}
