import { runChecks } from '../features/doctor/mcp/run-checks.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import { defineCommand } from './frame/command.ts';
import { exitCodes } from './frame/exit-code.ts';
import { requiredText } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';
import { showChecks } from './show-checks.ts';

/** specification, "Diagnostic command": it takes no token and prints none; certificates are always verified. */
export const doctorMcpCommand = defineCommand({
  description:
    'Checks what an MCP client meets before it signs in. "ready-for-oauth" does not prove that a browser sign-in, an ' +
    'authenticated tools/list or svc_advisor works. For a private CA set NODE_EXTRA_CA_CERTS to the CA file.',
  flags: { url: requiredText('mcp_url', 'the MCP endpoint, as clients are given it') },
  examples: ['orgctx doctor mcp --url https://context.example.com/mcp', 'orgctx doctor mcp --url … --json'],
  async run({ flags }, { signal, terminal }) {
    const http = createHttpClient({ allowHosts: [] });
    try {
      const report = await runChecks({ http, target: targetOf(flags.url), signal, now: Date.now });
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

/** The URL is not quoted back: what was mistyped may hold a token. */
function targetOf(text: string): URL {
  const target = URL.canParse(text) ? new URL(text) : undefined;
  if (target?.protocol === 'https:' || target?.protocol === 'http:') return target;
  throw new UsageError(
    '--url must be an http or https URL.',
    'Give the address of the endpoint, like https://context.example.com/mcp; STDIO servers are not tested.',
  );
}
