import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { CodeIndex, IndexRequest } from '../port.ts';
import { type ApplyDeps, applyIndex } from './index/apply-index.ts';
import { awaitGone } from './index/await-served.ts';
import { findCtags } from './index/find-ctags.ts';
import { readState, removeState, stateFile, statusOf } from './index/index-state.ts';
import { removeShards, shardFiles } from './index/shard-files.ts';
import { indexName } from './repository-name.ts';
import { openZoektClient } from './zoekt-client.ts';

export interface ZoektIndexDeps {
  /** CODESEARCH_URL: the webserver that serves `indexDir`. */
  readonly url: string;
  readonly http: HttpClient;
  /** ZOEKT_INDEX_DIR. */
  readonly indexDir: string;
  /** ZOEKT_GIT_INDEX. */
  readonly gitIndex: string;
  readonly log: Logger;
  /** Returns the path of universal-ctags; called until it returns one. Default: looks it up in PATH. */
  readonly ctags?: () => Promise<string | undefined>;
  /**
   * Time-outs of the indexer and of waiting until the webserver serves its result, in milliseconds. Default: one hour
   * and one minute.
   */
  readonly indexMs?: number;
  readonly servedMs?: number;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Opens the index that writes the shards for a `zoekt-webserver` over the same folder. */
export function openZoektCodeIndex(deps: ZoektIndexDeps): CodeIndex {
  const { url, http, indexDir, gitIndex, log, indexMs = hourMs, servedMs = minuteMs } = deps;
  const client = openZoektClient(http, url);
  const ctags = cachedCtags(deps.ctags ?? findCtags, log);
  const apply: ApplyDeps = { client, indexDir, gitIndex, ctags, indexMs, servedMs };
  const applyRequest = (request: IndexRequest, signal: AbortSignal) =>
    applyIndex(apply, checkedName(request.scope, request.repository.id), request, signal);
  return {
    apply: applyRequest,
    // Zoekt writes complete shards with their symbols in every run, so there is nothing to define or merge.
    define: applyRequest,
    compact: applyRequest,
    remove: async (scope, repository) => {
      const name = indexName(scope, repository);
      if (name === undefined) return;
      const wasThere = (await shardFiles(indexDir, name)).length > 0;
      await removeShards(indexDir, name);
      const gone =
        !wasThere ||
        (await awaitGone(client, name, servedMs, AbortSignal.timeout(servedMs)).catch(() => false));
      if (!gone) log.warn({ repository }, 'zoekt-webserver may still serve a removed repository');
      await removeState(stateFile(indexDir, name));
    },
    status: async (scope, repository) => {
      const name = indexName(scope, repository);
      const state = name === undefined ? undefined : await readState(stateFile(indexDir, name));
      const isThere = name !== undefined && (await shardFiles(indexDir, name)).length > 0;
      return state === undefined || !isThere ? undefined : statusOf(state);
    },
    isDamaged: async (scope, repository) => {
      const name = indexName(scope, repository);
      if (name === undefined || (await readState(stateFile(indexDir, name))) === undefined) return true;
      return (await shardFiles(indexDir, name)).length === 0;
    },
  };
}

function checkedName(scope: DataScope, repository: RepositoryId): string {
  const name = indexName(scope, repository);
  if (name !== undefined) return name;
  throw new InvalidInput(
    'Ids of an indexed organization and repository may contain only letters, digits, hyphens and underscores.',
  );
}

/** Caches the path once it is found. Until then it looks again, because ctags may be installed later. */
function cachedCtags(find: () => Promise<string | undefined>, log: Logger): ApplyDeps['ctags'] {
  let found: string | undefined;
  let isWarned = false;
  return async () => {
    found ??= await find();
    if (found === undefined && !isWarned)
      log.warn('universal-ctags was not found; Zoekt indexes no symbols, and sym: finds nothing');
    isWarned = true;
    return found;
  };
}
