import { isLoopback } from '../../foundation/kernel/loopback.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';

/** Returns whether the service is on this host and does not run. */
export function isStopped(error: unknown, baseUrl: string): error is OutboundError {
  return (
    error instanceof OutboundError && error.reason === 'refused' && isLoopback(new URL(baseUrl).hostname)
  );
}

/** @param advice further advice, after how to start it */
export function serverStopped(error: OutboundError, advice = ''): OutboundError {
  const hint = 'Start the server with "orgctx serve", or give the address of another one with --url.';
  return new OutboundError(error.service, 'refused', `${error.service} refused the connection.`, {
    cause: error,
    hint: `${hint}${advice}`,
  });
}

/** Limits of the request that finds out whether a server of this host runs. */
const probe = { timeoutMs: 2000, maxBytes: 64 * 1024 } as const;

/**
 * Checks that a server listens at an address of this host; another address is not checked.
 * @throws OutboundError
 */
export async function requireListening(baseUrl: string, advice: string, signal: AbortSignal): Promise<void> {
  if (!isLoopback(new URL(baseUrl).hostname)) return;
  const http = createHttpClient({ allowHosts: [] });
  try {
    const url = `${baseUrl}/.status`;
    await http.request({ url, destination: 'operator', signal, ...probe });
  } catch (error) {
    if (isStopped(error, baseUrl)) throw serverStopped(error, advice);
  } finally {
    await http.close();
  }
}
