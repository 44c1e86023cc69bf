import { z } from 'zod';
import {
  activeInstallation,
  allows,
  appOf,
  installationOf,
  isVisible,
  permitted,
  repositoryOf,
  tokenOf,
} from './github-access.ts';
import { pullRoutes } from './github-pulls-api.ts';
import { hookReply, installationReply, type Reply, repositoryReply } from './github-replies.ts';
import { type Body, pages, sizeOf } from './github-requests.ts';
import { type HostedInstallation, issueToken, type Model, reaches, repositoryNamed } from './model.ts';
import { type ApiReply, pageOf, Refusal, type Route, type RouteCall } from './strict-api.ts';

const tokenBody = z.strictObject({
  repository_ids: z.array(z.int()).exactOptional(),
  permissions: z
    .strictObject({
      contents: z.enum(['read', 'write']).exactOptional(),
      metadata: z.enum(['read', 'write']).exactOptional(),
      pull_requests: z.enum(['read', 'write']).exactOptional(),
      repository_hooks: z.enum(['read', 'write']).exactOptional(),
    })
    .exactOptional(),
}) satisfies z.ZodType<Body<'apps/create-installation-access-token'>>;

const hookBody = z.strictObject({
  config: z.strictObject({
    url: z.url(),
    secret: z.string(),
    content_type: z.enum(['json', 'form']),
    insecure_ssl: z.enum(['0', '1']),
  }),
  events: z.array(z.string()),
  active: z.boolean(),
}) satisfies z.ZodType<Body<'repos/create-webhook'>>;

/** The routes below `/api/v3`, as GitHub Enterprise has them. */
export function githubRoutes(model: Model): readonly Route[] {
  return [...appRoutes(model), ...repositoryRoutes(model), ...hookRoutes(model), ...pullRoutes(model)];
}

function appRoutes(model: Model): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/app',
      handle: async (call) => {
        const { id, slug } = await appOf(model, call);
        return {
          status: 200,
          body: { id, slug, name: slug } satisfies Partial<NonNullable<Reply<'integration'>>>,
        };
      },
    },
    {
      method: 'GET',
      path: '/app/installations/:id',
      handle: async (call) => ({ status: 200, body: installationReply(await installationOf(model, call)) }),
    },
    {
      method: 'POST',
      path: '/app/installations/:id/access_tokens',
      body: tokenBody.optional(),
      handle: async (call) => createToken(model, await installationOf(model, call), call),
    },
    {
      method: 'GET',
      path: '/installation/repositories',
      query: pages,
      handle(call) {
        const token = tokenOf(model, call);
        const installation = activeInstallation(model, token);
        const all = [...model.repositories.values()].filter((one) => isVisible(token, installation, one));
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call, 30) });
        const body = {
          total_count: all.length,
          repositories: items.map((one) => repositoryReply(model, one)),
        };
        return { status: 200, body, headers };
      },
    },
  ];
}

function repositoryRoutes(model: Model): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/repos/:owner/:name',
      handle(call) {
        const { owner, name } = call.parameters;
        const fullName = `${owner}/${name}`.toLowerCase();
        const former = model.formerNames.get(fullName);
        const current = repositoryNamed(model, fullName);
        if (current === undefined && former !== undefined) {
          const location = new URL(`/api/v3/repositories/${former}?redirected=1`, call.url).href;
          return {
            status: 301,
            headers: { location },
            body: { message: 'Moved Permanently', url: location },
          };
        }
        return { status: 200, body: repositoryReply(model, permitted(model, call, current, {})) };
      },
    },
    {
      method: 'GET',
      // The undocumented form by id: only redirects of this host lead there.
      path: '/repositories/:id',
      query: z.object({ redirected: z.literal('1') }),
      handle: (call) => ({ status: 200, body: repositoryReply(model, repositoryOf(model, call, {})) }),
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/git/ref/heads/*branch',
      handle(call) {
        const repository = repositoryOf(model, call, { contents: 'read' });
        if (repository.isEmpty()) throw new Refusal(409, 'Git Repository is empty.');
        const { branch = '' } = call.parameters;
        const sha = repository.bare.branches().get(branch);
        if (sha === undefined) throw new Refusal(404, 'Not Found');
        const body: Reply<'git-ref'> = {
          ref: `refs/heads/${branch}`,
          object: { type: 'commit', sha, url: call.url.href },
        };
        return { status: 200, body };
      },
    },
    {
      method: 'GET',
      path: '/repos/:owner/:name/contents/*path',
      query: z.object({ ref: z.string() }),
      handle(call) {
        const repository = repositoryOf(model, call, { contents: 'read' });
        const { path = '' } = call.parameters;
        const content = repository.isEmpty()
          ? undefined
          : repository.bare.read(call.query['ref'] ?? '', path);
        if (content === undefined) throw new Refusal(404, 'Not Found');
        // The vendor sends no content beyond 1 MB.
        const whole = content.length <= 1024 * 1024;
        const body: Reply<'content-file'> = {
          type: 'file',
          path,
          size: content.length,
          encoding: whole ? 'base64' : 'none',
          content: whole ? content.toString('base64').replace(/.{60}/g, '$&\n') : '',
        };
        return { status: 200, body };
      },
    },
  ];
}

function hookRoutes(model: Model): readonly Route[] {
  const permissions = { repository_hooks: 'write' } as const;
  const found = (call: RouteCall) => {
    const repository = repositoryOf(model, call, permissions);
    const index = repository.hooks.findIndex(({ id }) => String(id) === call.parameters['hook']);
    if (index === -1) throw new Refusal(404, 'Not Found');
    return { repository, index };
  };
  return [
    {
      method: 'GET',
      path: '/repos/:owner/:name/hooks',
      query: pages,
      handle(call) {
        const all = repositoryOf(model, call, { repository_hooks: 'read' }).hooks;
        const { items, headers } = pageOf(all, { url: call.url, ...sizeOf(call, 30) });
        return { status: 200, body: items.map(hookReply), headers };
      },
    },
    {
      method: 'POST',
      path: '/repos/:owner/:name/hooks',
      body: hookBody,
      handle(call) {
        const repository = repositoryOf(model, call, permissions);
        const { config, events, active } = call.body as z.output<typeof hookBody>;
        if (repository.hooks.some(({ url }) => url === config.url)) {
          throw new Refusal(422, 'Validation Failed', {
            errors: [{ resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' }],
          });
        }
        const hook = { id: model.nextId(), url: config.url, secret: config.secret, events, active };
        repository.hooks.push(hook);
        return { status: 201, body: hookReply(hook) };
      },
    },
    {
      method: 'PATCH',
      path: '/repos/:owner/:name/hooks/:hook',
      body: hookBody,
      handle(call) {
        const { repository, index } = found(call);
        const { config, events, active } = call.body as z.output<typeof hookBody>;
        const hook = repository.hooks[index];
        if (hook === undefined) throw new Refusal(404, 'Not Found');
        Object.assign(hook, { url: config.url, secret: config.secret, events, active });
        return { status: 200, body: hookReply(hook) };
      },
    },
    {
      method: 'DELETE',
      path: '/repos/:owner/:name/hooks/:hook',
      handle(call) {
        const { repository, index } = found(call);
        repository.hooks.splice(index, 1);
        return { status: 204 };
      },
    },
  ];
}

function createToken(model: Model, installation: HostedInstallation, call: RouteCall): ApiReply {
  if (installation.suspended) throw new Refusal(403, 'This installation has been suspended');
  const wanted = (call.body ?? {}) as z.output<typeof tokenBody>;
  const permissions: HostedInstallation['permissions'] = {
    ...(wanted.permissions ?? installation.permissions),
  };
  const granted = Object.entries(permissions).every(([name, level]) =>
    allows(installation.permissions, name, level),
  );
  if (!granted) throw new Refusal(422, 'The permissions requested are not granted to this installation.');
  const unreachable = (wanted.repository_ids ?? []).some((id) => {
    const repository = model.repositories.get(id);
    return repository === undefined || !reaches(installation, repository);
  });
  if (unreachable) {
    throw new Refusal(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  const token = issueToken(model, {
    installationId: installation.id,
    repositoryIds: wanted.repository_ids,
    permissions,
  });
  const body: Reply<'installation-token'> = {
    token: token.value,
    expires_at: new Date(token.expiresAt).toISOString(),
    permissions,
  };
  return { status: 201, body };
}
