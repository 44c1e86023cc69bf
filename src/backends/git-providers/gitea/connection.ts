import type { z } from 'zod';
import { type ApiAnswer, type ApiCall, apiPath, openHostApi } from '../host-api.ts';
import { GitHostError, type GitProviderDeps, type HostRepositoryKey, type HostSettings } from '../port.ts';
import { type RepositoryAnswer, repositoryShape, userShape } from './shapes.ts';

/** The bot account of one token. */
export interface Connection {
  readonly settings: HostSettings;
  /** Host name for messages. */
  readonly host: string;
  readonly token: string;
  call<T extends z.ZodType>(call: ApiCall, answer: T, signal: AbortSignal): Promise<ApiAnswer<z.output<T>>>;
  send(call: ApiCall, signal: AbortSignal): Promise<void>;
  user(signal: AbortSignal): Promise<z.output<typeof userShape>>;
  /** Reads a repository by id. Calls name it by full name, so each method starts here. */
  repository(key: HostRepositoryKey, signal: AbortSignal): Promise<RepositoryAnswer>;
}

/** Reads the scopes that a token lacks. */
function permissionIn(said: string): string | undefined {
  return /required scope\(s\): \[([\w:, -]{1,200})\]/.exec(said)?.[1];
}

export function openConnection(settings: HostSettings, deps: GitProviderDeps): Connection {
  const api = openHostApi({ apiUrl: settings.apiUrl, accept: 'application/json', permissionIn, deps });
  const { host } = new URL(settings.url);
  const { token = '' } = settings;
  if (token === '') {
    throw new GitHostError(
      host,
      'authentication',
      'The Git-host connection has no token. Save one on the connection.',
    );
  }
  const authorization = { scheme: 'token', secret: token } as const;
  const call: Connection['call'] = (one, answer, signal) => api.call(one, answer, authorization, signal);
  return {
    settings,
    host,
    token,
    call,
    send: (one, signal) => api.send(one, authorization, signal),
    async user(signal) {
      const one = { path: '/user', needs: 'read:user', subject: 'the account of the token' };
      return (await call(one, userShape, signal)).body;
    },
    async repository({ id, fullName }, signal) {
      const one = {
        path: apiPath('repositories', id),
        needs: 'read:repository',
        subject: `the repository ${fullName}`,
      };
      return (await call(one, repositoryShape, signal)).body;
    },
  };
}

/** The path of a repository in the API. */
export function repositoryPath({ full_name: fullName }: RepositoryAnswer): string {
  return apiPath('repos', fullName);
}
