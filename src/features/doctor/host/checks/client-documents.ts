import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { proxyFor } from '../../../../foundation/kernel/outbound-proxy.ts';
import { findDocumentReads } from '../../../oauth/client-documents/document-reads.ts';
import { type DatabaseCheck, pass, warning } from '../check.ts';

/** Checks that the metadata documents of MCP clients could be read when a client last named one. */
export const clientDocumentsCheck: DatabaseCheck = {
  id: 'client-documents',
  title: 'Client documents',
  async run({ config: { clientDocuments }, secrets: { proxies }, database: { queries } }) {
    if (clientDocuments === 'off') {
      return pass('OAUTH_CLIENT_DOCUMENTS is off: no document is read, and clients sign in without.');
    }
    const reads = await findDocumentReads(queries);
    if (reads?.withdrawnUntil === undefined) return pass('No read of a client metadata document failed.');
    const url = new URL(reads.asked);
    const { host } = url;
    const proxy = proxyFor(url, proxies);
    const until = isoTime(reads.withdrawnUntil);
    const consequence =
      clientDocuments === 'auto'
        ? `Clients sign in without; after ${until} the document is tried again.`
        : 'Clients that name themselves by a document cannot sign in.';
    return warning(
      `There was no connection to ${host} to read a client metadata document. ${consequence}`,
      `${
        proxy === undefined
          ? 'Allow outgoing https connections to the hosts of your clients'
          : `Check that the proxy of ${proxy.setting} runs, accepts its credentials and permits the hosts of your clients`
      }, or set OAUTH_CLIENT_DOCUMENTS to off.`,
      { host, mode: clientDocuments, proxy: proxy?.url.host ?? null },
    );
  },
};
