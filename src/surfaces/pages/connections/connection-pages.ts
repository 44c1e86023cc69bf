import type { AppPage } from '../app/app-page.ts';
import { replayDeliveries, showConnectionPage, syncNow } from './detail.ts';
import { listPage } from './list.ts';
import { createDraft, showNew } from './new-connection.ts';
import { remove, showRemove } from './remove.ts';
import { showAuthorize, startAuthorize } from './wizard/authorize.ts';
import { openPullRequest, showPullRequest } from './wizard/pull-request.ts';
import { saveRegister, showRegister } from './wizard/register.ts';
import { saveRepository, showRepository } from './wizard/repository.ts';
import { saveScope, showScope } from './wizard/scope.ts';
import { scopeForm } from './wizard/scope-view.ts';
import { loadSetup, nextStep, stepPath } from './wizard/setup.ts';

type Handle = AppPage['handle'];

/** A page of the section, and the target of its form with the same path. */
function pages(path: string, get: Handle, post: Handle, form: object = {}): readonly AppPage[] {
  const own = { path, role: 'admin', section: 'Connections' } as const;
  return [
    { ...own, method: 'GET', handle: get },
    { ...own, method: 'POST', form: { page: path, ...form }, handle: post },
  ];
}

/** A button of the page of a connection. */
function action(below: string, handle: Handle): AppPage {
  const page = '/connections/:id';
  return {
    method: 'POST',
    path: `${page}/${below}`,
    role: 'admin',
    section: 'Connections',
    form: { page },
    handle,
  };
}

/** The list of connections, the page of each, and the wizard that sets one up. */
export const connectionPages: readonly AppPage[] = [
  { method: 'GET', path: '/connections', role: 'member', section: 'Connections', handle: listPage },
  ...pages('/connections/new', showNew, createDraft),
  {
    method: 'GET',
    path: '/connections/:id',
    role: 'member',
    section: 'Connections',
    handle: (visit, context) => showConnectionPage(visit, context),
  },
  action('sync', syncNow),
  action('replay', replayDeliveries),
  {
    method: 'GET',
    path: '/connections/:id/setup',
    role: 'admin',
    section: 'Connections',
    async handle(visit, context) {
      const setup = await loadSetup(visit, context);
      return visit.seeOther(stepPath(setup, nextStep(setup)));
    },
  },
  ...pages('/connections/:id/register', showRegister, saveRegister),
  ...pages('/connections/:id/authorize', showAuthorize, startAuthorize),
  ...pages('/connections/:id/repository', showRepository, saveRepository),
  ...pages('/connections/:id/scope', showScope, saveScope, scopeForm),
  ...pages('/connections/:id/pull-request', showPullRequest, openPullRequest),
  ...pages('/connections/:id/remove', showRemove, remove),
];
