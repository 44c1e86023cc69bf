import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAbsent, replaceDurably, syncFolder } from './durable-files.ts';

/**
 * The manifest defines the index (architecture, section 3): a file that it does not name is not part of it. It is
 * replaced as a whole, by rename, after everything that it names is on disk.
 */
const fileName = z.string().regex(/^[\w.-]+$/);

const branch = z.object({ name: z.string(), commit: z.string(), bit: z.int().min(0).max(63) });

const segmentEntry = z.object({
  file: fileName,
  kind: z.enum(['base', 'delta']),
  bytes: z.int().nonnegative(),
  /** Checksum of the segment's header, which contains the checksums of its sections. */
  checksum: z.int().nonnegative(),
  documents: z.int().nonnegative(),
  /** Documents that died or were renamed since the segment was written (`overrides.ts`). */
  overrides: z
    .object({ file: fileName, checksum: z.int().nonnegative(), rows: z.int().nonnegative() })
    .optional(),
  /** Number of documents that are on no branch. */
  dead: z.int().nonnegative(),
  /** The definitions of its documents (`symbols-file.ts`); absent until some were read. `documents` counts those. */
  symbols: z
    .object({ file: fileName, checksum: z.int().nonnegative(), documents: z.int().nonnegative() })
    .optional(),
  /** Number of documents on branches whose definitions are not read yet. */
  withoutDefinitions: z.int().nonnegative(),
});

/**
 * The format of manifests. Increase it when other readers would answer wrongly. An index with another format is not
 * read: the next `apply` replaces it.
 */
export const manifestFormat = 2;

const manifestShape = z.object({
  format: z.literal(manifestFormat),
  /** The lowest `indexerVersion` that segments were written with. */
  indexerVersion: z.int().positive(),
  generation: z.int().positive(),
  commit: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
  /** The default branch first. */
  branches: z.tuple([branch], branch),
  segments: z.array(segmentEntry),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  skipped: z.record(z.string(), z.int().nonnegative()),
});

export type Manifest = z.infer<typeof manifestShape>;
export type SegmentEntry = z.infer<typeof segmentEntry>;

export type ManifestBranch = Manifest['branches'][number];

const manifestName = 'manifest';

export function manifestFile(folder: string): string {
  return join(folder, manifestName);
}

/** Reads the manifest; `undefined` if it does not exist or has another format. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return manifestShape.parse(JSON.parse(readFileSync(manifestFile(folder), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Replaces the manifest. A crash leaves the previous manifest or the new one. */
export function writeManifest(folder: string, manifest: Manifest): void {
  replaceDurably(manifestFile(folder), Buffer.from(JSON.stringify(manifest)));
}

/** Deletes the manifest, and with it the repository from all answers. */
export function deleteManifest(folder: string): void {
  try {
    unlinkSync(manifestFile(folder));
    syncFolder(folder);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Returns the names of the files that belong to the index. */
export function filesOf(manifest: Manifest | undefined): Set<string> {
  const files = new Set<string>();
  if (manifest === undefined) return files;
  files.add(manifestName);
  for (const segment of manifest.segments) {
    files.add(segment.file);
    if (segment.overrides !== undefined) files.add(segment.overrides.file);
    if (segment.symbols !== undefined) files.add(segment.symbols.file);
  }
  return files;
}
