import { runChecks } from '../../features/doctor/mcp/run-checks.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { openClient } from '../remote/open-client.ts';
import { knownUrlOfThisHost, readBaseUrl } from '../remote/remote-target.ts';
import { showChecks } from './show-checks.ts';

/** Accepts and prints no token, and always verifies certificates (specification, "Diagnostic command"). */
export const doctorMcpCommand = defineCommand({
  description:
    'Checks what an MCP client needs before it signs in. "ready-for-oauth" does not prove that a browser sign-in, an ' +
    'authenticated tools/list or svc_advisor works. For a private CA, set NODE_EXTRA_CA_CERTS to the CA file.',
  flags: {
    url: text('mcp_url', 'the MCP endpoint, as configured in clients (required)'),
  },
  examples: [
    'orgctx doctor mcp --url https://context.example.com/mcp',
    'orgctx doctor mcp --url https://context.example.com/mcp --json',
  ],
  async run({ flags }, context) {
    const { signal, terminal } = context;
    const target = targetOf(flags.url ?? missingUrl(context));
    const http = openClient(context);
    try {
      const report = await runChecks({ http, target, signal, now: Date.now });
      const exitCode = report.status === 'failed' ? exitCodes.failed : exitCodes.ok;
      return {
        json: report,
        text: showChecks(report.checks, `${report.url}: ${report.status}`, terminal.out),
        exitCode,
      };
    } finally {
      await http.close();
    }
  },
});

/** Refuses a command line without `--url`, which is required (specification). The hint is the whole command for this host. */
function missingUrl(context: CommandContext): never {
  const known = context.env['ORGCTX_URL'] || knownUrlOfThisHost(context);
  const url = known ? `${readBaseUrl(context, known)}/mcp` : 'https://<host>/mcp';
  throw new UsageError('--url is required.', `Run: orgctx doctor mcp --url ${url}`);
}

/** Parses the URL. The error does not quote it, because a mistyped URL may contain a token. */
function targetOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol === 'https:' || target?.protocol === 'http:') return target;
  throw new UsageError(
    '--url must be an http or https URL.',
    'Give the address of the endpoint, like https://context.example.com/mcp; STDIO servers are not tested.',
  );
}
