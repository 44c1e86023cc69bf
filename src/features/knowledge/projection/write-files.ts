import { createHash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { languageOf } from '../../../backends/codesearch/port.ts';
import { usualHost } from '../../../backends/git-providers/port.ts';
import type { GraphUnit, GraphWriter } from '../../../backends/graph/port.ts';
import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fileFacts, readsText } from '../links/file-facts.ts';
import { fileKey } from '../links/keys.ts';
import type { ProjectedRepository } from './projected-repositories.ts';
import { type Owners, readText } from './read-files.ts';
import type { KnownFile, RepositoryFiles } from './repository-files.ts';

/** Maximum number of files in one transaction, and of facts, which are in memory until then. */
const max = { units: 200, facts: 10_000 } as const;

/** Number of files whose owners and names are compared before other work has a turn. */
const comparedAtOnce = 100;

export interface WriteFilesRequest extends Owners {
  readonly scope: OrgScope;
  readonly repository: ProjectedRepository;
  readonly files: RepositoryFiles;
  readonly reader: BlobReader;
  readonly graph: GraphWriter;
  /** The files whose uses may mean something else now. */
  readonly resolved: ReadonlySet<string> | 'all';
  readonly signal: AbortSignal;
}

/** Writes the facts of the files whose facts changed. */
export async function writeFiles(request: WriteFilesRequest): Promise<void> {
  const { files, repository, owners, graph, scope, signal } = request;
  const { host } = new URL(`https://${repository.hosted ?? usualHost}`);
  const place = {
    repositoryId: repository.id,
    host,
    owners,
    symbols: files.symbols,
    uniqueEnd: files.uniqueEnd,
    sources: repository.sources,
  };
  let units: GraphUnit[] = [];
  let count = 0;
  let written: (readonly [KnownFile, string])[] = [];
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    if (units.length > 0) await graph.replaceUnits(scope, units);
    for (const [known, digest] of written) known.digest = digest;
    [units, written, count] = [[], [], 0];
  };
  for await (const [path, known, context] of filesToWrite(request)) {
    const text = readsText(path, repository.sources) ? await readText(request.reader, known.oid) : undefined;
    const parsed = files.parsed(path);
    const { nodes, edges, mentions } = fileFacts(place, {
      path,
      language: parsed?.language ?? languageOf(path),
      parsed,
      text,
    });
    const facts = { nodes, edges, mentions };
    known.context = context;
    const digest = createHash('sha256').update(JSON.stringify(facts)).digest('base64');
    if (digest === known.digest) continue;
    units.push({
      owner: fileKey(repository.id, path),
      repositoryId: repository.id,
      revision: known.oid,
      facts,
    });
    written.push([known, digest]);
    count += nodes.length + edges.length + mentions.length;
    if (units.length === max.units || count > max.facts) await flush();
  }
  await flush();
  files.keepContext(request.ownersId);
}

/**
 * Yields the files whose facts may have changed, with their present contexts. Nothing else waits while files are
 * written and compared, and the worker has other work.
 */
async function* filesToWrite({
  files,
  owners,
  ownersId,
  resolved,
}: WriteFilesRequest): AsyncGenerator<readonly [path: string, known: KnownFile, context: string], void> {
  const isSameContext = files.hasContext(ownersId);
  let compared = 0;
  for (const [path, known] of files.known) {
    const isResolved = known.stored !== undefined && (resolved === 'all' || resolved.has(path));
    const isAffected = known.digest === '' || isResolved;
    if (!isAffected && isSameContext) continue;
    const context = contextOf(path, files, owners);
    compared += 1;
    const mayChange = isAffected || known.context !== context;
    if (mayChange || compared % comparedAtOnce === 0) await nextTick();
    if (mayChange) yield [path, known, context];
  }
}

/** Returns what the facts of a file depend on besides its content and what its uses mean. */
function contextOf(path: string, files: RepositoryFiles, owners: Owners['owners']): string {
  return JSON.stringify([files.uniqueEnd(path) ?? '', owners(path)]);
}
