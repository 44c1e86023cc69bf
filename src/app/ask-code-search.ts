import { askService, type ServiceStatus } from '../backends/codesearch/remote/open-remote-code-search.ts';
import { askZoekt } from '../backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import { codeSearchSecret } from './codesearch-secret.ts';
import type { Settings } from './open-database.ts';

/** How what answers at CODESEARCH_URL is asked for its state; `undefined` where nothing is named. A Zoekt has no version to tell. */
export function codeSearchAsker(
  settings: Settings,
  signal: AbortSignal,
): (() => Promise<ServiceStatus>) | undefined {
  const { codesearch } = settings.config;
  if (codesearch.kind === 'embedded') return undefined;
  return async () => {
    const http = createHttpClient({ allowHosts: [] });
    try {
      if (codesearch.kind === 'zoekt') {
        await askZoekt({ url: codesearch.url, http }, signal);
        return { version: '', ready: true };
      }
      return await askService({ url: codesearch.url, secret: codeSearchSecret(settings), http }, signal);
    } finally {
      await http.close();
    }
  };
}
