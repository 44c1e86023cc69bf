import { askService, type ServiceStatus } from '../backends/codesearch/remote/open-remote-code-search.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import { codeSearchSecret } from './codesearch-secret.ts';
import type { Settings } from './open-database.ts';

/** How the code search service is asked for its state; `undefined` where CODESEARCH_* name no such service. */
export function codeSearchAsker(
  settings: Settings,
  signal: AbortSignal,
): (() => Promise<ServiceStatus>) | undefined {
  const { codesearch } = settings.config;
  if (codesearch.kind !== 'remote') return undefined;
  return async () => {
    const http = createHttpClient({ allowHosts: [] });
    try {
      return await askService({ url: codesearch.url, secret: codeSearchSecret(settings), http }, signal);
    } finally {
      await http.close();
    }
  };
}
