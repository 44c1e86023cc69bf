import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { admitSession } from '../../../features/identity/access/admit-session.ts';
import { hasRole, requireRole } from '../../../features/identity/access/enter-organization.ts';
import type { Access } from '../../../features/identity/access/principal.ts';
import { markAdmittingRoutes } from '../../fastify/admit-request.ts';
import type { OrganizationFrame } from '../kit/html/frame.ts';
import { visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { isSignedIn, signedInPerson } from '../signed-in-person.ts';
import { type AppPage, type Section, sectionPaths } from './app-page.ts';
import { appPath } from './app-path.ts';
import { formPurpose } from './form-purpose.ts';
import { keepEntry } from './keep-entry.ts';
import { appPages } from './page-list.ts';
import { visitOf } from './visit.ts';

const prefix = '/app/:orgSlug';

/** Registers the pages of organizations, and admits the person of each request in one place. */
export function appRoutes(context: PageContext): FastifyPluginAsync {
  return async (server) => {
    markAdmittingRoutes(server);
    for (const page of appPages) register(server, context, page);
  };
}

function register(server: FastifyInstance, context: PageContext, page: AppPage): void {
  const { method, path, role, section, form, handle } = page;
  if ((method === 'POST') !== (form !== undefined))
    throw new Error(`${method} ${path} must have a form if and only if it is a POST`);
  server.route({
    method,
    url: `${prefix}${path}`,
    schema: { hide: true },
    ...(form?.maxBytes !== undefined && { bodyLimit: form.maxBytes }),
    config: {
      role,
      ...(form !== undefined && {
        form: {
          purpose: (request: FastifyRequest) => formPurpose(pathOf(request)),
          page: (request: FastifyRequest) => filledPath(`${prefix}${form.page}`, request),
          lists: form.lists,
          handlesEndedSession: true,
        },
      }),
    },
    onRequest: async (request, reply) => {
      const visitor = visitorOf(request);
      if (isSignedIn(visitor)) {
        const access = await admit(request, context, visitor.session);
        request.access = access;
        request.frame = {
          person: signedInPerson(context, visitor),
          organization: frameOf(access, section),
        };
        return requireRole(access, role);
      }
      await server.callLimits.countRefusal(request);
      // A form is read first, so that what was entered is kept during the sign-in.
      if (form === undefined) return seeOther(reply, signInPath(request.url));
    },
    handler: (request, reply) =>
      visitorOf(request).session === undefined
        ? keepEntry(request, reply, context, filledPath(`${prefix}${form?.page ?? path}`, request))
        : handle(visitOf(request, reply, context), context),
  });
}

async function admit(
  request: FastifyRequest,
  { identity }: PageContext,
  session: Parameters<typeof admitSession>[1],
): Promise<Access> {
  const orgSlug = textParameter(request.params, 'orgSlug') ?? '';
  const { queries } = identity.database;
  try {
    return await admitSession({ queries }, session, { orgSlug, address: request.ip });
  } catch (error) {
    await request.server.callLimits.countRefusal(request);
    throw error;
  }
}

/** Returns the navigation: the sections that have a page for the role of the person. */
function frameOf(access: Access, current: Section): OrganizationFrame {
  const { orgSlug } = access.scope;
  const links = Object.entries(sectionPaths).flatMap(([label, below]) => {
    const first = appPages.find(({ method, path }) => method === 'GET' && path === below);
    if (first === undefined || !hasRole(access, first.role)) return [];
    return [{ href: appPath(orgSlug, below), label, current: label === current }];
  });
  return { slug: orgSlug, homePath: appPath(orgSlug), links };
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** Fills the parameters of the request into a pattern. */
function filledPath(pattern: string, { params }: FastifyRequest): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(textParameter(params, name) ?? ''),
  );
}
