import { errors } from 'oidc-provider';
import { z } from 'zod';
import type { ClientMetadata } from '../registration/client-metadata.ts';
import { guardRegistration } from '../registration/guard-registration.ts';
import { supportedGrantTypes } from '../supported.ts';

/** A client described by its metadata document. Its client id is the URL of the document, and it has no secret. */
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

/**
 * Grant types that OAuth 2.1 removed. A client that names one is refused; other unsupported grant types are ignored.
 */
const forbiddenGrants = ['implicit', 'password', 'client_credentials'];

const grantTypes: readonly string[] = supportedGrantTypes;

/**
 * Reads the document of `clientId` (draft-ietf-oauth-client-id-metadata-document-02 section 4). A document is
 * written for every authorization server, so values that are not supported here are ignored. The rest is validated like
 * a registration.
 * @throws errors.InvalidClientMetadata
 */
export function readClientDocument(clientId: string, text: string): DocumentedClient {
  const document = parse(text);
  if (document.client_id !== clientId) {
    throw refused(
      'client_id in the client metadata document must be the URL that the document was read from',
    );
  }
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    throw refused('a client metadata document is public and must not contain client_secret');
  }
  if ((document.token_endpoint_auth_method ?? 'none') !== 'none') {
    throw refused('token_endpoint_auth_method of a client metadata document must be none');
  }
  const metadata = guardRegistration({ ...document, ...supportedValues(document) });
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

function supportedValues({ grant_types, response_types }: z.infer<typeof documentShape>): object {
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
