import type { PendingAuthorization } from '../authorization-server.ts';
import { pendingRedirect } from '../pending-redirect.ts';
import { cleanClientName } from '../registration/client-name.ts';
import { supportedScopes } from '../supported.ts';
import type { Interaction } from './find-interaction.ts';

/** Describes an interaction for the consent page. */
export function describeInteraction({ uid, client, device, params }: Interaction): PendingAuthorization {
  return {
    uid,
    client: {
      id: client.clientId,
      name: clientNameOf(client),
      ...(client.clientUri !== undefined && { uri: client.clientUri }),
    },
    redirect: pendingRedirect(params['redirect_uri'], device?.payload),
    scopes: scopesOf(params),
  };
}

export function clientNameOf({ clientName, clientId }: Interaction['client']): string {
  return cleanClientName(clientName ?? '') ?? cleanClientName(clientId) ?? 'unnamed';
}

/** Returns the requested scopes that this server supports, in the server's order. */
export function scopesOf({ scope }: Interaction['params']): readonly string[] {
  const requested = typeof scope === 'string' ? scope.split(' ') : [];
  return supportedScopes.filter((each) => requested.includes(each));
}
