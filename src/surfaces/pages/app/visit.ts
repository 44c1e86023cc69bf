import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasRole } from '../../../features/identity/access/enter-organization.ts';
import { actorOf } from '../../../features/identity/audit/audit.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { disconnectSignal } from '../../fastify/disconnect.ts';
import { accessOf } from '../../fastify/request-fields.ts';
import { visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import type { PageContext } from '../pages-deps.ts';
import type { Visit } from './app-page.ts';
import { appPath } from './app-path.ts';
import { formPurpose } from './form-purpose.ts';

/** Returns a parameter of the query. @throws InvalidInput for NUL, which Postgres cannot compare */
function queryParameter({ query }: FastifyRequest, name: string): string | undefined {
  const text = textParameter(query, name) || undefined;
  if (text?.includes('\0')) throw new InvalidInput('The address contains a NUL character. Correct it.');
  return text;
}

/** Creates the visit of an admitted person. */
export function visitOf(request: FastifyRequest, reply: FastifyReply, context: PageContext): Visit {
  const access = accessOf(request);
  const { scope } = access;
  const path = (below: string): string => appPath(scope.orgSlug, below);
  return {
    access,
    scope,
    actor: actorOf(access),
    now: context.identity.clock(),
    signal: disconnectSignal(reply),
    request,
    reply,
    fields: request.fields ?? {},
    list: (name) => request.lists?.[name] ?? [],
    param: (name) => textParameter(request.params, name) ?? '',
    query: (name) => queryParameter(request, name),
    may: (role) => hasRole(access, role),
    path,
    form: (below) => {
      const action = path(below);
      return { action, csrf: context.tokens.issue(visitorOf(request), formPurpose(action)) };
    },
    show: ({ title, content, status }) =>
      sendPage(reply, { title, content, ...request.frame }, { status: status ?? 200 }),
    seeOther: (below) => seeOther(reply, path(below)),
  };
}
