import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GitHttpBehaviour, serveGit } from '../git-http-server.ts';
import { isVisible as isVisibleToUser } from './gitea-api.ts';
import { allows, isVisible as isVisibleToToken } from './github-access.ts';
import { type HostedRepository, type Model, repositoryNamed } from './model.ts';

/** The parts of a request of Git's smart HTTP protocol. */
export interface GitRequest {
  readonly fullName: string;
  readonly rest: string;
  readonly isPush: boolean;
}

export function readGitRequest(url: string): GitRequest | undefined {
  const match =
    /^\/(?<name>[^/]+\/[^/]+?)(?:\.git)?(?<rest>\/(?:info\/refs\?service=)?(?<service>git-(?:upload|receive)-pack))$/.exec(
      url,
    );
  const { name, rest, service } = match?.groups ?? {};
  if (name === undefined || rest === undefined) return undefined;
  return { fullName: decodeURIComponent(name), rest, isPush: service === 'git-receive-pack' };
}

/** What the credentials of a request may do with a repository; `unknown` credentials are wrong or expired. */
type Access = 'unknown' | 'none' | 'read' | 'write';

/** Answers a clone, a fetch or a push with real Git, after checking the credentials as the host does. */
export function answerGit(
  model: Model,
  request: GitRequest,
  message: IncomingMessage,
  response: ServerResponse,
  afterPush: (repository: HostedRepository) => void,
): void {
  const repository = repositoryNamed(model, request.fullName);
  const former = model.formerNames.get(request.fullName.toLowerCase());
  const moved = former === undefined ? undefined : model.repositories.get(former);
  if (repository === undefined && moved !== undefined) {
    response.writeHead(301, { location: `/${moved.fullName}.git${request.rest}` }).end();
    return;
  }
  const decision = decisionOf(model, message, repository);
  if (decision === 'unknown' || (decision === 'none' && message.headers.authorization === undefined)) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end();
  } else if (repository === undefined || decision === 'none') {
    response.writeHead(404).end('Repository not found.');
  } else if (request.isPush && message.headers.authorization === undefined) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end();
  } else if (request.isPush && (decision !== 'write' || repository.archived)) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('Write access to repository not granted.');
  } else {
    serve(model, { repository, request }, message, response, afterPush);
  }
}

function serve(
  model: Model,
  { repository, request }: { readonly repository: HostedRepository; readonly request: GitRequest },
  message: IncomingMessage,
  response: ServerResponse,
  afterPush: (repository: HostedRepository) => void,
): void {
  const { beforePush } = repository;
  if (request.isPush) repository.beforePush = undefined;
  if (request.isPush && message.method === 'POST') {
    response.once('close', () => afterPush(repository));
  }
  // The folder is named by the id, so that a rename moves nothing.
  repository.bare.branches();
  message.url = `/${repository.id}.git${request.rest}`;
  const answers = {
    behaviour: behaviourOf(repository),
    credentials: undefined,
    beforePush: request.isPush ? beforePush : undefined,
  };
  serveGit(answers, model.root, message, response);
}

function behaviourOf({ git, protectedBranches }: HostedRepository): GitHttpBehaviour {
  if (git.kind !== 'well' || protectedBranches.size === 0) return git;
  const refs = [...protectedBranches].map((branch) => `refs/heads/${branch}`);
  return {
    kind: 'protect',
    refs,
    words: 'GH006: Protected branch update failed. Changes must be made through a pull request.',
  };
}

function decisionOf(
  model: Model,
  message: IncomingMessage,
  repository: HostedRepository | undefined,
): Access {
  const [, basic] = /^Basic (\S+)$/.exec(message.headers.authorization ?? '') ?? [];
  const publicly: Access = repository?.private === false ? 'read' : 'none';
  if (basic === undefined) return publicly;
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(pair) ?? [];
  if (model.flavour === 'github') return accessOfToken(model, password, repository) ?? publicly;
  return accessOfUser(model, { user, password }, repository);
}

function accessOfUser(
  model: Model,
  { user, password }: { readonly user: string; readonly password: string },
  repository: HostedRepository | undefined,
): Access {
  const account = model.accounts.find(({ tokens }) => tokens.has(password));
  if (account === undefined || (model.flavour === 'https' && account.login !== user)) return 'unknown';
  if (repository === undefined || !isVisibleToUser(account, repository)) return 'none';
  const access = repository.access.get(account.login);
  return access === 'write' || access === 'admin' ? 'write' : 'read';
}

function accessOfToken(
  model: Model,
  value: string,
  repository: HostedRepository | undefined,
): Access | undefined {
  const token = model.tokens.get(value);
  const installation = token === undefined ? undefined : model.installations.get(token.installationId);
  if (token === undefined || token.expiresAt <= model.now() || installation?.suspended !== false)
    return 'unknown';
  if (repository === undefined || !isVisibleToToken(token, installation, repository)) return undefined;
  for (const level of ['write', 'read'] as const) {
    const granted =
      allows(token.permissions, 'contents', level) && allows(installation.permissions, 'contents', level);
    if (granted) return level;
  }
  return undefined;
}
