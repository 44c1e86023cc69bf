import { proxiesOfEnvironment } from '../../foundation/config/outbound-proxies.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { CommandContext } from '../frame/context.ts';

/** Opens the HTTP client of a command. The caller closes it. */
export function openClient({ env }: Pick<CommandContext, 'env'>): HttpClient {
  return createHttpClient({ allowHosts: [], proxies: proxiesOfEnvironment(env) });
}
