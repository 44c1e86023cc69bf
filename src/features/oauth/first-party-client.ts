import type { ClientMetadata } from 'oidc-provider';
import { deviceGrant } from './supported.ts';

/**
 * Client id of `orgctx login`. The client is built in, and its scopes never give access to MCP (contract section 4).
 */
export const firstPartyClientId = 'orgctx-cli';

export const firstPartyClient: ClientMetadata = {
  client_id: firstPartyClientId,
  client_name: 'orgctx command line',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [deviceGrant, 'refresh_token'],
  response_types: [],
  redirect_uris: [],
  scope: 'api offline_access',
};
