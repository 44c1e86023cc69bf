import { availableParallelism } from 'node:os';
import type { IndexCompression } from '../../../foundation/config/config.ts';
import type { OrganizationId, RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { checkRankRequest, checkSearchRequest } from '../check-request.ts';
import { isFolderId } from '../folder-id.ts';
import {
  type CodeIndex,
  type CodeSearch,
  type RankResult,
  rankDeadlineMs,
  type SearchResult,
} from '../port.ts';
import { applyIndex, type IndexRoot, statusOf, tidyIndex } from './build/apply-index.ts';
import { isIntact, openCurrentIndex } from './build/current-index.ts';
import { removeIndex } from './build/remove-index.ts';
import { sweepIndex } from './build/sweep.ts';
import { readManifest } from './format/manifest.ts';
import { repositoryFolder } from './format/repository-folder.ts';
import { isMarkedDamaged, markDamaged } from './read/repository-index.ts';
import { damageReporter } from './report-damage.ts';
import { spareCollectors } from './segment/collectors.ts';
import { SearchPool } from './thread/search-pool.ts';

export interface EmbeddedDeps {
  /** Folder of all indexes; the same for those that write and those that read. */
  readonly root: string;
  readonly log: Logger;
  /** Searches at once; default: the cores of the machine, at most 4. */
  readonly threads?: number;
  /** How new segments keep text; both kinds are read side by side. Default: `none`. */
  readonly compression?: IndexCompression;
}

/** Answers from the indexes under `root`, in threads of its own. Sees new generations by itself. */
export function openCodeSearch({ root, log, threads }: EmbeddedDeps): CodeSearch {
  const reportDamage = damageReporter(log);
  const pool = new SearchPool({ root, log, threads: threads ?? Math.min(availableParallelism(), 4) });
  return {
    capabilities: { rank: 'index' },
    search: async (scope, request, signal) => {
      checkSearchRequest(request);
      const { organizationId } = scope;
      const started = performance.now();
      const task = { kind: 'search', organizationId, request } as const;
      const result = (await pool.run(task, request.deadlineMs, signal)) as SearchResult | undefined;
      reportDamage(organizationId, result);
      return result ?? nothingInTime(performance.now() - started);
    },
    rank: async (scope, request, signal) => {
      checkRankRequest(request);
      const task = { kind: 'rank', organizationId: scope.organizationId, request } as const;
      const result = (await pool.run(task, rankDeadlineMs, signal)) as RankResult | undefined;
      reportDamage(scope.organizationId, result);
      return result ?? { files: [], incomplete: 'deadline' };
    },
    close: () => pool.close(),
  };
}

function nothingInTime(milliseconds: number): SearchResult {
  return {
    files: [],
    stats: { candidates: 0, scanned: 0, matched: 0, milliseconds },
    incomplete: 'deadline',
  };
}

export interface EmbeddedCodeIndex extends CodeIndex {
  /** Of the default branch; `undefined` where nothing is indexed, or can be under such ids. One small file is read. */
  indexedCommit(scope: OrgScope, repository: RepositoryId): Promise<string | undefined>;
}

/** Writes the indexes under `root`. Deletes at once what killed processes left there. */
export function openCodeIndex({
  root,
  log,
  compression = 'none',
}: Pick<EmbeddedDeps, 'root' | 'log' | 'compression'>): EmbeddedCodeIndex {
  sweepIndex(root);
  const codec = compression === 'zstd' ? 'zstd' : 'raw';
  const indexRoot: IndexRoot = { root, verified: new Map(), codec, spare: spareCollectors(), log };
  const folderOf = (organizationId: OrganizationId, repository: string): string =>
    repositoryFolder(root, organizationId, repository);
  return {
    apply: (request, signal) => applyIndex(indexRoot, request, signal),
    tidy: (request, signal) => tidyIndex(indexRoot, request, signal),
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
        log.warn({ repository }, 'the index of a repository is damaged and has to be built anew');
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
      return manifest === undefined || isMarkedDamaged(folder, manifest.generation);
    },
  };
}
