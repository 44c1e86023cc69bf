import { availableParallelism } from 'node:os';
import type { IndexCompression } from '../../../foundation/config/config.ts';
import type { OrganizationId, RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { checkRankRequest, checkSearchRequest, searchLimits } from '../check-request.ts';
import type { DefinitionReader } from '../definition-reader.ts';
import { isFolderId } from '../folder-id.ts';
import {
  type CodeIndex,
  type CodeSearch,
  noPassages,
  type RankResult,
  rankLimits,
  type SearchResult,
} from '../port.ts';
import { readManifest } from './format/manifest.ts';
import { repositoryFolder } from './format/repository-folder.ts';
import { areSymbolsDamaged } from './format/symbols-file.ts';
import { isMarkedDamaged, markDamaged } from './read/repository-index.ts';
import { damageReporter } from './report-damage.ts';
import { spareCollectors } from './segment/collectors.ts';
import { SearchPool } from './thread/search-pool.ts';
import { applyIndex, compactIndex, defineIndex, type IndexRoot, statusOf } from './writer/apply-index.ts';
import { isIntact, openCurrentIndex } from './writer/current-index.ts';
import { deleteIndexLeftovers } from './writer/delete-leftovers.ts';
import { removeIndex } from './writer/remove-index.ts';

export interface EmbeddedDeps {
  /** Folder of all indexes, shared by readers and writers. */
  readonly root: string;
  readonly log: Logger;
  /** Number of concurrent searches. Default: the processor cores of the machine, at most 4. */
  readonly threads?: number;
  /** Settles when search threads may start; searches wait until then. Default: the first one starts at once. */
  readonly startWhen?: Promise<void> | undefined;
  /** Compression of new segments; readers support both kinds. Default: `none`. */
  readonly compression?: IndexCompression;
  /** Reads the definitions of new files. */
  readonly definitions: DefinitionReader;
}

/** Opens code search over the indexes under `root`, in its own threads. Detects new generations by itself. */
export function openCodeSearch({
  root,
  log,
  threads,
  startWhen,
}: Omit<EmbeddedDeps, 'compression' | 'definitions'>): CodeSearch {
  const reportDamage = damageReporter(log);
  const pool = new SearchPool({
    root,
    log,
    threads: threads ?? Math.min(availableParallelism(), 4),
    startWhen,
  });
  return {
    capabilities: { rank: 'index' },
    search: async (scope, request, signal, onStart) => {
      checkSearchRequest(request);
      const { organizationId, callerId } = scope;
      const started = performance.now();
      const task = { kind: 'search', organizationId, callerId, request } as const;
      const result = (await pool.run(task, searchLimits(request), signal, onStart)) as
        | SearchResult
        | undefined;
      reportDamage(organizationId, result);
      return result ?? emptyAtDeadline(performance.now() - started);
    },
    rank: async (scope, request, signal, onStart) => {
      checkRankRequest(request);
      const task = { kind: 'rank', organizationId: scope.organizationId, request } as const;
      const limits = { ...rankLimits, waitMs: request.waitMs };
      const result = (await pool.run(task, limits, signal, onStart)) as RankResult | undefined;
      reportDamage(scope.organizationId, result);
      return result ?? { files: [], passages: noPassages, unmatched: [], partial: true };
    },
    close: () => pool.close(),
  };
}

function emptyAtDeadline(milliseconds: number): SearchResult {
  return {
    files: [],
    stats: { candidates: 0, scanned: 0, matched: 0, milliseconds },
    incomplete: 'deadline',
  };
}

export interface EmbeddedCodeIndex extends CodeIndex {
  /**
   * Returns the indexed commit of the default branch; `undefined` if nothing is indexed or an id is invalid. Reads
   * one small file.
   */
  indexedCommit(scope: DataScope, repository: RepositoryId): Promise<string | undefined>;
}

/** Opens the writer of the indexes under `root`. Deletes at once what killed processes left there. */
export function openCodeIndex({
  root,
  log,
  compression = 'none',
  definitions,
}: Pick<EmbeddedDeps, 'root' | 'log' | 'compression' | 'definitions'>): EmbeddedCodeIndex {
  deleteIndexLeftovers(root);
  const codec = compression === 'zstd' ? 'zstd' : 'raw';
  const indexRoot: IndexRoot = {
    root,
    verified: new Map(),
    codec,
    spare: spareCollectors(),
    definitions,
    log,
  };
  const folderOf = (organizationId: OrganizationId, repository: string): string =>
    repositoryFolder(root, organizationId, repository);
  return {
    apply: (request, signal) => applyIndex(indexRoot, request, signal),
    define: (request, signal) => defineIndex(indexRoot, request, signal),
    compact: (request, signal) => compactIndex(indexRoot, request, signal),
    remove: async (scope, repository) => {
      removeIndex(root, scope.organizationId, folderOf(scope.organizationId, repository));
    },
    status: async (scope, repository) => {
      const folder = folderOf(scope.organizationId, repository);
      const current = openCurrentIndex(folder);
      if (current === undefined) return undefined;
      try {
        if (await isIntact(folder, current, indexRoot.verified)) return statusOf(folder, current.manifest);
        markDamaged(folder, current.manifest.generation);
        log.warn({ repository }, 'the index of a repository is damaged; it must be rebuilt');
        return undefined;
      } finally {
        current.close();
      }
    },
    indexedCommit: async ({ organizationId }, repository) => {
      if (!isFolderId(organizationId) || !isFolderId(repository)) return undefined;
      return readManifest(folderOf(organizationId, repository))?.commit;
    },
    isDamaged: async (scope, repository) => {
      const folder = folderOf(scope.organizationId, repository);
      const manifest = readManifest(folder);
      return (
        manifest === undefined ||
        isMarkedDamaged(folder, manifest.generation) ||
        manifest.segments.some(({ symbols }) => areSymbolsDamaged(folder, symbols))
      );
    },
  };
}
