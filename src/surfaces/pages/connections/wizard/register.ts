import type { FastifyReply } from 'fastify';
import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { saveApp } from '../../../../features/connectors/connections/save-app.ts';
import { isLoopback } from '../../../../foundation/kernel/loopback.ts';
import { hostNameRefusal } from '../../../../foundation/net/resolve-public.ts';
import type { Visit } from '../../app/app-page.ts';
import { checkFields, filled, formErrorsOf } from '../../kit/forms/check-fields.ts';
import { actions, button, type FieldErrors, form, textField } from '../../kit/forms/form.ts';
import { el } from '../../kit/html/element.ts';
import { copyable, registrationList } from '../../kit/html/parts.ts';
import type { Fields } from '../../kit/requests/form-guard.ts';
import type { PageContext } from '../../pages-deps.ts';
import { loadSetup, type Setup, stepPath, wizardView } from './setup.ts';

const oneLine = (missing: string, max: number) =>
  filled(missing, max).regex(/^[^\p{Cc}\p{Cs}]*$/u, {
    error: 'This contains a control character. Copy it again.',
  });

const fields = z.object({
  clientId: oneLine('Enter the client id.', 500),
  clientSecret: oneLine('Enter the client secret.', 4_096),
  webhookSecret: z
    .string()
    .trim()
    .max(4_096, { error: 'This is too long: enter at most 4096 characters.' })
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'This contains a control character. Copy it again.' })
    .optional()
    .transform((text) => text || undefined),
});

/** Shows what to enter at the provider, and the form for the credentials of the app. */
export async function showRegister(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return show(visit, context, await loadSetup(visit, context), {});
}

export async function saveRegister(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return show(visit, context, setup, { errors, entered: visit.fields });
  try {
    await saveApp(context.connections, visit.scope, setup.connection.id, values);
  } catch (error) {
    const problems = formErrorsOf(error, Object.keys(fields.shape));
    return show(visit, context, setup, { errors: problems, entered: visit.fields });
  }
  return visit.seeOther(stepPath(setup, 'authorize'));
}

interface Entered {
  readonly errors?: FieldErrors;
  readonly entered?: Fields;
}

function show(visit: Visit, { config }: PageContext, setup: Setup, entered: Entered): FastifyReply {
  const { connection, connector } = setup;
  const content = [
    unreachable(config.baseUrl),
    el('h3', null, 'Redirect URL'),
    copyable(connection.redirectUri, 'Copy the redirect URL'),
    el('h3', null, 'Webhook URL'),
    connector.appHasWebhookSecret
      ? copyable(connection.webhookUrl, 'Copy the webhook URL')
      : el('p', null, 'The service registers it itself: ', el('code', null, connection.webhookUrl)),
    el('h3', null, `Register an application at ${connector.product}`),
    registrationList(connector.registration),
    el('h3', null, 'Credentials of the application'),
    connection.clientId !== undefined &&
      el('p', { class: 'notice' }, 'Credentials are saved. Saving others replaces them.'),
    credentialsForm(visit, setup, entered),
  ];
  const status = entered.errors === undefined ? 200 : 400;
  return visit.show(wizardView(visit, setup, 'register', { content, status }));
}

function credentialsForm(visit: Visit, setup: Setup, { errors, entered }: Entered): ComponentChildren {
  const clientId = entered?.['clientId'] ?? setup.connection.clientId;
  const secret = { type: 'password', autocomplete: 'off' } as const;
  return form(
    { ...visit.form(stepPath(setup, 'register')), errors },
    textField({
      name: 'clientId',
      label: 'Client id',
      type: 'text',
      autocomplete: 'off',
      value: clientId,
      error: errors?.['clientId'],
    }),
    textField({
      ...secret,
      name: 'clientSecret',
      label: 'Client secret',
      hint: 'Stored encrypted and never shown again.',
      error: errors?.['clientSecret'],
    }),
    setup.connector.appHasWebhookSecret &&
      textField({
        ...secret,
        name: 'webhookSecret',
        label: 'Signing secret of webhooks',
        hint: 'Leave it empty to keep the saved secret. It is kept only while the client id stays the same.',
        optional: true,
        error: errors?.['webhookSecret'],
      }),
    actions(button('Save and continue', { primary: true })),
  );
}

/** Warns if the provider cannot reach this service, which its webhooks need. */
function unreachable(baseUrl: string): ComponentChildren {
  const { hostname } = new URL(baseUrl);
  if (!isLoopback(hostname) && hostNameRefusal(hostname) === undefined) return false;
  const kind = isLoopback(hostname) ? 'only this machine can reach it' : 'it is private';
  return el(
    'p',
    { class: 'notice' },
    el('strong', null, 'The provider cannot reach this service. '),
    `Its address is ${baseUrl}, and ${kind}, so no webhook arrives; changes are then seen only by the regular comparison. Set AUTH_BASE_URL to a public https address and restart the service.`,
  );
}
