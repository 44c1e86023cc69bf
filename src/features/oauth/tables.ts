declare module '../../foundation/db/tables.ts' {
  interface Tables {
    oauth_document_reads: OauthDocumentReadsRow;
    oauth_grants: OauthGrantRow;
    oauth_objects: OauthObjectRow;
    oauth_signing_keys: OauthSigningKeyRow;
  }
}

/** An authorization of a client by a user, bound to one organization. */
export interface OauthGrantRow {
  id: string;
  user_id: string;
  /** Null: unbound; requests with it are refused. */
  organization_id: string | null;
  client_id: string;
  /** The name shown on the consent page. */
  client_name: string;
  /** Space-separated. */
  scopes: string;
  last_used_at: number | null;
  /** Extended by each refresh. */
  expires_at: number;
  revoked_at: number | null;
  created_at: number;
}

/** An object of the authorization server: a client, code, token or interaction. */
export interface OauthObjectRow {
  /** `<model>:<keyed hash of its id>`: many of these ids are credentials. */
  key: string;
  model: string;
  /** Sealed JSON. */
  payload: string;
  grant_id: string | null;
  /** Keyed hash of the code that a person types in for a device. */
  user_code: string | null;
  /** Id of the user who claimed the device code: the first who opened it. */
  claimed_by: string | null;
  consumed_at: number | null;
  expires_at: number | null;
  created_at: number;
}

interface OauthSigningKeyRow {
  /** The `kid` of tokens. */
  id: string;
  sealed_jwk: string;
  /** Start of the signing period. The newest key that has started signs; it is published earlier. */
  signs_from: number;
  created_at: number;
}

/** The only row has the state of reading client metadata documents (`client-documents/document-reads.ts`). */
interface OauthDocumentReadsRow {
  id: string;
  /** The client id of the document that was asked for last. */
  asked: string;
  read_at: number | null;
  withdrawn_until: number | null;
}
