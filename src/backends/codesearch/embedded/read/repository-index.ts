import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileVersion, isAbsent } from '../format/durable-files.ts';
import { type Manifest, manifestFile, readManifest, type SegmentEntry } from '../format/manifest.ts';
import { type SegmentView, viewSegment } from './live-segment.ts';
import { OpenSymbols } from './open-symbols.ts';
import { DamagedSegment, type SegmentCaches } from './segment.ts';
import { openSegmentFile, readSegmentState } from './segment-state.ts';

/** One generation of a repository, open for reading. It stays readable when its files are deleted. */
export interface RepositoryIndex {
  readonly manifest: Manifest;
  readonly parts: readonly OpenPart[];
  /** True if a part of the generation cannot be read. The other parts are correct but incomplete. */
  readonly damaged: boolean;
}

interface OpenPart {
  /** Name of the segment's file. */
  readonly file: string;
  readonly view: SegmentView;
}

/**
 * Opens the current generation, or returns `undefined` if there is no readable manifest. Unreadable parts are
 * omitted. Files never change, so those that `former` has open are reused; `closeReplaced` closes the rest.
 */
export function openRepositoryIndex(
  folder: string,
  former: RepositoryIndex | undefined,
  caches: SegmentCaches,
): RepositoryIndex | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined) return undefined;
  const known = new Map(former?.parts.map(({ file, view }) => [file, view]));
  const parts: OpenPart[] = [];
  let damaged = isMarkedDamaged(folder, manifest.generation);
  try {
    for (const entry of manifest.segments) {
      const view = openPart(folder, entry, known.get(entry.file), caches);
      if (view === undefined) damaged = true;
      else parts.push({ file: entry.file, view });
    }
  } catch (error) {
    closeReplaced({ parts }, former);
    throw error;
  }
  return { manifest, parts, damaged };
}

/** Closes the files of `index` that `kept` does not use. */
export function closeReplaced(
  index: Pick<RepositoryIndex, 'parts'> | undefined,
  kept?: Pick<RepositoryIndex, 'parts'>,
): void {
  const open = new Set<SegmentView[OpenFile]>(
    kept?.parts.flatMap(({ view }) => openFiles.map((part) => view[part])),
  );
  for (const { view } of index?.parts ?? []) {
    for (const part of openFiles) if (!open.has(view[part])) view[part].close();
  }
}

const openFiles = ['segment', 'symbols'] as const;
type OpenFile = (typeof openFiles)[number];

/** Opens a part, or returns `undefined` if it is damaged. */
function openPart(
  folder: string,
  entry: SegmentEntry,
  known: SegmentView | undefined,
  caches: SegmentCaches,
): SegmentView | undefined {
  let segment = known?.segment;
  try {
    segment ??= openSegmentFile(folder, entry, caches);
    const state = readSegmentState(folder, entry, segment);
    return viewSegment(entry, segment, openPartSymbols(folder, entry, known?.symbols, caches), state);
  } catch (error) {
    if (segment !== known?.segment) segment?.close();
    if (error instanceof DamagedSegment) return undefined;
    throw error;
  }
}

function openPartSymbols(
  folder: string,
  entry: SegmentEntry,
  known: OpenSymbols | undefined,
  { tables }: SegmentCaches,
): OpenSymbols {
  return known !== undefined && known.file === entry.symbols?.file
    ? known
    : new OpenSymbols(folder, entry, tables);
}

/** Returns a version that distinguishes manifests without reading them, or `undefined` if there is no manifest. */
export function manifestVersion(folder: string): string | undefined {
  return fileVersion(manifestFile(folder));
}

/** Marks a generation as damaged, so that the process that writes the index rebuilds it. */
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
