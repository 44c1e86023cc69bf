import { setTimeout as pause } from 'node:timers/promises';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import type { CommandContext } from '../frame/context.ts';
import type { ProgressStep } from '../frame/progress.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { type RemoteRepository, remoteRepository, repositoryPath } from './remote-repository.ts';

const pollMs = 400;

/** The states after which no work on the repository is pending. */
const settled = new Set(['indexed', 'failed']);

/** Shows the progress of `repository` until it is indexed. @throws ExternalServiceError if indexing failed */
export async function waitForRepository(
  api: ApiClient,
  repository: RemoteRepository,
  { terminal, signal }: CommandContext,
): Promise<RemoteRepository> {
  const progress = terminal.progress();
  try {
    let current = repository;
    while (!settled.has(current.state)) {
      progress.report(stepOf(current));
      await pause(pollMs, undefined, { signal });
      current = await api.call({ path: repositoryPath(repository.id) }, remoteRepository);
    }
    if (current.state === 'failed') throw failureOf(current, api.target.baseUrl);
    return current;
  } finally {
    progress.end();
  }
}

function stepOf({ name, state, progress }: RemoteRepository): ProgressStep {
  return progress ? { ...progress, phase: `${name}: ${progress.phase}` } : { phase: `${name}: ${state}` };
}

function failureOf({ name, error }: RemoteRepository, baseUrl: string): ExternalServiceError {
  const reason = error?.message ?? 'the service gave no reason.';
  return new ExternalServiceError(baseUrl, `${name} could not be indexed: ${reason}`, {
    code: error?.code ?? 'repository_failed',
    retryable: false,
  });
}
