export type GrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'urn:ietf:params:oauth:grant-type:device_code';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/** All that is kept of what a client says about itself (RFC 7591 section 2, in its own names). */
export interface ClientMetadata {
  /** Safe to show, never to trust. */
  readonly client_name?: string;
  /** An https URL, for people. */
  readonly client_uri?: string;
  readonly application_type: 'native' | 'web';
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly GrantType[];
  readonly response_types: readonly 'code'[];
  readonly token_endpoint_auth_method: ClientAuthMethod;
}
