import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { z } from 'zod';
import type { GithostConnection } from '../../../features/githosts/githost-connection.ts';
import type { Repository } from '../../../features/repositories/repository.ts';
import { selectField, textArea } from '../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { nameText } from '../kit/html/name.ts';
import type { Fields } from '../kit/requests/form-guard.ts';

/** The fields of the form, with the names that errors of the use cases carry. */
export const repositoryFields = z.object({
  source: z
    .string({ error: 'Enter where the repository is.' })
    .trim()
    .min(1, { error: 'Enter where the repository is.' })
    .max(2048, { error: 'This address is too long: enter at most 2,048 characters.' }),
  githostConnectionId: z.string().max(100).default(''),
  branch: z
    .string()
    .trim()
    .max(255, { error: 'This branch is too long: enter at most 255 characters.' })
    .default(''),
  branches: z
    .string()
    .max(16_384, { error: 'These are too many branches: enter at most 63.' })
    .default('')
    .transform((text) => text.split(/\s+/).filter((pattern) => pattern !== '')),
  name: z
    .string()
    .trim()
    .max(200, { error: 'This name is too long: enter at most 100 characters.' })
    .default(''),
});

export const repositoryFieldNames = Object.keys(repositoryFields.shape);

export interface RepositoryFormView {
  readonly action: string;
  readonly csrf: string;
  readonly cancelPath: string;
  readonly submit: string;
  /** Other hidden fields. */
  readonly hidden?: Readonly<Record<string, string>> | undefined;
  readonly values: Fields;
  readonly githosts: readonly Pick<GithostConnection, 'id' | 'name' | 'url'>[];
  /** Path of the page where one is connected. */
  readonly githostsPath: string;
  readonly errors?: FieldErrors | undefined;
}

/** Returns the values of the form for a repository. */
export function valuesOf(repository: Repository): Fields {
  const { source, branch, furtherBranches, githostConnectionId, name } = repository;
  return {
    source,
    branch: branch ?? '',
    branches: furtherBranches.join('\n'),
    githostConnectionId: githostConnectionId ?? '',
    name,
  };
}

/** Returns a text that changes with every value of the form; by it a form notices that another one was saved. */
export function versionOf(repository: Repository): string {
  return createHash('sha256')
    .update(JSON.stringify(valuesOf(repository)))
    .digest('base64url');
}

/** Returns the errors of a form that was opened before another one was saved, with what is saved now. */
export function changedMeanwhile(repository: Repository, entered: Fields): FieldErrors {
  const errors: Record<string, string> = {
    '': 'This repository was changed after you opened this page, so nothing was saved. Compare what you entered with what is saved now, then save again.',
  };
  for (const [field, value] of Object.entries(valuesOf(repository))) {
    if ((entered[field] ?? '').replaceAll('\r\n', '\n').trim() === value) continue;
    if (field === 'githostConnectionId') errors[field] = 'Other credentials are saved now.';
    else errors[field] = value === '' ? 'It is empty now.' : `Saved now: ${foreignText(value, 300)}`;
  }
  return errors;
}

export function repositoryForm(view: RepositoryFormView): VNode {
  const { values, errors, githosts, githostsPath } = view;
  return form(
    view,
    textField({
      name: 'source',
      label: 'Address',
      hint: 'An https or ssh URL, such as https://git.example.com/team/service.git. Or its name at the Git host that is chosen below, such as team/service.',
      type: 'text',
      autocomplete: 'off',
      value: values['source'],
      error: errors?.['source'],
    }),
    selectField({
      name: 'githostConnectionId',
      label: 'Credentials',
      hint: 'A private https repository needs a connected Git host; an ssh address uses the SSH key of the organization.',
      value: values['githostConnectionId'] ?? '',
      error: errors?.['githostConnectionId'],
      options: [
        { value: '', label: 'None, or the SSH key for an ssh address' },
        ...githosts.map(({ id, name, url }) => ({ value: id, label: `${nameText(name, 100)} (${url})` })),
      ],
    }),
    githosts.length === 0 && el('p', null, el('a', { href: githostsPath }, 'Connect a Git host')),
    textField({
      name: 'branch',
      label: 'Branch',
      hint: 'Leave it empty to follow the default branch.',
      type: 'text',
      autocomplete: 'off',
      optional: true,
      value: values['branch'],
      error: errors?.['branch'],
    }),
    textArea({
      name: 'branches',
      label: 'Further branches',
      hint: 'Optional. One in each line: exact names, or patterns such as release/*.',
      optional: true,
      value: values['branches'],
      error: errors?.['branches'],
    }),
    textField({
      name: 'name',
      label: 'Name',
      hint: 'Leave it empty to take the name from the address.',
      type: 'text',
      autocomplete: 'off',
      optional: true,
      value: values['name'],
      error: errors?.['name'],
    }),
    actions(
      button(view.submit, { primary: true }),
      el('a', { class: 'button', href: view.cancelPath }, 'Cancel'),
    ),
  );
}
