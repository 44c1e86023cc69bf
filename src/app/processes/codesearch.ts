import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../backends/codesearch/git/git-source-reader.ts';
import { openHostedIndex } from '../../backends/codesearch/hosted/hosted-index.ts';
import { hostedMirror } from '../../backends/codesearch/hosted/mirror-folder.ts';
import { parsedDefinitions } from '../../backends/codesearch/parsed-definitions.ts';
import type { CodeSearch } from '../../backends/codesearch/port.ts';
import { ParseQueue } from '../../backends/languages/port.ts';
import { NotConfigured } from '../../foundation/config/config-error.ts';
import { version } from '../../foundation/config/version.ts';
import { defaultMirrorLimits } from '../../foundation/git/mirror/mirror-limits.ts';
import { checkGitVersion } from '../../foundation/git/process/git-version.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { buildCodeSearchService } from '../../surfaces/codesearch/build-service.ts';
import { stopping } from '../../surfaces/codesearch/stopping.ts';
import { codeSearchSecret } from '../codesearch-secret.ts';
import type { Settings } from '../open/open-database.ts';
import { explainBind } from './bind-port.ts';
import { watchInFlight } from './in-flight.ts';

export interface RunningCodeSearch {
  /** The base URL, with the bound port. */
  readonly baseUrl: string;
  /** Responds with 503 at `/readyz`, aborts work on indexes, finishes searches; within 10 s. */
  stop(): Promise<void>;
}

/** Time for searches in flight to finish, in milliseconds. */
const graceMs = 8_000;

/**
 * Starts the code search service. It has no database and makes no outgoing requests.
 * @throws NotConfigured, Conflict, GitError
 */
export async function startCodeSearch(
  settings: Settings,
  log: Logger,
  { telemetry = telemetryOff }: { readonly telemetry?: Telemetry } = {},
): Promise<RunningCodeSearch> {
  const { config } = settings;
  const secret = codeSearchSecret(settings);
  await checkGitVersion();
  const folders = dataFolder(config.dataDir).codesearchService;
  await prepare(folders);
  await using opened = new AsyncDisposableStack();
  // Only the index asks for parsed files here, so none are kept for the graph.
  const parser = new ParseQueue({ log });
  opened.defer(() => parser.close());
  const index = openCodeIndex({
    root: folders.index,
    log,
    compression: config.indexCompression,
    definitions: parsedDefinitions(parser),
  });
  const search = openCodeSearch({ root: folders.index, log });
  opened.defer(() => search.close());
  const hosted = openHostedIndex({ index, mirrors: folders.repositories, limits: defaultMirrorLimits });
  const sources = openGitSourceReader({
    mirrorDir: ({ organizationId }, id) => hostedMirror(folders.repositories, organizationId, id),
    indexedCommit: hosted.indexedCommit,
  });
  opened.defer(() => sources.close());
  const draining = new AbortController();
  const server = await buildCodeSearchService({
    search,
    sources,
    hosted,
    secret,
    incoming: folders.incoming,
    upload: defaultMirrorLimits,
    version,
    unready: () => unreadiness(search, folders.incoming),
    draining: draining.signal,
    log,
    telemetry,
  });
  opened.defer(() => server.close());
  const inFlight = watchInFlight(server.server);
  const baseUrl = await listen(server, settings);
  log.info({ baseUrl, version }, 'listening');
  const toClose = opened.move();
  return {
    baseUrl,
    async stop() {
      draining.abort(stopping());
      await inFlight.untilNone(graceMs);
      server.server.closeAllConnections();
      await toClose.disposeAsync();
    },
  };
}

type Folders = ReturnType<typeof dataFolder>['codesearchService'];

/** Creates the folders, and deletes incomplete uploads of a killed service; callers send them again. */
async function prepare({ index, repositories, incoming }: Folders): Promise<void> {
  try {
    await rm(incoming, { recursive: true, force: true });
    for (const folder of [index, repositories, incoming])
      await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new NotConfigured('The data folder is not writable. Check DATA_DIR and its owner.', { cause });
  }
}

type Server = Awaited<ReturnType<typeof buildCodeSearchService>>;

async function listen(server: Server, { config }: Pick<Settings, 'config'>): Promise<string> {
  const { host, port } = config.http;
  try {
    // Suppresses the log line of the framework, which would precede ours.
    server.log.level = 'silent';
    await server.listen({ host, port });
    server.log.level = config.log.level;
  } catch (error) {
    throw explainBind(error, config);
  }
  const bound = server.server.address() as AddressInfo;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Returns why the service is not ready: an unresponsive thread or an unwritable disk; `undefined` if it is ready. */
async function unreadiness(search: CodeSearch, folder: string): Promise<string | undefined> {
  const probe = join(folder, `ready-${randomUUID()}`);
  try {
    await writeFile(probe, 'ready', { mode: 0o600, flush: true });
  } catch {
    return 'disk';
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  try {
    const nobody = { organizationId: 'readiness' as OrganizationId };
    const request = { terms: ['ready'], identifiers: [], paths: [], question: '', limit: 1, waitMs: 1_000 };
    await search.rank(nobody, request, AbortSignal.timeout(2_000));
    return undefined;
  } catch (error) {
    // Busy threads are working, so the service stays ready.
    return error instanceof Unavailable && error.code === 'overloaded' ? undefined : 'threads';
  }
}
