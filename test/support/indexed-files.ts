import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eachBit } from '../../src/backends/codesearch/embedded/format/bits.ts';
import { documentsOnBranches } from '../../src/backends/codesearch/embedded/read/branches.ts';
import { OpenIndexes } from '../../src/backends/codesearch/embedded/read/open-indexes.ts';

/** The files of an organization that a reader who begins now would answer from, by path; those of one branch. */
export function indexedFiles(root: string, organizationId: string, branch = 'HEAD'): Record<string, string> {
  const indexes = new OpenIndexes(root);
  const found: Record<string, string> = {};
  try {
    for (const live of indexes.inRange({ organizationId }).segments) {
      const { segment } = live;
      const { count, firstUnit } = segment.documents;
      for (const document of eachBit(documentsOnBranches(live, branch) ?? new Uint32Array(0), 0, count)) {
        const path = live.path(document);
        if (path in found) throw new Error(`${path} is there twice`);
        found[path] = segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!).toString();
      }
    }
  } finally {
    indexes.close();
  }
  return found;
}

/** Bytes of the segments in a folder. */
export function segmentBytes(folder: string): number {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.seg'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
