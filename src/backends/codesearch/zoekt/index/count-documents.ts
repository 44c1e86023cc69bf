import { listTree } from '../../../../foundation/git/objects/objects.ts';
import { printText } from '../query/print-regex.ts';
import { and, printQuery, type ZoektQuery } from '../query/zoekt-query.ts';
import type { ZoektClient } from '../zoekt-client.ts';

export interface DocumentCounts {
  readonly files: number;
  readonly skipped: Readonly<Record<string, number>>;
}

/**
 * The texts that Zoekt indexes in place of a skipped file (`index/document.go`), by the reason names of this product.
 */
const reasons: Readonly<Record<string, string>> = {
  too_large: 'exceeds the maximum size limit',
  too_small: 'contains too few trigrams',
  binary: 'contains binary content',
  too_many_trigrams: 'contains too many trigrams',
  missing: 'object missing from repository',
};

const timeoutMs = 30_000;

/**
 * Counts the indexed and the skipped files of the default branch with searches, because Zoekt does not record them.
 * Files of the tree that are in neither group are skipped silently (submodules, and files that `.sourcegraph/ignore`
 * names).
 */
export async function countDocuments(
  client: ZoektClient,
  name: string,
  mirror: string,
  commit: string,
  signal: AbortSignal,
): Promise<DocumentCounts> {
  const repository: ZoektQuery = { kind: 'repository', pattern: printText(name) };
  const onDefault: ZoektQuery = { kind: 'branch', text: 'HEAD' };
  const count = async (...also: ZoektQuery[]): Promise<number> => {
    const query = printQuery(and(repository, onDefault, ...also));
    return (await client.search({ query, options: { MaxDocDisplayCount: 1 } }, timeoutMs, signal)).FileCount;
  };
  const documents = await count();
  const skipped: Record<string, number> = {};
  for (const [reason, text] of Object.entries(reasons)) {
    const pattern = String.raw`\ANOT-INDEXED: ${text}\z`;
    const found = await count({ kind: 'pattern', field: 'content', pattern, caseSensitive: true });
    if (found > 0) skipped[reason] = found;
  }
  const files = documents - Object.values(skipped).reduce((sum, each) => sum + each, 0);
  const listed = await listedFiles(mirror, commit, signal);
  if (listed.submodules > 0) skipped['submodule'] = listed.submodules;
  if (listed.files > documents) skipped['ignored'] = listed.files - documents;
  return { files, skipped };
}

async function listedFiles(
  mirror: string,
  commit: string,
  signal: AbortSignal,
): Promise<{ files: number; submodules: number }> {
  let [files, submodules] = [0, 0];
  for await (const { type } of listTree(mirror, commit, signal, { sizes: false })) {
    if (type === 'commit') submodules += 1;
    else files += 1;
  }
  return { files, submodules };
}
