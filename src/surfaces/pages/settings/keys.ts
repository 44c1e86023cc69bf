import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ApiKey } from '../../../features/identity/api-keys/api-key.ts';
import { maxRepositories } from '../../../features/identity/api-keys/create-api-key.ts';
import { parseDuration } from '../../../features/identity/api-keys/duration.ts';
import {
  createOwnApiKey,
  listOwnApiKeys,
  revokeOwnApiKey,
} from '../../../features/identity/api-keys/own-api-keys.ts';
import { findRepository } from '../../../features/repositories/repository-store.ts';
import { type ApiKeyId, isUuid, newId, type RepositoryId } from '../../../foundation/kernel/ids.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import type { Visit } from '../app/app-page.ts';
import { checkFields, filled, formErrorsOf } from '../kit/forms/check-fields.ts';
import { selectField, textArea } from '../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { copyable, empty, nextPage, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { confirmedForm, nextOf, type Question, settingsView } from './settings-view.ts';

const path = '/settings/keys';
/** Lifetimes to choose from; an empty one never ends. */
const lifetimes = [
  { value: '90d', label: '90 days' },
  { value: '30d', label: '30 days' },
  { value: '365d', label: '1 year' },
  { value: '', label: 'no end' },
] as const;

const fields = z.object({
  name: filled('Enter what the key is for.', 100),
  expiresIn: z.string().max(20).default(''),
  /** Names, one on a line. Empty: a key without a limit. */
  repositories: z.string().max(20_000, { error: 'This is too long: enter fewer repositories.' }).default(''),
  // Absent in a form that was opened before an upgrade.
  id: z.string().refine(isUuid, { error: 'Open the page again.' }).optional(),
});

interface Shown {
  readonly errors?: FieldErrors;
  /** A key that was just created. It is never shown again. */
  readonly created?: string;
}

/** Shows the API keys of the person. */
export async function showKeys(visit: Visit, context: PageContext, shown: Shown = {}): Promise<FastifyReply> {
  const page = await listOwnApiKeys(context.identity, visit.access, { cursor: visit.query('cursor') });
  const { errors, created } = shown;
  const content = [
    created !== undefined && createdCard(visit, context, created),
    section(
      'keys',
      'Your keys',
      page.items.length === 0
        ? empty(
            el(
              'p',
              null,
              'None. A key signs in a program as you, in every organization that you are a member of.',
            ),
          )
        : keyTable(visit, page.items),
      nextPage(nextOf(visit, path, page.nextCursor)),
    ),
    section('new', 'Create a key', keyForm(visit, errors)),
  ];
  return visit.show(settingsView(visit, path, content, errors === undefined ? 200 : 400));
}

export async function createKey(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return showKeys(visit, context, { errors });
  try {
    const { expiresIn } = values;
    const lifetime = expiresIn === '' ? undefined : parseDuration(expiresIn, 'expiresIn');
    const wanted = {
      id: values.id as ApiKeyId | undefined,
      name: values.name,
      expiresIn: lifetime,
      repositories: await repositoriesNamed(visit, context, values.repositories),
    };
    const { apiKey } = await createOwnApiKey(context.identity, visit.access, wanted);
    return await showKeys(visit, context, { created: apiKey });
  } catch (error) {
    return showKeys(visit, context, { errors: formErrorsOf(error, Object.keys(fields.shape)) });
  }
}

function refuse(problem: string): never {
  throw invalidField('repositories', problem, `${problem}.`);
}

/** Returns the repositories of a new key; `undefined` for all. @throws InvalidInput for a name that does not exist */
async function repositoriesNamed(
  visit: Visit,
  { identity }: PageContext,
  lines: string,
): Promise<readonly RepositoryId[] | undefined> {
  const names = new Set(lines.split('\n').flatMap((line) => line.trim() || []));
  if (names.size === 0) return undefined;
  if (names.size > maxRepositories) refuse(`A key is limited to at most ${maxRepositories} repositories`);
  const found = new Set<RepositoryId>();
  for (const each of names) {
    const repository = await findRepository(identity.database.queries, visit.scope, each);
    found.add(repository?.id ?? refuse(`No repository has the name "${visibleLine(each).slice(0, 100)}"`));
  }
  return [...found];
}

export async function revokeKey(visit: Visit, { identity }: PageContext): Promise<FastifyReply> {
  await revokeOwnApiKey(identity, visit.access, visit.param('id'));
  return visit.seeOther(path);
}

function createdCard(visit: Visit, { config }: PageContext, apiKey: string) {
  const example = `curl -H "Authorization: Bearer $ORGCTX_KEY" ${config.baseUrl}/${visit.scope.orgSlug}/api/v1/repositories`;
  return section(
    'created',
    'Your new key',
    el('p', { role: 'status' }, 'Copy it now. It is shown only this once.'),
    copyable(apiKey, 'Copy the key'),
    el('p', null, 'Try it, with the key in the variable ORGCTX_KEY:'),
    copyable(example, 'Copy the command'),
  );
}

function keyTable(visit: Visit, keys: readonly ApiKey[]) {
  const { now } = visit;
  return table({
    caption: 'API keys, oldest first',
    columns: ['Name', 'Starts with', 'Works in', 'Created', 'Last used', 'Expires', 'Action'],
    rows: keys.map((key) => [
      name(key.name),
      el('code', null, key.prefix),
      worksIn(key),
      age(key.createdAt, now),
      key.lastUsedAt === undefined ? 'never' : age(key.lastUsedAt, now),
      key.expiresAt === undefined ? 'never' : age(key.expiresAt, now),
      confirmedForm(visit, `${path}/${key.id}/revoke`, revocation(nameText(key.name, 100))),
    ]),
  });
}

function worksIn({ organization, repositories }: ApiKey): string {
  const where = organization === undefined ? 'all your organizations' : organization.slug;
  return repositories === undefined
    ? where
    : `${where}: ${counted(repositories.length, 'repository', 'repositories')}, read only`;
}

function revocation(key: string): Question {
  return {
    text: 'Revoke',
    label: `Revoke ${key}`,
    consequence: 'Programs that use this key are refused at once.',
    confirm: 'Revoke the key',
  };
}

function keyForm(visit: Visit, errors: FieldErrors | undefined) {
  return form(
    { ...visit.form(path), hidden: { id: newId<ApiKeyId>(visit.now) }, errors },
    textField({
      name: 'name',
      label: 'What the key is for',
      type: 'text',
      autocomplete: 'off',
      value: errors === undefined ? undefined : visit.fields['name'],
      error: errors?.['name'],
    }),
    selectField({
      name: 'expiresIn',
      label: 'Lifetime',
      options: lifetimes,
      value: visit.fields['expiresIn'] ?? '90d',
      error: errors?.['expiresIn'],
    }),
    textArea({
      name: 'repositories',
      label: 'Only these repositories',
      hint: 'One name on a line. Such a key only reads: search, files, the graph and questions. Empty: all that you may do.',
      value: errors === undefined ? undefined : visit.fields['repositories'],
      error: errors?.['repositories'],
      optional: true,
    }),
    actions(button('Create the key', { primary: true })),
  );
}
