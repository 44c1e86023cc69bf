import { connectors } from '../../../features/connectors/registry.ts';
import { registrationSteps } from '../../../foundation/kernel/registration.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { hostNameRefusal } from '../../../foundation/net/resolve-public.ts';
import type { CommandContext } from '../../frame/context.ts';
import type { ApiClient } from '../../remote/api-client.ts';
import type { RemoteConnection } from '../remote-connection.ts';
import { saveApp } from '../setup-steps.ts';
import type { Prompts } from './prompts.ts';

/** Shows the addresses to register, asks for the app of the provider, and saves it. */
export async function registerApp(
  api: ApiClient,
  connection: RemoteConnection,
  prompts: Prompts,
  { terminal }: CommandContext,
): Promise<RemoteConnection> {
  const connector = connectors.find(({ kind }) => kind === connection.kind);
  const product = connector?.product ?? connection.kind;
  const { redirectUri, webhookUrl } = connection;
  prompts.say(`Register an app at ${product}. It needs these addresses:`);
  // Not in a frame, so that they can be copied.
  terminal.note(visibleLine(`Redirect URI: ${redirectUri}`));
  if (connector?.appHasWebhookSecret) terminal.note(visibleLine(`Webhook URL:  ${webhookUrl}`));
  if (connector !== undefined) {
    const { registration } = connector;
    const steps = [`Open ${registration.page}`, ...registrationSteps(registration)];
    for (const [index, step] of steps.entries()) terminal.note(`${index + 1}. ${step}`);
  }
  const host = URL.parse(webhookUrl)?.hostname;
  if (host === undefined || hostNameRefusal(host) !== undefined) {
    prompts.warn(
      `${product} cannot deliver webhooks to this address, because it is not public. Edits are then found only by the ` +
        'regular sync. Set AUTH_BASE_URL to a public https address.',
    );
  }
  const clientId = await prompts.text('Client id');
  const clientSecret = await prompts.secret('Client secret');
  const webhookSecret = connector?.appHasWebhookSecret
    ? await prompts.secret('Webhook signing secret')
    : undefined;
  return saveApp(api, connection, { clientId, clientSecret, webhookSecret });
}
