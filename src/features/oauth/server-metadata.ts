import { oauthPaths, resourcesOf } from './endpoints.ts';
import { supportedAuthMethods, supportedGrantTypes, supportedScopes } from './supported.ts';

/**
 * Returns the RFC 8414 metadata. It is also served as OpenID discovery metadata, which many clients request as well;
 * that format requires the last three fields.
 */
export function serverMetadata(
  baseUrl: string,
  { clientDocuments }: { readonly clientDocuments: boolean },
): Readonly<Record<string, unknown>> {
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + oauthPaths.authorize,
    token_endpoint: baseUrl + oauthPaths.token,
    registration_endpoint: baseUrl + oauthPaths.register,
    revocation_endpoint: baseUrl + oauthPaths.revoke,
    device_authorization_endpoint: baseUrl + oauthPaths.deviceAuthorization,
    jwks_uri: baseUrl + oauthPaths.jwks,
    scopes_supported: [...supportedScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...supportedGrantTypes],
    token_endpoint_auth_methods_supported: [...supportedAuthMethods],
    revocation_endpoint_auth_methods_supported: [...supportedAuthMethods],
    code_challenge_methods_supported: ['S256'],
    // `login` is accepted but not announced: a user who is signed in is not asked for the password again.
    prompt_values_supported: ['none', 'consent', 'select_account'],
    // RFC 9207: every authorization response names the issuer.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: clientDocuments,
    protected_resources: Object.values(resourcesOf(baseUrl)),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sub'],
  };
}
