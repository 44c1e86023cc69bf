import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eachBit } from '../../../src/backends/codesearch/embedded/format/bits.ts';
import { documentsOnBranches } from '../../../src/backends/codesearch/embedded/read/branches.ts';
import { OpenIndexes } from '../../../src/backends/codesearch/embedded/read/open-indexes.ts';

/** Returns the searchable files of an organization on one branch, by path, as a new reader sees them. */
export function indexedFiles(root: string, organizationId: string, branch = 'HEAD'): Record<string, string> {
  const indexes = new OpenIndexes(root);
  const found: Record<string, string> = {};
  try {
    for (const live of indexes.inRange({ organizationId }).segments) {
      const { segment } = live;
      const { count, firstUnit } = segment.documents;
      for (const document of eachBit(documentsOnBranches(live, branch) ?? new Uint32Array(0), 0, count)) {
        const path = live.path(document);
        if (path in found) throw new Error(`${path} occurs twice`);
        found[path] = segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!).toString();
      }
    }
  } finally {
    indexes.close();
  }
  return found;
}

/** Returns the names that each searchable file defines, by path; `['?']` if they are not read yet. */
export function indexedDefinitions(root: string, organizationId: string): Record<string, string[]> {
  const indexes = new OpenIndexes(root);
  const found: Record<string, string[]> = {};
  try {
    for (const { documents, path, segment, symbols } of indexes.inRange({ organizationId }).segments) {
      for (const document of eachBit(documents, 0, segment.documents.count)) {
        const isRead = symbols.table.isRead(document);
        found[path(document)] = isRead ? symbols.table.of(document).map(({ name }) => name) : ['?'];
      }
    }
  } finally {
    indexes.close();
  }
  return found;
}

/** Returns the total size of the segments in a folder, in bytes. */
export function segmentBytes(folder: string): number {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.seg'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
