import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { connectionLimits } from '../../../features/connectors/connections/connection.ts';
import { findConnectionByName } from '../../../features/connectors/connections/connection-store.ts';
import { createConnection } from '../../../features/connectors/connections/create-connection.ts';
import { connectorName } from '../../../features/connectors/port.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { Visit } from '../app/app-page.ts';
import { checkFields, formErrorsOf } from '../kit/forms/check-fields.ts';
import { actions, button, type FieldErrors, form, radioGroup, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { card } from '../kit/html/layout.ts';
import type { PageContext } from '../pages-deps.ts';

const path = '/connections/new';

const fields = z.object({
  kind: z.string({ error: 'Choose what to connect.' }),
  name: z
    .string()
    .trim()
    .max(connectionLimits.nameLength, {
      error: `This name is too long: enter at most ${connectionLimits.nameLength} characters.`,
    })
    .default('')
    .transform((text) => text || undefined),
});

export function showNew(visit: Visit, context: PageContext): FastifyReply {
  return show(visit, context);
}

/** Creates a draft. A form that is sent twice, or again, leads to the draft that it created. */
export async function createDraft(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { connections } = context;
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return show(visit, context, errors);
  if (!connections.connectors.some(({ kind }) => kind === values.kind))
    return show(visit, context, { kind: 'Choose what to connect.' });
  try {
    const id = await createConnection(connections, visit.scope, values);
    return visit.seeOther(`/connections/${id}/setup`);
  } catch (error) {
    const draft = error instanceof Conflict ? await draftOf(visit, context, values) : undefined;
    if (draft !== undefined) return visit.seeOther(`/connections/${draft}/setup`);
    return show(visit, context, formErrorsOf(error, ['name']));
  }
}

async function draftOf(
  visit: Visit,
  { connections }: PageContext,
  { kind, name = kind }: z.output<typeof fields>,
): Promise<string | undefined> {
  const found = await findConnectionByName(connections.database.queries, visit.scope, { kind, name });
  return found?.state === 'draft' ? found.id : undefined;
}

function show(visit: Visit, { connections }: PageContext, errors?: FieldErrors): FastifyReply {
  return visit.show({
    title: 'Add a connection',
    status: errors === undefined ? 200 : 400,
    content: card(
      'Add a connection',
      form(
        { ...visit.form(path), errors },
        radioGroup({
          name: 'kind',
          label: 'What to connect',
          choices: connections.connectors.map((each) => ({ value: each.kind, label: connectorName(each) })),
          chosen: visit.fields['kind'] ?? connections.connectors[0]?.kind,
          error: errors?.['kind'],
        }),
        textField({
          name: 'name',
          label: 'Name',
          hint: 'Distinguishes this connection from others of its kind. If empty, the kind is used as the name.',
          type: 'text',
          autocomplete: 'off',
          optional: true,
          value: visit.fields['name'],
          error: errors?.['name'],
        }),
        actions(
          button('Continue', { primary: true }),
          el('a', { class: 'button', href: visit.path('/connections') }, 'Cancel'),
        ),
      ),
    ),
  });
}
