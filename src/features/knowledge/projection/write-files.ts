import { hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { languageOf } from '../../../backends/codesearch/port.ts';
import { usualHost } from '../../../backends/git-providers/port.ts';
import type { GraphUnit, GraphWriter } from '../../../backends/graph/port.ts';
import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { OwnerRule } from '../links/code-owners.ts';
import { fileFacts, readsText } from '../links/file-facts.ts';
import { fileKey } from '../links/keys.ts';
import { PackageExports } from '../packages/exported-names.ts';
import type { ProjectedRepository } from './projected-repositories.ts';
import { type Owners, readText } from './read-files.ts';
import type { KnownFile, RepositoryFiles } from './repository-files.ts';

/** Maximum number of files in one transaction, and of facts, which are in memory until then. */
const max = { units: 200, facts: 10_000 } as const;

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
  const { files, repository, graph, scope, signal } = request;
  const { host } = new URL(`https://${repository.hosted ?? usualHost}`);
  const place = {
    repositoryId: repository.id,
    host,
    symbols: files.symbols,
    exports: new PackageExports(files.packages, files.symbols),
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
  for await (const { path, known, context, rules } of filesToWrite(request)) {
    const text = readsText(path, repository.sources) ? await readText(request.reader, known.oid) : undefined;
    const parsed = files.parsed(path);
    const { nodes, edges, mentions } = fileFacts(place, {
      path,
      language: parsed?.language ?? languageOf(path),
      parsed,
      text,
      owners: rules ?? [],
    });
    const facts = { nodes, edges, mentions };
    known.context = context;
    known.ownersRead = rules !== undefined;
    const digest = hash('sha256', JSON.stringify(facts), 'base64');
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

interface FileToWrite {
  readonly path: string;
  readonly known: KnownFile;
  /** What its facts depend on besides its content and what its uses mean. */
  readonly context: string;
  /** The rules that name its owners; `undefined` if the search for them takes too long. */
  readonly rules: readonly OwnerRule[] | undefined;
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
}: WriteFilesRequest): AsyncGenerator<FileToWrite, void> {
  const isSameContext = files.hasContext(ownersId);
  const pause = openPauses();
  for (const [path, known] of files.known) {
    const isResolved = known.stored !== undefined && (resolved === 'all' || resolved.has(path));
    const isAffected = known.digest === '' || isResolved;
    if (!isAffected && isSameContext) continue;
    const rules = owners(path);
    const context = JSON.stringify([files.uniqueEnd(path) ?? '', rules]);
    const mayChange = isAffected || known.context !== context;
    await (mayChange ? nextTick() : pause());
    if (mayChange) yield { path, known, context, rules };
  }
}
