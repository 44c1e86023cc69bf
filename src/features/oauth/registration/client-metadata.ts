import type { ClientAuthMethod, GrantType } from '../supported.ts';

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
