import { loopbackUrl } from './build-config.ts';
import type { Config } from './config.ts';

/**
 * Returns the configuration with the port that is bound. With PORT 0 the default AUTH_BASE_URL (and page origin) is
 * known only after listening. A configured AUTH_BASE_URL is unchanged.
 */
export function withBoundPort(config: Config, port: number): Config {
  const unbound = loopbackUrl(config.http.port);
  const rebase = (url: string): string => (url === unbound ? loopbackUrl(port) : url);
  return {
    ...config,
    baseUrl: rebase(config.baseUrl),
    appUrl: rebase(config.appUrl),
    http: { ...config.http, port },
  };
}
