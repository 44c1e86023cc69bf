import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import { type CheckOutcome, type HostCheck, pass, skipped, warning } from '../check.ts';

/** Asks the server of this deployment at its public address, as its clients do. */
export const serverCheck: HostCheck = {
  id: 'server',
  title: 'Server',
  async run({ server }) {
    if (server === undefined) return skipped('The server was not asked from this host.');
    const { url, ask } = server;
    try {
      const { status, version } = await ask();
      return judge(url, status, version);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return warning(`No server answers at ${url}: ${error.message}`, hint, { url });
    }
  },
};

const hint = 'Start "orgctx serve". If it runs, check AUTH_BASE_URL, the proxy in front of it, and its log.';

function judge(url: string, status: number, version: string | undefined): CheckOutcome {
  const evidence = { url, status, version: version ?? null };
  if (version === undefined || ![200, 503].includes(status)) {
    return warning(`What answers at ${url}/.status is not orgctx (status ${status}).`, hint, evidence);
  }
  if (status === 200) return pass(`The server answers at ${url} (version ${version}).`, evidence);
  return warning(
    `The server answers at ${url}, but is not ready.`,
    'It is stopping, or cannot reach its database. Check its log.',
    evidence,
  );
}
