import type { ClientAuthMethod, GrantType } from '../supported.ts';

/** The stored metadata of a client, with the field names of RFC 7591 section 2. */
export interface ClientMetadata {
  /** Safe to display, but not verified. */
  readonly client_name?: string;
  /** An https URL, for display. */
  readonly client_uri?: string;
  readonly application_type: 'native' | 'web';
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly GrantType[];
  readonly response_types: readonly 'code'[];
  readonly token_endpoint_auth_method: ClientAuthMethod;
}
