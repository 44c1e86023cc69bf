import type { Provider } from 'oidc-provider';
import { isClientIdUrl } from './client-documents/client-id-url.ts';
import { cleanClientName } from './registration/client-name.ts';

/**
 * Returns the name that a client registered. A client id that is a URL is not looked up: otherwise anyone could make
 * this service read any URL.
 */
export async function findClientName(provider: Provider, clientId: string): Promise<string | undefined> {
  if (isClientIdUrl(clientId)) return undefined;
  const client = await provider.Client.find(clientId);
  return cleanClientName(client?.clientName ?? '');
}
