import { z } from 'zod';
import {
  type Account,
  type Comment,
  type HostedRepository,
  type Model,
  type Pull,
  repositoryNamed,
} from './model.ts';
import { openPull, type PullProblem, refreshPulls, reopenPull } from './pulls.ts';
import { pageOf, Refusal, type Route, type RouteCall } from './strict-api.ts';

const wholeNumber = z.string().regex(/^[1-9]\d*$/);
const page = { page: wholeNumber.optional(), limit: wholeNumber.optional() };
/** Gitea's MAX_RESPONSE_ITEMS. */
const maxPage = 50;

const hookBody = z.strictObject({
  type: z.literal('gitea'),
  config: z.strictObject({ url: z.url(), secret: z.string(), content_type: z.enum(['json', 'form']) }),
  events: z.array(z.string()),
  active: z.boolean(),
});
const pullBody = z.strictObject({
  head: z.string(),
  base: z.string(),
  title: z.string().min(1),
  body: z.string(),
});
const pullUpdate = z.strictObject({ state: z.enum(['open', 'closed']) });
const commentBody = z.strictObject({ body: z.string().min(1) });

type Access = 'read' | 'write' | 'admin';
const levels: readonly Access[] = ['read', 'write', 'admin'];

/** The routes below `/api/v1`. */
export function giteaRoutes(model: Model): readonly Route[] {
  return [...accountRoutes(model), ...repositoryRoutes(model), ...hookRoutes(model), ...pullRoutes(model)];
}

function accountRoutes(model: Model): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/user',
      handle: (call) => ({ status: 200, body: userReply(userOf(model, call, 'read:user')) }),
    },
    {
      method: 'GET',
      path: '/repos/search',
      query: z.object({ ...page, q: z.string().optional(), uid: wholeNumber.optional() }),
      handle(call) {
        const user = userOf(model, call, 'read:repository');
        const { q = '', uid } = call.query;
        const all = [...model.repositories.values()]
          .filter((one) => (uid === undefined ? isVisible(user, one) : one.access.has(user.login)))
          .filter(({ fullName }) => fullName.toLowerCase().includes(q.toLowerCase()));
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call) });
        return {
          status: 200,
          body: { ok: true, data: items.map((one) => repositoryReply(user, one)) },
          headers,
        };
      },
    },
  ];
}

function repositoryRoutes(model: Model): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/repositories/:id',
      handle(call) {
        const user = userOf(model, call, 'read:repository');
        const repository = model.repositories.get(Number(call.parameters['id']));
        return { status: 200, body: repositoryReply(user, permitted(user, repository, 'read')) };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name',
      handle(call) {
        const user = userOf(model, call, 'read:repository');
        const fullName = nameOf(call);
        const former = model.formerNames.get(fullName.toLowerCase());
        const current = repositoryNamed(model, fullName);
        const moved = former === undefined ? undefined : model.repositories.get(former);
        if (current === undefined && moved !== undefined) {
          const location = new URL(`/api/v1/repos/${moved.fullName}`, call.url).href;
          return { status: 301, headers: { location }, body: { message: 'Moved Permanently' } };
        }
        return { status: 200, body: repositoryReply(user, permitted(user, current, 'read')) };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/branches/*branch',
      handle(call) {
        const { repository } = repositoryOf(model, call, 'read:repository', 'read');
        const { branch = '' } = call.parameters;
        const id = repository.isEmpty() ? undefined : repository.bare.branches().get(branch);
        if (id === undefined) throw new Refusal(404, 'branch does not exist');
        return { status: 200, body: { name: branch, commit: { id } } };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/contents/*path',
      query: z.object({ ref: z.string() }),
      handle(call) {
        const { repository } = repositoryOf(model, call, 'read:repository', 'read');
        const { path = '' } = call.parameters;
        const content = repository.isEmpty()
          ? undefined
          : repository.bare.read(call.query['ref'] ?? '', path);
        if (content === undefined) throw new Refusal(404, 'object does not exist');
        const body = {
          type: 'file',
          path,
          size: content.length,
          encoding: 'base64',
          content: content.toString('base64'),
        };
        return { status: 200, body };
      },
    },
  ];
}

function hookRoutes(model: Model): readonly Route[] {
  const hooksOf = (call: RouteCall): HostedRepository['hooks'] =>
    repositoryOf(model, call, call.message.method === 'GET' ? 'read:repository' : 'write:repository', 'admin')
      .repository.hooks;
  const reply = ({ id, url, events, active }: HostedRepository['hooks'][number]): object => ({
    id,
    type: 'gitea',
    active,
    events,
    config: { url, content_type: 'json' },
  });
  return [
    {
      method: 'GET',
      path: '/repos/:owner/:name/hooks',
      query: z.object(page),
      handle(call) {
        const { items, headers } = pageOf(hooksOf(call), { url: call.url, ...sizeOf(call) });
        return { status: 200, body: items.map(reply), headers };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/hooks',
      body: hookBody,
      handle(call) {
        const { config, events, active } = call.body as z.output<typeof hookBody>;
        const hook = { id: model.nextId(), url: config.url, secret: config.secret, events, active };
        hooksOf(call).push(hook);
        return { status: 201, body: reply(hook) };
      },
    },
    {
      method: 'DELETE',
      path: '/repos/:owner/:name/hooks/:hook',
      handle(call) {
        const hooks = hooksOf(call);
        const index = hooks.findIndex(({ id }) => String(id) === call.parameters['hook']);
        if (index === -1) throw new Refusal(404, 'not found');
        hooks.splice(index, 1);
        return { status: 204 };
      },
    },
  ];
}

function pullRoutes(model: Model): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/repos/:owner/:name/pulls',
      query: z.object({ ...page, state: z.enum(['open', 'closed', 'all']).optional() }),
      handle(call) {
        const { repository } = repositoryOf(model, call, 'read:repository', 'read');
        refreshPulls(repository);
        const { state = 'open' } = call.query;
        const all = repository.pulls.filter((pull) => state === 'all' || pull.state === state).toReversed();
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call) });
        return { status: 200, body: items.map((pull) => pullReply(repository, pull)), headers };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/pulls',
      body: pullBody,
      handle(call) {
        const { repository } = repositoryOf(model, call, 'write:repository', 'read');
        const pull = openPull(repository, call.body as z.output<typeof pullBody>);
        if (typeof pull === 'string') throw pullRefusal(pull);
        return { status: 201, body: pullReply(repository, pull) };
      },
    },
    {
      method: 'PATCH',
      path: '/repos/:owner/:name/pulls/:number',
      body: pullUpdate,
      handle(call) {
        const { repository } = repositoryOf(model, call, 'write:repository', 'write');
        const pull = pullOf(repository, call);
        const { state } = call.body as z.output<typeof pullUpdate>;
        if (state === 'closed') pull.state = 'closed';
        const problem = state === 'open' ? reopenPull(repository, pull) : undefined;
        if (problem !== undefined) throw pullRefusal(problem);
        return { status: 201, body: pullReply(repository, pull) };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/issues/:number/comments',
      handle(call) {
        const { repository } = repositoryOf(model, call, 'read:issue', 'read');
        const { number } = pullOf(repository, call);
        return {
          status: 200,
          body: repository.comments.filter(({ pull }) => pull === number).map(commentReply),
        };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/issues/:number/comments',
      body: commentBody,
      handle(call) {
        const { repository, user } = repositoryOf(model, call, 'write:issue', 'read');
        const { number } = pullOf(repository, call);
        const { body } = call.body as z.output<typeof commentBody>;
        const comment: Comment = {
          id: model.nextId(),
          pull: number,
          author: { kind: 'user', account: user },
          body,
        };
        repository.comments.push(comment);
        return { status: 201, body: commentReply(comment) };
      },
    },
    {
      method: 'PATCH',
      path: '/repos/:owner/:name/issues/comments/:comment',
      body: commentBody,
      handle(call) {
        const { repository, user } = repositoryOf(model, call, 'write:issue', 'read');
        const comment = repository.comments.find(({ id }) => String(id) === call.parameters['comment']);
        if (comment === undefined) throw new Refusal(404, 'not found');
        const isOwn = comment.author.kind === 'user' && comment.author.account.id === user.id;
        if (!isOwn) throw new Refusal(403, 'only the poster may edit a comment');
        comment.body = (call.body as z.output<typeof commentBody>).body;
        return { status: 200, body: commentReply(comment) };
      },
    },
  ];
}

function sizeOf({ query }: RouteCall): { readonly size: number; readonly page: number } {
  return { size: Math.min(maxPage, Number(query['limit'] ?? 30)), page: Number(query['page'] ?? 1) };
}

/** Returns the account of the token; a scope `write:x` includes `read:x`. */
function userOf(model: Model, { message }: RouteCall, scope: string): Account {
  const token = /^token (\S+)$/.exec(message.headers.authorization ?? '')?.[1] ?? '';
  const account = model.accounts.find(({ tokens }) => tokens.has(token));
  const scopes = account?.tokens.get(token);
  if (account === undefined || scopes === undefined)
    throw new Refusal(401, 'invalid username, password or token');
  if (!scopes.includes(scope) && !scopes.includes(scope.replace('read:', 'write:'))) {
    throw new Refusal(403, `token does not have at least one of required scope(s): [${scope}]`);
  }
  return account;
}

function nameOf({ parameters }: RouteCall): string {
  return `${parameters['owner']}/${parameters['name']}`;
}

function repositoryOf(
  model: Model,
  call: RouteCall,
  scope: string,
  access: Access,
): { readonly user: Account; readonly repository: HostedRepository } {
  const user = userOf(model, call, scope);
  return { user, repository: permitted(user, repositoryNamed(model, nameOf(call)), access) };
}

export function isVisible(user: Account | undefined, repository: HostedRepository): boolean {
  return !repository.private || (user !== undefined && repository.access.has(user.login));
}

function permitted(
  user: Account,
  repository: HostedRepository | undefined,
  needed: Access,
): HostedRepository {
  if (repository === undefined || !isVisible(user, repository)) throw new Refusal(404, 'not found');
  if (levels.indexOf(repository.access.get(user.login) ?? 'read') < levels.indexOf(needed)) {
    throw new Refusal(403, 'user should have a permission to write to a repo or be its owner');
  }
  return repository;
}

function pullOf(repository: HostedRepository, call: RouteCall): Pull {
  const pull = repository.pulls.find(({ number }) => String(number) === call.parameters['number']);
  if (pull === undefined) throw new Refusal(404, 'not found');
  return pull;
}

function pullRefusal(problem: PullProblem): Refusal {
  const replies: Readonly<Record<PullProblem, readonly [status: number, message: string]>> = {
    exists: [409, 'pull request already exists for these targets'],
    'no-commits': [422, 'there are no changes between the head and the base'],
    'no-head': [404, 'the head branch does not exist'],
    'no-base': [404, 'the base branch does not exist'],
    merged: [412, 'the pull request is merged'],
  };
  return new Refusal(...replies[problem]);
}

function userReply({ id, login }: Account): object {
  return { id, login, full_name: '', email: `${login}@example.com` };
}

function repositoryReply(user: Account, repository: HostedRepository): object {
  const { id, fullName, defaultBranch, archived } = repository;
  const access = repository.access.get(user.login);
  return {
    id,
    name: fullName.split('/')[1],
    full_name: fullName,
    private: repository.private,
    archived,
    empty: repository.isEmpty(),
    default_branch: defaultBranch,
    // An attacker's address: a client that sends credentials there has lost them.
    clone_url: `https://elsewhere.example.com/${fullName}.git`,
    permissions: {
      admin: access === 'admin',
      push: access === 'admin' || access === 'write',
      pull: true,
    },
  };
}

function pullReply(repository: HostedRepository, pull: Pull): object {
  const { number, title, body, state, mergedAt, mergeCommit } = pull;
  return {
    id: number,
    number,
    title,
    body,
    state,
    merged: mergedAt !== undefined,
    merge_commit_sha: mergeCommit ?? null,
    head: { ref: pull.head, sha: pull.headCommit, repo_id: repository.id },
    base: { ref: pull.base, sha: '', repo_id: repository.id },
  };
}

function commentReply({ id, body, author }: Comment): object {
  return { id, body, user: author.kind === 'user' ? userReply(author.account) : null };
}
