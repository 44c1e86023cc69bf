import type { GitProcess } from '../process/environment.ts';
import { GitError, redactedOutput } from '../process/git-error.ts';
import type { GitSource } from '../source/git-source.ts';

/** The message of curl in Git's output. Lines of the host begin with `remote:`. */
const curlMessage = /^fatal: unable to access '[^'\n]{1,2100}': ([^\n]{1,300})/m;

/** Messages of curl about a proxy, with the status that it returned. Some versions of curl write it in other words. */
const refusedTunnel =
  /CONNECT tunnel failed, response (\d{3})|HTTP code (\d{3}) from proxy|returned error: (407)/;
const unreachable = /Could not resolve proxy|Proxy CONNECT aborted|Failed to connect|Couldn't connect/;

/**
 * Converts the output of a Git process that its proxy stopped; returns `undefined` for any other. The message names the
 * setting and the host of the proxy, and never its credentials.
 */
export function gitProxyFailure(
  { source, process: { proxy } }: { readonly source: GitSource; readonly process: GitProcess },
  output: string,
): GitError | undefined {
  const message = proxy === undefined ? undefined : curlMessage.exec(output)?.[1];
  if (proxy === undefined || message === undefined) return undefined;
  const named = `The proxy ${proxy.url.host} (${proxy.setting})`;
  const failed = (text: string): GitError =>
    new GitError('unreachable', `${named} ${text}`, { detail: { stderr: redactedOutput(output) } });
  const status = refusedTunnel.exec(message)?.slice(1).find(Boolean);
  if (status === '407') {
    return failed(`refused its credentials, or requires some. Set user and password in ${proxy.setting}.`);
  }
  if (status !== undefined) {
    const host = source.remote?.host ?? 'the host';
    return failed(
      `did not connect to ${host}: it returned ${status}. Permit the host there, or name it in NO_PROXY to connect directly.`,
    );
  }
  if (!unreachable.test(message)) return undefined;
  return failed(`cannot be reached. Check ${proxy.setting} and that the proxy runs.`);
}
