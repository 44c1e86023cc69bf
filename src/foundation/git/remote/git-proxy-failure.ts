import { proxyProblem } from '../../kernel/outbound-proxy.ts';
import type { GitProcess } from '../process/environment.ts';
import { GitError, redactedOutput } from '../process/git-error.ts';
import type { GitSource } from '../source/git-source.ts';

/**
 * The message of curl at the end of Git's output. All before it may be the text of a host, which can also begin lines
 * that Git does not mark with `remote:`.
 */
const curlMessage = /(?:^|\n)fatal: unable to access '[^'\n]{1,2100}': ([^\n]{1,300})\s*$/;

/** Messages of curl about a proxy, with the status that it returned. Some versions of curl write it in other words. */
const refusedTunnel = /CONNECT tunnel failed, response (\d{3})|HTTP code (\d{3}) from proxy/;
/** The message of curl if a proxy for http refuses its credentials. Inside a tunnel the host would cause it. */
const refusedRequest = /returned error: (407)/;
const unreachable = /Could not resolve proxy|Proxy CONNECT aborted|Failed to connect|Couldn't connect/;

/** Converts the output of a Git process that its proxy stopped; returns `undefined` for any other. */
export function gitProxyFailure(
  { source, process: { proxy } }: { readonly source: GitSource; readonly process: GitProcess },
  output: string,
): GitError | undefined {
  const message = proxy === undefined ? undefined : curlMessage.exec(output)?.[1];
  if (proxy === undefined || message === undefined) return undefined;
  const refused = proxy.setting === 'HTTP_PROXY' ? refusedRequest : refusedTunnel;
  const status = refused.exec(message)?.slice(1).find(Boolean);
  if (status === undefined && !unreachable.test(message)) return undefined;
  const problem = proxyProblem(proxy, source.remote?.host ?? 'the host', { status });
  return new GitError('unreachable', `${problem.message} ${problem.hint}`, {
    detail: { stderr: redactedOutput(output), proxy: proxy.url.host },
  });
}
