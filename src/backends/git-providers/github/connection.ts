import { createHash, createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { z } from 'zod';
import { type ApiAnswer, type ApiCall, apiPath, openHostApi } from '../host-api.ts';
import { GitHostError, type GitProviderDeps, type HostRepositoryKey, type HostSettings } from '../port.ts';
import { type RepositoryAnswer, repositoryPageShape, repositoryShape, tokenShape } from './shapes.ts';

/** One App or installation: sends calls with the credentials of either. */
export interface Connection {
  readonly settings: HostSettings;
  /** Host name for messages. */
  readonly host: string;
  /** Calls as the App itself, with a signed token. */
  asApp<T extends z.ZodType>(call: ApiCall, answer: T, signal: AbortSignal): Promise<z.output<T>>;
  /** Calls as the installation. Asks once for a new token if the host refuses the cached one. */
  call<T extends z.ZodType>(call: ApiCall, answer: T, signal: AbortSignal): Promise<ApiAnswer<z.output<T>>>;
  send(call: ApiCall, signal: AbortSignal): Promise<void>;
  /** Returns a token of the installation, limited to what is given, and another one than `refused`. */
  installationToken(limits: TokenLimits, signal: AbortSignal, refused?: string): Promise<string>;
  /**
   * Reads a repository by its last known full name, and checks that it is the one with the id: another one may have
   * taken the name. @throws GitHostError `not_found`
   */
  readRepository(key: HostRepositoryKey, signal: AbortSignal): Promise<RepositoryAnswer>;
  /** Returns the path of a repository in the API, by the full name that it had at most ten seconds ago. */
  repositoryPath(key: HostRepositoryKey, signal: AbortSignal): Promise<string>;
  /** @throws GitHostError unless the App is installed */
  installationId(): string;
}

export interface TokenLimits {
  readonly repository_ids?: readonly number[];
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
}

const accept = 'application/vnd.github+json';
const version = { 'x-github-api-version': '2022-11-28' };

/** Difference of clocks that a token of an App may not survive, in milliseconds. */
const skewMs = 30_000;

function permissionIn(_said: string, headers: Readonly<Record<string, string>>): string | undefined {
  return headers['x-accepted-github-permissions']?.replaceAll('=', ': ');
}

export function openConnection(settings: HostSettings, deps: GitProviderDeps): Connection {
  const api = openHostApi({ apiUrl: settings.apiUrl, accept, headers: version, permissionIn, deps });
  const { host } = new URL(settings.url);

  function installationId(): string {
    if (settings.installationId !== undefined) return settings.installationId;
    const message =
      'The App of this Git-host connection is not installed yet. Open its install URL and choose the repositories.';
    throw new GitHostError(host, 'authentication', message);
  }

  async function asApp<T extends z.ZodType>(call: ApiCall, answer: T, signal: AbortSignal) {
    const callAt = async (time: number) => {
      const secret = await signAppToken(settings, host, time);
      return (await api.call(call, answer, { scheme: 'Bearer', secret }, signal)).body;
    };
    const now = deps.clock();
    try {
      return await callAt(now);
    } catch (error) {
      // One of the two clocks is wrong. The time of the host decides about its tokens.
      const hostTime = error instanceof GitHostError ? error.hostTime : undefined;
      if (hostTime === undefined || Math.abs(hostTime - now) < skewMs) throw error;
      return callAt(hostTime);
    }
  }

  function tokenKey(limits: TokenLimits): string {
    const identity = [settings.apiUrl, settings.appId, settings.privateKey, installationId(), limits];
    return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  }

  function installationToken(limits: TokenLimits, signal: AbortSignal, refused?: string): Promise<string> {
    const key = tokenKey(limits);
    if (refused !== undefined) deps.tokens.forget(key, refused);
    return deps.tokens.get(
      key,
      async (signalOfFetch) => {
        const answer = await requestToken(asApp, { id: installationId(), host, limits }, signalOfFetch);
        return { token: answer.token, expiresAt: answer.expires_at };
      },
      signal,
    );
  }

  /** Runs `send` with a token of the installation, and once more with a new one after a refusal. */
  async function withToken<T>(send: (secret: string) => Promise<T>, signal: AbortSignal): Promise<T> {
    const secret = await installationToken({}, signal);
    try {
      return await send(secret);
    } catch (error) {
      if (!(error instanceof GitHostError) || error.reason !== 'authentication') throw error;
      return send(await installationToken({}, signal, secret));
    }
  }

  const call: Connection['call'] = (one, answer, signal) =>
    withToken((secret) => api.call(one, answer, { scheme: 'Bearer', secret }, signal), signal);
  const names = new Map<string, { readonly fullName: string; readonly at: number }>();

  async function readRepository(key: HostRepositoryKey, signal: AbortSignal): Promise<RepositoryAnswer> {
    const found = await repositoryOf(call, host, key, signal);
    names.set(key.id, { fullName: found.full_name, at: deps.clock() });
    return found;
  }

  return {
    settings,
    host,
    asApp,
    call,
    readRepository,
    async repositoryPath(key, signal) {
      const known = names.get(key.id);
      const isFresh = known !== undefined && deps.clock() - known.at < nameMs;
      return apiPath('repos', isFresh ? known.fullName : (await readRepository(key, signal)).full_name);
    },
    installationToken,
    installationId,
    send: (one, signal) => withToken((secret) => api.send(one, { scheme: 'Bearer', secret }, signal), signal),
  };
}

/** Time for which calls of one connection rely on the name of a repository, in milliseconds. */
const nameMs = 10_000;

/** GitHub's maximum page. */
export const pageSize = 100;
/** Maximum number of pages in which a repository is looked for whose name another one took. */
const maxPages = 50;

/**
 * Reads a repository. GitHub redirects its former names, until another repository takes one: then the list of the
 * installation has the present one.
 */
async function repositoryOf(
  call: Connection['call'],
  host: string,
  { id, fullName }: HostRepositoryKey,
  signal: AbortSignal,
): Promise<RepositoryAnswer> {
  const needs = 'metadata: read';
  const subject = `the repository ${fullName}`;
  const named = await call({ path: apiPath('repos', fullName), needs, subject }, repositoryShape, signal);
  if (String(named.body.id) === id) return named.body;
  const path = apiPath('installation', 'repositories');
  for (let page = 1; page <= maxPages; page += 1) {
    const query = { per_page: pageSize, page };
    const { body, hasNextPage } = await call({ path, query, needs, subject }, repositoryPageShape, signal);
    const found = body.repositories.find((each) => String(each.id) === id);
    if (found !== undefined) return found;
    if (!hasNextPage) break;
  }
  const message = `${host} has another repository under the name ${fullName} now, and does not show the one of the Git-host connection. Give the connection access to it.`;
  throw new GitHostError(host, 'not_found', message);
}

/**
 * Signs the token of an App. It is valid for the 10 minutes that GitHub accepts, and starts one minute ago for clocks
 * that differ.
 */
function signAppToken({ appId, privateKey }: HostSettings, host: string, now: number): Promise<string> {
  if (appId === undefined || privateKey === undefined) {
    throw new GitHostError(
      host,
      'authentication',
      'The Git-host connection has no App. Save its id and private key.',
    );
  }
  const seconds = Math.floor(now / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(appId)
    .setIssuedAt(seconds - 60)
    .setExpirationTime(seconds + 9 * 60)
    .sign(createPrivateKey(privateKey));
}

interface WantedToken {
  readonly id: string;
  readonly host: string;
  readonly limits: TokenLimits;
}

async function requestToken(
  asApp: Connection['asApp'],
  { id, host, limits }: WantedToken,
  signal: AbortSignal,
): Promise<z.output<typeof tokenShape>> {
  const permissions = Object.entries(limits.permissions ?? {}).map(([name, level]) => `${name}: ${level}`);
  const call: ApiCall = {
    method: 'POST',
    path: apiPath('app', 'installations', id, 'access_tokens'),
    body: limits,
    needs: permissions.join(', ') || 'metadata: read',
    subject: 'the installation of the App',
  };
  try {
    return await asApp(call, tokenShape, signal);
  } catch (error) {
    throw tokenFailure(error, host, call.needs);
  }
}

function tokenFailure(error: unknown, host: string, needs: string): unknown {
  if (!(error instanceof GitHostError)) return error;
  if (error.reason === 'not_found') {
    const message = `The App is no longer installed at ${host}. Install it again with the install URL of the Git-host connection.`;
    return new GitHostError(host, 'authentication', message, { cause: error });
  }
  if (error.reason !== 'invalid') return error;
  if (/repository/i.test(error.message)) {
    const message = `The App at ${host} has no access to this repository, or it is gone. Add the repository to its installation.`;
    return new GitHostError(host, 'not_found', message, { cause: error });
  }
  const message = `The App lacks the permission ${needs} at ${host}. Grant it in the settings of the App, and accept it for the installation.`;
  return new GitHostError(host, 'forbidden', message, { cause: error });
}
