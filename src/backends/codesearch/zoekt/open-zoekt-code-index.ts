import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
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
  /** Where universal-ctags is, asked until there is one. Default: looked for in PATH. */
  readonly ctags?: () => Promise<string | undefined>;
  /** Milliseconds for the indexer, and for the webserver to take up what it wrote. Default: an hour, a minute. */
  readonly indexMs?: number;
  readonly servedMs?: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Writes the shards that a `zoekt-webserver` over the same folder answers from. */
export function openZoektCodeIndex(deps: ZoektIndexDeps): CodeIndex {
  const { url, http, indexDir, gitIndex, log, indexMs = HOUR_MS, servedMs = MINUTE_MS } = deps;
  const client = openZoektClient(http, url);
  const ctags = soughtCtags(deps.ctags ?? findCtags, log);
  const apply: ApplyDeps = { client, indexDir, gitIndex, ctags, indexMs, servedMs };
  const bring = (request: IndexRequest, signal: AbortSignal) =>
    applyIndex(apply, checkedName(request.scope, request.repository.id), request, signal);
  return {
    apply: bring,
    // Zoekt's shards are whole after every run: there is nothing to merge.
    tidy: bring,
    remove: async (scope, repository) => {
      const name = indexName(scope, repository);
      if (name === undefined) return;
      const wasThere = (await shardFiles(indexDir, name)).length > 0;
      await removeShards(indexDir, name);
      const gone =
        !wasThere ||
        (await awaitGone(client, name, servedMs, AbortSignal.timeout(servedMs)).catch(() => false));
      if (!gone)
        log.warn({ repository }, 'zoekt-webserver may still answer from a repository that was removed');
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

function checkedName(scope: OrgScope, repository: RepositoryId): string {
  const name = indexName(scope, repository);
  if (name !== undefined) return name;
  throw new InvalidInput('A repository is indexed under ids of letters, digits, hyphens and underscores.');
}

/** What was found stays; what was not is looked for again, for it may have been installed meanwhile. */
function soughtCtags(find: () => Promise<string | undefined>, log: Logger): ApplyDeps['ctags'] {
  let found: string | undefined;
  let isTold = false;
  return async () => {
    found ??= await find();
    if (found === undefined && !isTold)
      log.warn('no universal-ctags on this host: Zoekt indexes no symbols, sym: finds nothing');
    isTold = true;
    return found;
  };
}
