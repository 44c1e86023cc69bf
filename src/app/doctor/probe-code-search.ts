import {
  checkService,
  type ServiceStatus,
} from '../../backends/codesearch/remote/open-remote-code-search.ts';
import { checkZoekt } from '../../backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { codeSearchSecret } from '../codesearch-secret.ts';
import type { Settings } from '../open/open-database.ts';

/**
 * Returns a function that fetches the status of the service at CODESEARCH_URL; `undefined` if none is configured.
 * Zoekt reports no version.
 */
export function codeSearchProbe(
  settings: Settings,
  signal: AbortSignal,
): (() => Promise<ServiceStatus>) | undefined {
  const { codesearch } = settings.config;
  if (codesearch.kind === 'embedded') return undefined;
  return async () => {
    const http = createHttpClient({ allowHosts: [] });
    try {
      if (codesearch.kind === 'zoekt') {
        await checkZoekt({ url: codesearch.url, http }, signal);
        return { version: '', ready: true };
      }
      return await checkService({ url: codesearch.url, secret: codeSearchSecret(settings), http }, signal);
    } finally {
      await http.close();
    }
  };
}
