import { listTree } from '../../../../foundation/git/objects.ts';
import { printText } from '../query/print-regex.ts';
import { and, printQuery, type ZoektQuery } from '../query/zoekt-query.ts';
import type { ZoektClient } from '../zoekt-client.ts';

export interface DocumentCounts {
  readonly files: number;
  readonly skipped: Readonly<Record<string, number>>;
}

/** The reasons that Zoekt writes instead of a text (`index/document.go`), as the product words them. */
const reasons: Readonly<Record<string, string>> = {
  too_large: 'exceeds the maximum size limit',
  too_small: 'contains too few trigrams',
  binary: 'contains binary content',
  too_many_trigrams: 'contains too many trigrams',
  missing: 'object missing from repository',
};

const TIMEOUT_MS = 30_000;

/**
 * What the index holds of the default branch and what it leaves out, counted by asking: Zoekt keeps no account. The
 * rest of the tree is what it passes over without a word (submodules, and what `.sourcegraph/ignore` names).
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
    return (await client.search({ query, options: { MaxDocDisplayCount: 1 } }, TIMEOUT_MS, signal)).FileCount;
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
