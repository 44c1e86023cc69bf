import type { FastifyReply } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { chooseRepository } from '../../../../features/connectors/setup/wizard-choices.ts';
import type { GithostConnection } from '../../../../features/githosts/githost-connection.ts';
import { listGithosts } from '../../../../features/githosts/githost-store.ts';
import { listHostRepositories } from '../../../../features/githosts/host-repositories.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { pageLimits } from '../../../../foundation/kernel/wire/page.ts';
import type { Visit } from '../../app/app-page.ts';
import { checkFields, formErrorsOf } from '../../kit/forms/check-fields.ts';
import { selectField } from '../../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form, radioGroup, textField } from '../../kit/forms/form.ts';
import { el } from '../../kit/html/element.ts';
import { foreignText } from '../../kit/html/foreign-text.ts';
import { name, nameText } from '../../kit/html/name.ts';
import { empty, nextPage } from '../../kit/html/parts.ts';
import type { PageContext } from '../../pages-deps.ts';
import { revisionField, revisionOf } from './revision.ts';
import { isOpen, loadSetup, type Setup, stepPath, wizardView } from './setup.ts';

const pageSize = 50;

const fields = z.object({
  githostConnectionId: z.string().max(100).default(''),
  repository: z
    .string({ error: 'Choose a repository.' })
    .min(1, { error: 'Choose a repository.' })
    .max(1_000, { error: 'This name is too long.' }),
  branch: z
    .string()
    .trim()
    .max(250, { error: 'This branch is too long: enter at most 250 characters.' })
    .default('')
    .transform((text) => text || undefined),
});

export async function showRepository(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  if (!isOpen(setup, 'repository')) return visit.seeOther(stepPath(setup, 'setup'));
  return show(visit, context, setup);
}

export async function saveRepository(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return show(visit, context, setup, errors);
  const choice = { ...values, id: setup.connection.id, revision: revisionOf(visit) };
  try {
    await chooseRepository(context.connections, visit.scope, visit.actor, choice, visit.signal);
  } catch (error) {
    // Shows what somebody else chose meanwhile.
    const present = await loadSetup(visit, context);
    return show(visit, context, present, formErrorsOf(error, Object.keys(fields.shape)));
  }
  return visit.seeOther(stepPath(setup, 'scope'));
}

async function show(
  visit: Visit,
  context: PageContext,
  setup: Setup,
  errors?: FieldErrors,
): Promise<FastifyReply> {
  const { queries } = context.githosts.database;
  const { items } = await listGithosts(queries, visit.scope, { limit: pageLimits.max });
  const usable = items.filter(({ kind, state }) => {
    const can = context.githosts.providers.get(kind)?.can;
    return state === 'connected' && can?.push === true && can.pullRequests;
  });
  const wanted = errors === undefined ? visit.query('githost') : visit.fields['githostConnectionId'];
  const present = setup.choices.repository ?? presentPlace(setup);
  const githost = usable.find(({ id }) => id === (wanted ?? present?.githostConnectionId)) ?? usable[0];
  const content =
    githost === undefined
      ? noGithost(visit)
      : [
          el(
            'p',
            null,
            'The records are written into a folder of this repository, which stays yours. It may be empty. A pull request proposes the configuration.',
          ),
          search(visit, setup, usable, githost),
          await choiceForm(visit, context, setup, githost, errors),
        ];
  const status = errors === undefined ? 200 : 400;
  return visit.show(wizardView(visit, setup, 'repository', { content, status }));
}

function presentPlace({ connection: { binding } }: Setup) {
  return (
    binding && {
      githostConnectionId: binding.githostConnectionId,
      name: binding.repository,
      branch: binding.branch,
    }
  );
}

function noGithost(visit: Visit): VNode {
  return empty(
    el(
      'p',
      null,
      'No Git host that can open pull requests is connected. ',
      el('a', { href: visit.path('/settings/git-hosts') }, 'Connect one'),
      ', then come back to this page.',
    ),
  );
}

function search(
  visit: Visit,
  setup: Setup,
  githosts: readonly GithostConnection[],
  chosen: GithostConnection,
): VNode {
  return el(
    'form',
    { method: 'get', action: visit.path(stepPath(setup, 'repository')), class: 'filters', role: 'search' },
    selectField({
      name: 'githost',
      label: 'Git host',
      value: chosen.id,
      options: githosts.map((each) => ({
        value: each.id,
        label: `${nameText(each.name, 100)} (${each.url})`,
      })),
    }),
    textField({
      name: 'q',
      label: 'Part of the name',
      type: 'search',
      autocomplete: 'off',
      optional: true,
      value: visit.query('q'),
    }),
    button('Show repositories'),
  );
}

async function choiceForm(
  visit: Visit,
  context: PageContext,
  setup: Setup,
  githost: GithostConnection,
  errors: FieldErrors | undefined,
): Promise<ComponentChildren> {
  const listed = await repositoriesOf(visit, context, githost);
  const present = setup.choices.repository ?? presentPlace(setup);
  const chosen = visit.fields['repository'] ?? present?.name;
  const others = listed.items.filter(({ fullName, canWrite }) => canWrite && fullName !== chosen);
  const names = [...(chosen === undefined ? [] : [chosen]), ...others.map(({ fullName }) => fullName)];
  const readOnly = listed.items.filter(({ canWrite }) => !canWrite).length;
  const branch = visit.fields['branch'] ?? present?.branch;
  const next =
    listed.nextCursor && queryOf({ githost: githost.id, q: visit.query('q'), cursor: listed.nextCursor });
  return [
    listed.problem !== undefined &&
      el('p', { class: 'notice', role: 'status' }, foreignText(listed.problem, 1_000)),
    readOnly > 0 &&
      el(
        'p',
        { class: 'quiet' },
        `${readOnly} repositories are left out: this connection cannot write to them.`,
      ),
    names.length === 0
      ? empty(el('p', null, 'No repository matches. Enter another part of its name, or create it first.'))
      : form(
          {
            ...visit.form(stepPath(setup, 'repository')),
            hidden: { ...revisionField(setup), githostConnectionId: githost.id },
            errors,
          },
          radioGroup({
            name: 'repository',
            label: 'Repository',
            choices: names.map((each) => ({ value: each, label: name(each) })),
            chosen,
            error: errors?.['repository'],
          }),
          textField({
            name: 'branch',
            label: 'Branch',
            hint: 'Leave it empty for the default branch.',
            type: 'text',
            autocomplete: 'off',
            optional: true,
            value: branch,
            error: errors?.['branch'],
          }),
          actions(button('Save and continue', { primary: true })),
        ),
    nextPage(
      next === undefined ? undefined : visit.path(`${stepPath(setup, 'repository')}?${next}`),
      'More repositories',
    ),
  ];
}

/** Returns a page of the repositories; an error of the host is shown above an empty list. */
async function repositoriesOf(visit: Visit, { githosts }: PageContext, { id }: GithostConnection) {
  const request = { limit: pageSize, query: visit.query('q'), cursor: visit.query('cursor') };
  try {
    const page = await listHostRepositories(githosts, visit.scope, id, request, visit.signal);
    return { ...page, problem: undefined };
  } catch (error) {
    if (!(error instanceof OrgctxError)) throw error;
    return { items: [], nextCursor: undefined, problem: error.message };
  }
}

export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  return new URLSearchParams(given).toString();
}
