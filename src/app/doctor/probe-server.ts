import { z } from 'zod';
import type { ServerStatus } from '../../features/doctor/host/check.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { hostAddresses } from '../host/running-server.ts';

const statusShape = z.object({ status: z.enum(['ok', 'unavailable']), version: z.string() });

/** Returns the address of the service of this host, and a function that asks it for its status. */
export function serverProbe(
  settings: Pick<LoadedConfig, 'config' | 'secrets' | 'origins'>,
  signal: AbortSignal,
): { readonly url: string; ask(): Promise<ServerStatus> } {
  const url = hostAddresses(settings).baseUrl;
  return {
    url,
    async ask() {
      const http = createHttpClient({ allowHosts: [], proxies: settings.secrets.proxies });
      try {
        const request = { url: `${url}/.status`, destination: 'operator', timeoutMs: 5_000, signal } as const;
        const { status, body } = await http.request(request);
        return { status, version: versionOf(body) };
      } finally {
        await http.close();
      }
    },
  };
}

/** Returns the version that the server reports; `undefined` if the response is not that of orgctx. */
function versionOf(body: Uint8Array): string | undefined {
  try {
    return statusShape.parse(JSON.parse(Buffer.from(body).toString('utf8'))).version;
  } catch {
    return undefined;
  }
}
