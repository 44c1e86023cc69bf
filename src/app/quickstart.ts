import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../features/advisor/answer.ts';
import { ask } from '../features/advisor/ask.ts';
import type { Repository } from '../features/repositories/repository.ts';
import { getRepository } from '../features/repositories/repository-store.ts';
import { ensureAuthSecret } from '../foundation/config/auth-secret.ts';
import type { Database } from '../foundation/db/database.ts';
import { Unavailable } from '../foundation/kernel/errors.ts';
import type { OrgScope } from '../foundation/kernel/org-scope.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { openAnswers } from './open-answers.ts';
import { openCurrentDatabase, type Settings } from './open-database.ts';
import { provisionKey, provisionOrganization, provisionRepository, signInUrlFor } from './provision.ts';
import { type ServeProcess, startServeProcess } from './serve-process.ts';

export interface QuickstartOptions {
  readonly settings: Settings;
  readonly orgSlug: string;
  /** A folder or a Git URL. */
  readonly source: string;
  readonly newKey: boolean;
  readonly question: string | undefined;
  /** The program that is run again as `serve`, and the flags that give it the same settings. */
  readonly program: string;
  readonly serveArgs: readonly string[];
  readonly onProgress: (step: { phase: string; done?: number; total?: number }) => void;
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
}

export interface Quickstarted {
  readonly result: QuickstartResult;
  readonly serve: ServeProcess;
}

/**
 * From nothing to an answer (contract section 1): the organization and its key, the source as a repository, the
 * processes, and the wait until it is searchable. Everything that is there already is used again.
 */
export async function quickstart(options: QuickstartOptions): Promise<Quickstarted> {
  const { settings, log } = options;
  const { config, secrets } = settings;
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
      const answer = await answerTo(options, baseUrl, database, scope);
      const result: QuickstartResult = {
        baseUrl,
        mcpUrl: `${baseUrl}/mcp?orgSlug=${scope.orgSlug}`,
        orgSlug: scope.orgSlug,
        apiKey: await provisionKey(database, owner, options),
        signInUrl: await signInUrlFor(database, appUrl, owner),
        dataDir: config.dataDir,
        repository,
        ...(answer === undefined ? {} : { answer }),
      };
      return { result, serve };
    } catch (error) {
      await serve.stop();
      throw error;
    }
  } finally {
    await database.close();
  }
}

/** How often the record is looked at: often enough for a bar to move. */
const pollMs = 150;

/** Waits for the work on the repository to end, showing it; a failure is thrown with what the record says of it. */
async function untilIndexed(
  database: Database,
  scope: OrgScope,
  added: Repository,
  { onProgress, signal }: QuickstartOptions,
  serve: ServeProcess,
): Promise<Repository> {
  let stopped = false;
  void serve.ended.then(() => {
    stopped = true;
  });
  for (;;) {
    const repository = await getRepository(database.queries, scope, added.id);
    if (repository?.state === 'indexed') return repository;
    if (repository === undefined || repository.state === 'failed') throw didNotIndex(repository);
    if (stopped) throw new Unavailable('serve_ended', `orgctx serve ended; its log is ${serve.logFile}.`);
    const { phase, done, total } = repository.progress ?? { phase: repository.state, done: 0, total: 0 };
    onProgress({ phase, done, total });
    await sleep(pollMs, undefined, { signal });
  }
}

function didNotIndex(repository: Repository | undefined): Unavailable {
  const why = repository?.error?.message ?? 'The repository was removed meanwhile.';
  return new Unavailable(
    'repository_failed',
    `${repository?.name ?? 'The repository'} was not indexed. ${why}`,
  );
}

async function answerTo(
  { question, settings, signal, onProgress, log }: QuickstartOptions,
  baseUrl: string,
  database: Database,
  scope: OrgScope,
): Promise<Answer | undefined> {
  if (question === undefined) return undefined;
  onProgress({ phase: 'answering' });
  const answers = openAnswers({ ...settings, config: { ...settings.config, baseUrl } }, database, log);
  try {
    return await ask(answers, scope, { prompt: question }, { signal });
  } finally {
    await answers.close();
  }
}
