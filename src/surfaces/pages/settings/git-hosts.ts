import type { FastifyReply } from 'fastify';
import { addGithost } from '../../../features/githosts/add-githost.ts';
import { isReplaceable } from '../../../features/githosts/githost-connection.ts';
import { requireGithost } from '../../../features/githosts/githost-store.ts';
import { installUrlOf } from '../../../features/githosts/install-githost.ts';
import { removeGithost } from '../../../features/githosts/remove-githost.ts';
import { setGithost } from '../../../features/githosts/set-githost.ts';
import { ensureSshKey, removeSshKey } from '../../../features/githosts/ssh-key.ts';
import { NotFound, OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { Visit } from '../app/app-page.ts';
import { formErrorsOf } from '../kit/forms/check-fields.ts';
import type { FieldErrors } from '../kit/forms/form.ts';
import { leave } from '../kit/requests/leave.ts';
import { visitorOf } from '../kit/requests/page-scope.ts';
import type { PageContext } from '../pages-deps.ts';
import {
  addHostContent,
  editHostContent,
  hostsContent,
  hostsPath as path,
  readHosts,
} from './git-hosts-view.ts';
import { settingsView } from './settings-view.ts';

/** Shows the connected Git hosts and the SSH key. `problem` says why a change was refused. */
export async function showHosts(
  visit: Visit,
  context: PageContext,
  problem?: OrgctxError,
): Promise<FastifyReply> {
  const hosts = await readHosts(visit, context);
  return visit.show(settingsView(visit, path, hostsContent(visit, context, hosts, problem), problem?.status));
}

export function showAddHost(visit: Visit, context: PageContext, errors?: FieldErrors): FastifyReply {
  const provider = context.githosts.providers.get(kindOf(visit, context));
  if (provider === undefined) throw new NotFound('There is no such kind of Git host.');
  const content = addHostContent(visit, context, provider, errors);
  return visit.show(settingsView(visit, path, content, errors === undefined ? 200 : 400));
}

/** Returns the kind of Git host that the address or the form names; the first one by default. */
function kindOf(visit: Visit, { githosts }: PageContext): string {
  return visit.fields['kind'] ?? visit.query('kind') ?? githosts.providers.keys().next().value ?? '';
}

export async function addHost(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const kind = kindOf(visit, context);
  const known = context.githosts.providers.get(kind)?.fields.map((field) => field.name) ?? [];
  const wanted = {
    kind,
    name: visit.fields['name']?.trim() || undefined,
    fields: givenFields(visit, known),
  };
  try {
    await addGithost(context.githosts, visit.scope, visit.actor, wanted, visit.signal);
  } catch (error) {
    return showAddHost(visit, context, formErrorsOf(error, ['name', ...known]));
  }
  return visit.seeOther(path);
}

/** Returns the fields that the form gives. */
function givenFields(visit: Visit, known: readonly string[]): Readonly<Record<string, string>> {
  const given = known.flatMap((field) => {
    const text = visit.fields[field]?.trim();
    return text ? [[field, text] as const] : [];
  });
  return Object.fromEntries(given);
}

export async function showEditHost(
  visit: Visit,
  context: PageContext,
  errors?: FieldErrors,
): Promise<FastifyReply> {
  const { database, providers, baseUrl } = context.githosts;
  const host = await requireGithost(database.queries, visit.scope, visit.param('id'));
  const fields = providers.get(host.kind)?.fields ?? [];
  const content = editHostContent(visit, { host, fields, baseUrl }, errors);
  return visit.show(settingsView(visit, path, content, errors === undefined ? 200 : 400));
}

export async function editHost(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { githosts } = context;
  const host = await requireGithost(githosts.database.queries, visit.scope, visit.param('id'));
  const known = (githosts.providers.get(host.kind)?.fields ?? [])
    .map((field) => field.name)
    .filter(isReplaceable);
  const given = Object.entries(givenFields(visit, known));
  const fields = Object.fromEntries(given.filter(([field, text]) => text !== host.fields[field]));
  const name = visit.fields['name']?.trim() ?? '';
  try {
    await setGithost(githosts, visit.scope, visit.actor, host.id, { name, fields }, visit.signal);
  } catch (error) {
    return showEditHost(visit, context, formErrorsOf(error, ['name', ...known]));
  }
  return visit.seeOther(path);
}

export async function removeHost(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return changed(visit, context, () =>
    removeGithost(context.githosts, visit.scope, visit.actor, visit.param('id')),
  );
}

/** Redirects to the page of the Git host at which its App is installed. The state is bound to this session. */
export async function installHost(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { githosts } = context;
  const { id } = await requireGithost(githosts.database.queries, visit.scope, visit.param('id'));
  const session = visitorOf(visit.request).session?.hash;
  try {
    const url = await installUrlOf(githosts, visit.scope, visit.actor, id, visit.signal, session);
    return leave(visit.request, visit.reply, { url, message: 'This page leads to the Git host.' });
  } catch (error) {
    if (!(error instanceof OrgctxError)) throw error;
    return showHosts(visit, context, error);
  }
}

export async function createSshKey(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return changed(visit, context, () => ensureSshKey(context.githosts, visit.scope, visit.actor));
}

export async function deleteSshKey(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return changed(visit, context, () => removeSshKey(context.githosts, visit.scope, visit.actor));
}

async function changed(
  visit: Visit,
  context: PageContext,
  work: () => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.status === 404) throw error;
    return showHosts(visit, context, error);
  }
  return visit.seeOther(path);
}
