import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAbsent, replaceDurably, syncFolder } from './durable-files.ts';

/**
 * The manifest is the truth of answers (architecture, section 3): what it does not name does not exist. It is replaced
 * as a whole, by rename, after everything it names is on disk.
 */
const fileName = z.string().regex(/^[\w.-]+$/);

const segmentEntry = z.object({
  file: fileName,
  kind: z.enum(['base', 'delta']),
  bytes: z.int().nonnegative(),
  /** Of the segment's header, which holds those of its sections. */
  checksum: z.int().nonnegative(),
  documents: z.int().nonnegative(),
  /** Documents that are dead or elsewhere by now, as `overrides.ts` says; `dead` counts those on no branch. */
  overrides: z
    .object({ file: fileName, checksum: z.int().nonnegative(), rows: z.int().nonnegative() })
    .optional(),
  dead: z.int().nonnegative().default(0),
  /** The same in manifests of format 1, which knew but dead ones: a bit each. */
  tombstones: z
    .object({ file: fileName, checksum: z.int().nonnegative(), count: z.int().nonnegative() })
    .optional(),
});

/**
 * Raised when older readers would answer wrongly from a manifest: those of format 1 know no overrides. The former one
 * is still read.
 */
export const MANIFEST_FORMAT = 2;

const manifestShape = z.object({
  format: z.union([z.literal(1), z.literal(MANIFEST_FORMAT)]),
  /** What the segments were made by (`INDEXER`); the oldest of them counts. */
  indexer: z.int().positive().default(1),
  generation: z.int().positive(),
  commit: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
  /** The default branch first. */
  branches: z
    .array(z.object({ name: z.string(), commit: z.string(), bit: z.int().min(0).max(63).default(0) }))
    .default([]),
  segments: z.array(segmentEntry),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  skipped: z.record(z.string(), z.int().nonnegative()),
});

export type Manifest = z.infer<typeof manifestShape>;
export type SegmentEntry = z.infer<typeof segmentEntry>;

export type ManifestBranch = Manifest['branches'][number];

const MANIFEST = 'manifest';

export function manifestFile(folder: string): string {
  return join(folder, MANIFEST);
}

/** `undefined` when there is none, or none of this format. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return manifestShape.parse(JSON.parse(readFileSync(manifestFile(folder), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The default branch first. Manifests of the first program named none. */
export function branchesOf({ branches, commit }: Manifest): [ManifestBranch, ...ManifestBranch[]] {
  const [first = { name: 'HEAD', commit, bit: 0 }, ...others] = branches;
  return [first, ...others];
}

/** A crash leaves the former manifest or the new one. */
export function writeManifest(folder: string, manifest: Manifest): void {
  replaceDurably(manifestFile(folder), Buffer.from(JSON.stringify(manifest)));
}

/** The repository vanishes from answers. */
export function deleteManifest(folder: string): void {
  try {
    unlinkSync(manifestFile(folder));
    syncFolder(folder);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** The files a manifest keeps alive, by name. */
export function filesOf(manifest: Manifest | undefined): Set<string> {
  const files = new Set<string>();
  if (manifest === undefined) return files;
  files.add(MANIFEST);
  for (const segment of manifest.segments) {
    files.add(segment.file);
    if (segment.tombstones !== undefined) files.add(segment.tombstones.file);
    if (segment.overrides !== undefined) files.add(segment.overrides.file);
  }
  return files;
}
