import { setTimeout as pause } from 'node:timers/promises';
import { ExternalServiceError } from '../foundation/kernel/errors.ts';
import type { ApiClient } from './api-client.ts';
import type { CommandContext } from './frame/context.ts';
import type { ProgressStep } from './frame/progress.ts';
import { type RepositoryRecord, repositoryPath, repositoryRecord } from './repository-record.ts';

const pollMs = 400;

/** Work on it has ended, well or badly. */
const settled = new Set(['indexed', 'failed']);

/** Shows the progress of `repository` until it is indexed. @throws ExternalServiceError when it failed */
export async function waitForRepository(
  api: ApiClient,
  repository: RepositoryRecord,
  { terminal, signal }: CommandContext,
): Promise<RepositoryRecord> {
  const progress = terminal.progress();
  try {
    let current = repository;
    while (!settled.has(current.state)) {
      progress.report(stepOf(current));
      await pause(pollMs, undefined, { signal });
      current = await api.call({ path: repositoryPath(repository.id) }, repositoryRecord);
    }
    if (current.state === 'failed') throw failureOf(current, api.target.baseUrl);
    return current;
  } finally {
    progress.end();
  }
}

function stepOf({ name, state, progress }: RepositoryRecord): ProgressStep {
  return progress ? { ...progress, phase: `${name}: ${progress.phase}` } : { phase: `${name}: ${state}` };
}

function failureOf({ name, error }: RepositoryRecord, baseUrl: string): ExternalServiceError {
  const reason = error?.message ?? 'the service does not say why.';
  return new ExternalServiceError(baseUrl, `${name} could not be indexed: ${reason}`, {
    code: error?.code ?? 'repository_failed',
    retryable: false,
  });
}
