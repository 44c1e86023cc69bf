import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { listScopeOptions } from '../../../../features/connectors/setup/fresh-tokens.ts';
import {
  applyChoices,
  type ChosenOption,
  chooseOptions,
} from '../../../../features/connectors/setup/wizard-choices.ts';
import { InvalidInput, OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { parseJson } from '../../../../foundation/kernel/wire/parse-json.ts';
import type { Visit } from '../../app/app-page.ts';
import { formErrorsOf } from '../../kit/forms/check-fields.ts';
import type { FieldErrors } from '../../kit/forms/form.ts';
import type { PageContext } from '../../pages-deps.ts';
import { queryOf } from './repository.ts';
import { revisionOf } from './revision.ts';
import { chosenOptions, type ScopePage, scopeContent, valueOf } from './scope-view.ts';
import { isOpen, loadSetup, type Setup, stepPath, wizardView } from './setup.ts';

const pageSize = 50;

export async function showScope(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  if (!isOpen(setup, 'scope')) return visit.seeOther(stepPath(setup, 'setup'));
  return show(visit, context, setup);
}

/**
 * Saves what is ticked, then shows the next page, searches, or gives the connection its repository and scope,
 * depending on the button.
 */
export async function saveScope(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  const { id } = setup.connection;
  const { connections } = context;
  const to = visit.fields['to'];
  try {
    const shown = visit.list('shown').map(optionOf);
    const chosen = visit.list('chosen').map(optionOf);
    const change = { id, revision: revisionOf(visit), shown, chosen };
    if (to === 'continue' && chosen.length === 0 && chosenOptions(setup).length > 0)
      throw new InvalidInput('Choose at least one item. To keep the present scope, leave this page.');
    await chooseOptions(connections, visit.scope, visit.actor, change);
    if (to === 'search' || to === 'more') {
      const q = visit.fields['q'] || undefined;
      const cursor = to === 'more' ? visit.fields['next'] : undefined;
      return visit.seeOther(`${stepPath(setup, 'scope')}?${queryOf({ q, cursor })}`);
    }
    await applyChoices(connections, visit.scope, visit.actor, id, visit.signal);
  } catch (error) {
    const errors = formErrorsOf(error, ['scope', 'repository', 'branch', 'githostConnectionId']);
    return show(visit, context, await loadSetup(visit, context), { '': Object.values(errors).join(' ') });
  }
  return visit.seeOther(stepPath(setup, 'pull-request'));
}

const option = z.tuple([z.string().max(50), z.string().min(1).max(200), z.string().max(500)]);

/** Parses the value of a checkbox. @throws InvalidInput */
function optionOf(text: string): ChosenOption {
  const parsed = option.safeParse(parseJson(text));
  if (!parsed.success) throw new InvalidInput('The form contains an unknown choice. Open the page again.');
  const [kind, ref, name] = parsed.data;
  return { kind, ref, name };
}

async function show(
  visit: Visit,
  context: PageContext,
  setup: Setup,
  errors?: FieldErrors,
): Promise<FastifyReply> {
  const page = await optionsOf(visit, context, setup);
  const content = scopeContent(visit, setup, page, errors);
  return visit.show(wizardView(visit, setup, 'scope', { content, status: errors === undefined ? 200 : 400 }));
}

/**
 * Returns a page of the options that a scope can be built from; an error of the provider is shown above an empty list.
 */
async function optionsOf(visit: Visit, { connections }: PageContext, setup: Setup): Promise<ScopePage> {
  const kinds = Object.keys(setup.connector.configuration.flags);
  const request = { query: visit.query('q'), cursor: visit.query('cursor'), limit: pageSize };
  try {
    const { items, nextCursor } = await listScopeOptions(
      connections,
      visit.scope,
      setup.connection.id,
      request,
      visit.signal,
    );
    const listed = items
      .filter(({ kind }) => kinds.includes(kind))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
    // Pages of other kinds follow those of the last kind that can be chosen.
    const isLast = listed.length === 0 && items.length > 0;
    return {
      options: listed.map((item) => ({ ...item, value: valueOf(item) })),
      nextCursor: isLast ? undefined : nextCursor,
      problem: undefined,
    };
  } catch (error) {
    if (!(error instanceof OrgctxError)) throw error;
    return { options: [], nextCursor: undefined, problem: error.message };
  }
}
