import { z } from 'zod';
import { activeInstallation, repositoryOf, tokenOf } from './github-access.ts';
import { commentReply, pullReply } from './github-replies.ts';
import { type Body, page, pages, sizeOf } from './github-requests.ts';
import { type Comment, type HostedRepository, type Model, ownerOf, type Pull } from './model.ts';
import { openPull, type PullProblem, refreshPulls, reopenPull } from './pulls.ts';
import { pageOf, Refusal, type Route, type RouteCall } from './strict-api.ts';

const pullBody = z.strictObject({
  title: z.string().min(1),
  head: z.string(),
  base: z.string(),
  body: z.string(),
}) satisfies z.ZodType<Body<'pulls/create'>>;

const pullUpdate = z.strictObject({ state: z.enum(['open', 'closed']) }) satisfies z.ZodType<
  Body<'pulls/update'>
>;

const commentBody = z.strictObject({ body: z.string().min(1) }) satisfies z.ZodType<
  Body<'issues/create-comment'>
>;

/** The routes of pull requests and their comments. */
export function pullRoutes(model: Model): readonly Route[] {
  const write = { pull_requests: 'write' } as const;
  const read = { pull_requests: 'read' } as const;
  return [
    {
      method: 'GET',
      path: '/repos/:owner/:name/pulls',
      query: z.object({
        ...page,
        head: z
          .string()
          .regex(/^[^:]+:.+$/)
          .optional(),
        base: z.string().optional(),
        state: z.enum(['open', 'closed', 'all']).optional(),
      }),
      handle(call) {
        const repository = repositoryOf(model, call, read);
        refreshPulls(repository);
        const { head, base, state = 'open' } = call.query;
        const owner = ownerOf(repository.fullName);
        const all = repository.pulls
          .filter((pull) => state === 'all' || pull.state === state)
          .filter((pull) => head === undefined || `${owner}:${pull.head}` === head)
          .filter((pull) => base === undefined || pull.base === base)
          .toReversed();
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call, 30) });
        return { status: 200, body: items.map(pullReply), headers };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/pulls',
      body: pullBody,
      handle(call) {
        const repository = repositoryOf(model, call, write);
        const given = call.body as z.output<typeof pullBody>;
        const pull = openPull(repository, given);
        if (typeof pull === 'string') throw pullRefusal(pull, repository, given);
        return { status: 201, body: pullReply(pull) };
      },
    },
    {
      method: 'PATCH',
      path: '/repos/:owner/:name/pulls/:number',
      body: pullUpdate,
      handle(call) {
        const repository = repositoryOf(model, call, write);
        const pull = pullOf(repository, call);
        const { state } = call.body as z.output<typeof pullUpdate>;
        if (state === 'closed') pull.state = 'closed';
        const problem = state === 'open' ? reopenPull(repository, pull) : undefined;
        if (problem !== undefined) throw pullRefusal(problem, repository, pull);
        return { status: 200, body: pullReply(pull) };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/issues/:number/comments',
      query: pages,
      handle(call) {
        const repository = repositoryOf(model, call, read);
        const { number } = pullOf(repository, call);
        const all = repository.comments.filter(({ pull }) => pull === number);
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call, 30) });
        return { status: 200, body: items.map(commentReply), headers };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/issues/:number/comments',
      body: commentBody,
      handle(call) {
        const repository = repositoryOf(model, call, write);
        const { number } = pullOf(repository, call);
        const { body } = call.body as z.output<typeof commentBody>;
        const { appId } = activeInstallation(model, tokenOf(model, call));
        const comment: Comment = {
          id: model.nextId(),
          pull: number,
          author: { kind: 'app', id: appId },
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
        const repository = repositoryOf(model, call, write);
        const comment = repository.comments.find(({ id }) => String(id) === call.parameters['comment']);
        if (comment === undefined) throw new Refusal(404, 'Not Found');
        comment.body = (call.body as z.output<typeof commentBody>).body;
        return { status: 200, body: commentReply(comment) };
      },
    },
  ];
}

function pullOf(repository: HostedRepository, call: RouteCall): Pull {
  const pull = repository.pulls.find(({ number }) => String(number) === call.parameters['number']);
  if (pull === undefined) throw new Refusal(404, 'Not Found');
  return pull;
}

function pullRefusal(
  problem: PullProblem,
  repository: HostedRepository,
  { head, base }: Pick<Pull, 'head' | 'base'>,
) {
  const owner = ownerOf(repository.fullName);
  const messages = {
    exists: `A pull request already exists for ${owner}:${head}.`,
    'no-commits': `No commits between ${base} and ${head}`,
    'no-head': 'state cannot be changed. The branch has been deleted.',
    'no-base': 'The base branch was deleted.',
    merged: 'state cannot be changed. The pull request is merged.',
  };
  return new Refusal(422, 'Validation Failed', {
    errors: [{ resource: 'PullRequest', code: 'custom', message: messages[problem] }],
  });
}
