import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Certificate, createCertificateAuthority } from './certificate-authority.ts';

/** A host of Client ID Metadata Documents over TLS; this process trusts its certificate from then on. */
export interface DocumentHost extends AsyncDisposable {
  /** Host and port, as in `OUTBOUND_ALLOW_HOSTS`. */
  readonly name: string;
  /** The requested paths, in order. */
  readonly requestedPaths: readonly string[];
  url(path: string): string;
  /** Sets the handler of a path. */
  answer(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Serves a metadata document at the path. Default for `client_id`: the URL of the path. */
  serve(path: string, document: object, headers?: Record<string, string>): void;
}

let certificate: Certificate | undefined;

/** Returns the certificate of every host: issuing one starts three programs. The process trusts it from then on. */
function trustedCertificate(): Certificate {
  if (certificate === undefined) {
    const authority = createCertificateAuthority();
    setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
    certificate = authority.issue(['localhost']);
  }
  return certificate;
}

/** @param port Default: a free one */
export async function openDocumentHost(port = 0): Promise<DocumentHost> {
  const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const requestedPaths: string[] = [];
  const server = createServer(trustedCertificate(), (request, response) => {
    const path = request.url ?? '';
    requestedPaths.push(path);
    const handler = handlers.get(path);
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const name = `localhost:${(server.address() as AddressInfo).port}`;
  const url = (path: string): string => `https://${name}${path}`;
  return {
    name,
    requestedPaths,
    url,
    answer: (path, handler) => void handlers.set(path, handler),
    serve(path, document, headers = {}) {
      const body = JSON.stringify({ client_id: url(path), ...document });
      handlers.set(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
