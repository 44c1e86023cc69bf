import type { DocumentedClient } from './read-client-document.ts';

/** A client whose client id is the URL of a document that this service cannot read. */
interface UndocumentedClient extends DocumentedClient {
  /** Permits every redirect URI on the user's machine, and no other. */
  readonly undocumented: true;
}

/**
 * Returns the little that is known of a client whose document cannot be read. It has the trust of a registration: any
 * program can register a redirect URI on the user's machine under any name. Its name is the URL.
 */
export function undocumentedClient(clientId: string): UndocumentedClient {
  return {
    client_id: clientId,
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    undocumented: true,
  };
}
