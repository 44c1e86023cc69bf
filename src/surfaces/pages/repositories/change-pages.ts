import type { FastifyReply } from 'fastify';
import { type GithostConnection } from '../../../features/githosts/githost-connection.ts';
import { listGithosts } from '../../../features/githosts/githost-store.ts';
import type { Repository } from '../../../features/repositories/repository.ts';
import { requireRepository } from '../../../features/repositories/repository-store.ts';
import { addRepository } from '../../../features/repositories/setup/add-repository.ts';
import { removeRepository } from '../../../features/repositories/setup/remove-repository.ts';
import { setRepository } from '../../../features/repositories/setup/set-repository.ts';
import { syncRepository } from '../../../features/repositories/sync-repository.ts';
import { pageLimits } from '../../../foundation/kernel/wire/page.ts';
import type { AppPage, Visit } from '../app/app-page.ts';
import { checkFields, formErrorsOf } from '../kit/forms/check-fields.ts';
import { actions, button, type FieldErrors, form } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { card } from '../kit/html/layout.ts';
import { name } from '../kit/html/name.ts';
import type { Fields } from '../kit/requests/form-guard.ts';
import type { PageContext } from '../pages-deps.ts';
import {
  changedMeanwhile,
  repositoryFieldNames,
  repositoryFields,
  repositoryForm,
  valuesOf,
  versionOf,
} from './repository-form.ts';

const own = { role: 'admin', section: 'Repositories' } as const;
const addPath = '/repositories/add';
const editPath = '/repositories/:id/edit';
const removePath = '/repositories/:id/remove';

/** The pages that add, change, sync and remove repositories. */
export const repositoryChangePages: readonly AppPage[] = [
  { ...own, method: 'GET', path: addPath, handle: (visit, context) => showAdd(visit, context, {}) },
  { ...own, method: 'POST', path: addPath, form: { page: addPath }, handle: add },
  {
    ...own,
    method: 'GET',
    path: editPath,
    handle: async (visit, context) => {
      const repository = await find(visit, context);
      return showEdit(visit, context, repository, valuesOf(repository));
    },
  },
  { ...own, method: 'POST', path: editPath, form: { page: editPath }, handle: edit },
  {
    ...own,
    method: 'POST',
    path: '/repositories/:id/sync',
    form: { page: '/repositories/:id' },
    handle: async (visit, context) => {
      const { id } = await find(visit, context);
      await syncRepository(context.repositories, visit.scope, visit.actor, id);
      return visit.seeOther(`/repositories/${id}`);
    },
  },
  { ...own, method: 'GET', path: removePath, handle: confirmRemoval },
  {
    ...own,
    method: 'POST',
    path: removePath,
    form: { page: removePath },
    handle: async (visit, context) => {
      const { id } = await find(visit, context);
      await removeRepository(context.repositories, visit.scope, visit.actor, id);
      return visit.seeOther('/repositories');
    },
  },
];

function find(visit: Visit, { repositories }: PageContext): Promise<Repository> {
  return requireRepository(repositories.database.queries, visit.scope, visit.param('id'));
}

async function add(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { values, errors } = checkFields(repositoryFields, visit.fields);
  if (errors) return showAdd(visit, context, visit.fields, errors);
  const { source, githostConnectionId, branch, branches, name: given } = values;
  try {
    const { id } = await addRepository(context.repositories, visit.scope, visit.actor, {
      source,
      githostConnectionId: githostConnectionId || undefined,
      branch: branch || undefined,
      branches,
      name: given || undefined,
    });
    return visit.seeOther(`/repositories/${id}`);
  } catch (error) {
    return showAdd(visit, context, visit.fields, formErrorsOf(error, repositoryFieldNames));
  }
}

async function edit(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const repository = await find(visit, context);
  const { values, errors } = checkFields(repositoryFields, visit.fields);
  if (errors) return showEdit(visit, context, repository, visit.fields, errors);
  if ((visit.fields['version'] ?? versionOf(repository)) !== versionOf(repository))
    return showEdit(visit, context, repository, visit.fields, changedMeanwhile(repository, visit.fields));
  try {
    await setRepository(
      context.repositories,
      visit.scope,
      visit.actor,
      repository.id,
      changesOf(repository, values),
    );
    return visit.seeOther(`/repositories/${repository.id}`);
  } catch (error) {
    const shown = formErrorsOf(error, repositoryFieldNames);
    return showEdit(visit, context, repository, visit.fields, shown);
  }
}

/**
 * Returns only what differs from the repository, because an unchanged source with a Git host would be looked up there
 * again.
 */
function changesOf(repository: Repository, values: ReturnType<typeof repositoryFields.parse>) {
  const { source, branch, branches, githostConnectionId, name: given } = values;
  return {
    source: source === repository.source ? undefined : source,
    branch: branch === (repository.branch ?? '') ? undefined : branch || null,
    branches,
    name: given === repository.name || given === '' ? undefined : given,
    githostConnectionId:
      githostConnectionId === (repository.githostConnectionId ?? '')
        ? undefined
        : githostConnectionId || null,
  };
}

async function showAdd(
  visit: Visit,
  context: PageContext,
  values: Fields,
  errors?: FieldErrors,
): Promise<FastifyReply> {
  const content = repositoryForm({
    ...visit.form(addPath),
    cancelPath: visit.path('/repositories'),
    submit: 'Add the repository',
    values,
    errors,
    githosts: await githostsOf(visit, context),
    githostsPath: visit.path('/settings/git-hosts'),
  });
  return visit.show({
    title: 'Add a repository',
    content: card('Add a repository', content),
    status: statusOf(errors),
  });
}

async function showEdit(
  visit: Visit,
  context: PageContext,
  repository: Repository,
  values: Fields,
  errors?: FieldErrors,
): Promise<FastifyReply> {
  const content = repositoryForm({
    ...visit.form(`/repositories/${repository.id}/edit`),
    cancelPath: visit.path(`/repositories/${repository.id}`),
    submit: 'Save and sync',
    hidden: { version: versionOf(repository) },
    values,
    errors,
    githosts: await githostsOf(visit, context),
    githostsPath: visit.path('/settings/git-hosts'),
  });
  const title = `Change ${repository.name}`;
  return visit.show({ title, content: card(title, content), status: statusOf(errors) });
}

const statusOf = (errors: FieldErrors | undefined): number => (errors === undefined ? 200 : 400);

async function githostsOf(visit: Visit, { githosts }: PageContext): Promise<readonly GithostConnection[]> {
  const { items } = await listGithosts(githosts.database.queries, visit.scope, { limit: pageLimits.max });
  return items;
}

async function confirmRemoval(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const repository = await find(visit, context);
  const path = `/repositories/${repository.id}`;
  return visit.show({
    title: `Remove ${repository.name}`,
    content: card(
      'Remove a repository',
      el(
        'p',
        null,
        'Searches and answers no longer include ',
        el('strong', null, name(repository.name)),
        '.',
      ),
      el('p', null, 'Its clone and index are deleted here. The source itself does not change.'),
      form(
        visit.form(`${path}/remove`),
        actions(
          button('Remove the repository', { danger: true }),
          el('a', { class: 'button', href: visit.path(path) }, 'Keep it'),
        ),
      ),
    ),
  });
}
