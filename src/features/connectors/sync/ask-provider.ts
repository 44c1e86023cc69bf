import type { HttpClient, HttpRequest, HttpResponse } from '../../../foundation/net/http.ts';
import { isProviderError } from './provider-error.ts';

/** The API of a provider, as one account uses it. */
export interface ProviderApi {
  /** The address of the API, of the account's region if there are several. */
  readonly apiUrl: string;
  readonly http: Pick<HttpClient, 'request'>;
  /**
   * Returns a valid access token. `refused` is one that the provider did not accept: it is replaced. The same token
   * again means that it cannot be.
   */
  readonly accessToken: (refused?: string) => Promise<string>;
  readonly signal: AbortSignal;
}

interface ProviderRequest extends Required<Pick<HttpRequest, 'url' | 'method'>> {
  readonly accept: string;
  readonly body?: object | undefined;
}

/** Time limit of one request, and maximum size of its response. A page that is larger is asked for in parts. */
const limits = { timeoutMs: 30_000, maxBytes: 16 * 1024 * 1024 } as const;

/**
 * Sends a request with a token, and once more with another one if the provider does not accept the first one. `read`
 * reads the response, and throws the error that it stands for.
 */
export async function askProvider<T>(
  { http, accessToken, signal }: Omit<ProviderApi, 'apiUrl'>,
  { url, method, accept, body }: ProviderRequest,
  read: (response: HttpResponse) => T,
): Promise<T> {
  const content = body !== undefined && { body: JSON.stringify(body) };
  const type = body !== undefined && { 'content-type': 'application/json' };
  const request = { url, method, destination: 'operator', ...content, ...limits, signal } as const;
  const send = async (token: string) =>
    read(await http.request({ ...request, headers: { accept, authorization: `Bearer ${token}`, ...type } }));
  const token = await accessToken();
  try {
    return await send(token);
  } catch (error) {
    if (!isProviderError(error, 'authentication')) throw error;
    const next = await accessToken(token);
    if (next === token) throw error;
    return await send(next);
  }
}
