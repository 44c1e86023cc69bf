import { errors } from 'oidc-provider';
import { z } from 'zod';
import type { ClientMetadata } from '../registration/client-metadata.ts';
import { guardRegistration } from '../registration/guard-registration.ts';
import { supportedGrantTypes } from '../supported.ts';

/** A client that its document describes: the client id is the document's URL, and there is no secret. */
export interface DocumentedClient extends ClientMetadata {
  readonly client_id: string;
  readonly token_endpoint_auth_method: 'none';
}

const documentShape = z.looseObject({
  client_id: z.string(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});

/** What OAuth 2.1 leaves out: a client that counts on one is refused; other grant types that nobody has here are not. */
const forbiddenGrants = ['implicit', 'password', 'client_credentials'];

const grantTypes: readonly string[] = supportedGrantTypes;

/**
 * Reads the document of `clientId` (draft-ietf-oauth-client-id-metadata-document-02 section 4). It was written once for
 * every authorization server, so what is not supported here is passed over; the rest is judged like a registration.
 * @throws errors.InvalidClientMetadata.
 */
export function readClientDocument(clientId: string, text: string): DocumentedClient {
  const document = parse(text);
  if (document.client_id !== clientId) {
    throw refused('client_id in the client metadata document must be the URL that it was read from');
  }
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    throw refused('client_secret must not be in a client metadata document, which everybody can read');
  }
  if ((document.token_endpoint_auth_method ?? 'none') !== 'none') {
    throw refused('token_endpoint_auth_method of a client metadata document must be none');
  }
  const metadata = guardRegistration({ ...document, ...ofAnyServer(document) });
  return { ...metadata, client_id: clientId, token_endpoint_auth_method: 'none' };
}

function parse(text: string): z.infer<typeof documentShape> {
  const parsed = documentShape.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw refused('the client metadata document must be a JSON object with a client_id');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new errors.InvalidClientMetadata('the client metadata document is not JSON', { cause: error });
  }
}

function ofAnyServer({ grant_types, response_types }: z.infer<typeof documentShape>): object {
  const forbidden = grant_types?.find((type) => forbiddenGrants.includes(type));
  if (forbidden !== undefined) throw refused(`grant_types must not contain ${forbidden}`);
  return {
    grant_types: grant_types?.filter((type) => grantTypes.includes(type)),
    response_types: response_types?.filter((type) => type === 'code'),
    token_endpoint_auth_method: 'none',
  };
}

function refused(description: string): errors.InvalidClientMetadata {
  return new errors.InvalidClientMetadata(description);
}
