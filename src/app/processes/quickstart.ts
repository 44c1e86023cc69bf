import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../features/advisor/answer.ts';
import { ask } from '../../features/advisor/ask.ts';
import { allowDeviceAsHost } from '../../features/oauth/devices/allow-device-as-host.ts';
import type { Repository } from '../../features/repositories/repository.ts';
import { getRepository } from '../../features/repositories/repository-store.ts';
import { ensureAuthSecret } from '../../foundation/config/auth-secret.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { requireFreeDataFolder } from '../host/data-folder-lock.ts';
import { openAnswers } from '../open/open-answers.ts';
import { openCurrentDatabase, type Settings } from '../open/open-database.ts';
import { openGraph } from '../open/open-graph.ts';
import { authSecretOf, oauthSealer } from '../open/open-secrets.ts';
import { provisionKey, provisionOrganization, provisionRepository, signInUrlFor } from '../provision.ts';
import { requireFreePort } from './bind-port.ts';
import { endedUnexpectedly, type ServeProcess, startServeProcess } from './serve-process.ts';

interface QuickstartStep {
  readonly phase: string;
  readonly done?: number;
  readonly total?: number;
}

export interface QuickstartOptions {
  readonly settings: Settings;
  readonly orgSlug: string;
  /** A folder or a Git URL. */
  readonly source: string;
  readonly newKey: boolean;
  readonly question: string | undefined;
  /** The program to run as `serve`, and the flags that give it the same settings. */
  readonly program: string;
  readonly serveArgs: readonly string[];
  /** Signs this account in at the running service; `allow` confirms the code of the sign-in. Default: not signed in. */
  readonly signIn?: (baseUrl: string, allow: (userCode: string) => Promise<void>) => Promise<void>;
  readonly onProgress: (step: QuickstartStep) => void;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface QuickstartResult {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly orgSlug: string;
  readonly apiKey: string | null;
  readonly signInUrl: string;
  readonly dataDir: string;
  readonly repository: Repository;
  readonly answer?: Answer;
  /** The reason why the question was not answered; everything else works. */
  readonly questionError?: OrgctxError;
}

export interface Quickstarted {
  readonly result: QuickstartResult;
  readonly ownerEmail: string;
  readonly serve: ServeProcess;
}

/**
 * Runs the quickstart (contract section 1): creates the organization, its key and a repository for the source, starts
 * the processes, and waits until the source is searchable. Existing objects are reused.
 */
export async function quickstart(options: QuickstartOptions): Promise<Quickstarted> {
  const { settings, log } = options;
  const { config, secrets } = settings;
  requireFreeDataFolder(config);
  await requireFreePort(config);
  if (secrets.authSecret === undefined) await ensureAuthSecret(config.dataDir);
  const database = await openCurrentDatabase(settings, 'command', log, { create: true });
  try {
    const { scope, owner } = await provisionOrganization(database, options.orgSlug);
    const added = await provisionRepository(database, scope, options.source, config);
    options.onProgress({ phase: 'starting the server' });
    const serve = await startServeProcess(options.program, options.serveArgs, config.dataDir);
    try {
      const { baseUrl, appUrl } = serve.listening;
      const repository = await untilIndexed(database, scope, added, options, serve);
      const answered = await answerOrError(options, serve.listening, database, scope, owner.id);
      await options.signIn?.(baseUrl, async (userCode) => {
        const sealer = oauthSealer(await authSecretOf(settings));
        const decision = { userId: owner.id, organizationId: scope.organizationId };
        await allowDeviceAsHost({ database, sealer, clock: systemClock }, userCode, decision);
      });
      const result: QuickstartResult = {
        baseUrl,
        mcpUrl: `${baseUrl}/mcp?orgSlug=${scope.orgSlug}`,
        orgSlug: scope.orgSlug,
        apiKey: await provisionKey(database, owner, options),
        signInUrl: await signInUrlFor(database, appUrl, owner),
        dataDir: config.dataDir,
        repository,
        ...answered,
      };
      return { result, ownerEmail: owner.email, serve };
    } catch (error) {
      await serve.stop();
      throw error;
    }
  } finally {
    await database.close();
  }
}

/** Delay between two polls of the repository, in milliseconds. Short enough for a smooth progress bar. */
const pollMs = 150;

/** Maximum time that a question waits for definitions once the repository is searchable, in milliseconds. */
const maxDefinitionsMs = 30_000;

/**
 * Reports progress until the repository is indexed, and until its definitions are read if a question needs them.
 * @throws Unavailable with the recorded error if it fails
 */
async function untilIndexed(
  database: Database,
  scope: OrgScope,
  added: Repository,
  { onProgress, signal, question }: QuickstartOptions,
  serve: ServeProcess,
): Promise<Repository> {
  let stopped = false;
  let indexedAt: number | undefined;
  void serve.ended.then(() => {
    stopped = true;
  });
  for (;;) {
    const repository = await getRepository(database.queries, scope, added.id);
    if (repository === undefined || repository.state === 'failed') throw didNotIndex(repository);
    if (repository.state === 'indexed') {
      indexedAt ??= performance.now();
      const isLate = performance.now() - indexedAt > maxDefinitionsMs;
      if (question === undefined || isLate || repository.filesWithoutDefinitions === 0) return repository;
    }
    if (stopped) throw endedUnexpectedly(serve.logFile);
    onProgress(progressOf(repository));
    await sleep(pollMs, undefined, { signal });
  }
}

function progressOf({ state, progress, files, filesWithoutDefinitions }: Repository): QuickstartStep {
  if (state !== 'indexed') return progress ?? { phase: state, done: 0, total: 0 };
  const total = files ?? filesWithoutDefinitions;
  return { phase: 'reading definitions', done: total - filesWithoutDefinitions, total };
}

function didNotIndex(repository: Repository | undefined): Unavailable {
  if (repository === undefined) {
    return new Unavailable('repository_failed', 'The repository was removed before it was indexed.');
  }
  const { name, error } = repository;
  return new Unavailable(
    'repository_failed',
    `${name} was added but could not be indexed. ${error?.message ?? ''} Run quickstart again to retry, or remove it ` +
      `with "orgctx repo remove ${name}" while a server runs.`,
  );
}

/** Maximum number of times that the question is asked until something is found. */
const maxAsked = 3;

/** Answers the question. An error of the question must not end a service that works otherwise. */
async function answerOrError(
  options: QuickstartOptions,
  ...place: [ServeProcess['listening'], Database, OrgScope, UserId]
): Promise<Pick<QuickstartResult, 'answer' | 'questionError'>> {
  try {
    const answer = await answerTo(options, ...place);
    return answer === undefined ? {} : { answer };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof OrgctxError)) options.log.error({ err: error }, 'the question was not answered');
    return { questionError: error instanceof OrgctxError ? error : unexpected(error) };
  }
}

function unexpected(cause: unknown): OrgctxError {
  return new Unavailable('internal', 'An unexpected error occurred; it is logged above.', { cause });
}

async function answerTo(
  { question, settings, signal, onProgress, log }: QuickstartOptions,
  { baseUrl, appUrl }: ServeProcess['listening'],
  database: Database,
  scope: OrgScope,
  userId: UserId,
): Promise<Answer | undefined> {
  if (question === undefined) return undefined;
  onProgress({ phase: 'answering' });
  const served = { ...settings, config: { ...settings.config, baseUrl, appUrl } };
  await using opened = new AsyncDisposableStack();
  const answers = openAnswers(served, database, log);
  opened.defer(() => answers.close());
  const knowledge = await openGraph(served, database, { sources: answers.sources, log });
  opened.defer(() => knowledge.close());
  // The first search reads the new index from the disk, and may time out on a busy host.
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask({ ...answers, knowledge }, scope, { prompt: question }, { userId, signal });
    if (answer.citations.length > 0 || attempt === maxAsked) return answer;
  }
}
