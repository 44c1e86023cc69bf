import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { findDocumentReads } from '../../../oauth/client-documents/document-reads.ts';
import { type DatabaseCheck, pass, warning } from '../check.ts';

/** Checks that the metadata documents of MCP clients could be read when a client last named one. */
export const clientDocumentsCheck: DatabaseCheck = {
  id: 'client-documents',
  title: 'Client documents',
  async run({ config: { clientDocuments }, database: { queries } }) {
    if (clientDocuments === 'off') {
      return pass('OAUTH_CLIENT_DOCUMENTS is off: no document is read, and clients sign in without.');
    }
    const reads = await findDocumentReads(queries);
    if (reads?.withdrawnUntil === undefined) return pass('No read of a client metadata document failed.');
    const { host } = new URL(reads.asked);
    const until = isoTime(reads.withdrawnUntil);
    const consequence =
      clientDocuments === 'auto'
        ? `Clients sign in without; after ${until} the document is tried again.`
        : 'Clients that name themselves by a document cannot sign in.';
    return warning(
      `There was no connection to ${host} to read a client metadata document. ${consequence}`,
      'Allow outgoing https connections to the hosts of your clients, or set OAUTH_CLIENT_DOCUMENTS to off.',
      { host, mode: clientDocuments },
    );
  },
};
