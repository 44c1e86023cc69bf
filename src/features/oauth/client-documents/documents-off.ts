import { errors } from 'oidc-provider';
import type { ClientDocuments } from './open-client-documents.ts';

/** An error for a client that names a document while OAUTH_CLIENT_DOCUMENTS is `off`. */
export class ClientDocumentsOff extends errors.InvalidClient {
  constructor() {
    super('this service reads no client metadata documents: register the client');
  }
}

/** Reads no document, so that the service contacts no host that a client names. */
export const documentsOff: ClientDocuments = {
  find: () => Promise.reject(new ClientDocumentsOff()),
  readAgain: async () => undefined,
};
