import type { Provider } from 'oidc-provider';
import { isClientIdUrl } from './client-documents/client-id-url.ts';
import { cleanClientName } from './registration/client-name.ts';

/**
 * What a client is registered as. One that is named by a URL is not looked at: an address of ours would have us read
 * whatever it names.
 */
export async function findClientName(provider: Provider, clientId: string): Promise<string | undefined> {
  if (isClientIdUrl(clientId)) return undefined;
  const client = await provider.Client.find(clientId);
  return cleanClientName(client?.clientName ?? '');
}
