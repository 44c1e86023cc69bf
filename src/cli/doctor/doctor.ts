import { checkHost } from '../../app/doctor/check-host.ts';
import { createLogger } from '../../foundation/telemetry/logger.ts';
import { defineCommand } from '../frame/command.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { withTypedProgram } from '../frame/typed-program.ts';
import { hostFlags, loadHostConfig } from '../host/host-flags.ts';
import { showChecks } from './show-checks.ts';

/** Checks the host itself (contract section 1). `doctor mcp` checks an instance from outside. */
export const doctorCommand = defineCommand({
  description:
    'Checks this host: Node, Git, the data folder, the disk, code search, the server, the database with its schema and ' +
    'durability, connection secrets, the queue and the worker. It changes nothing and prints no secrets. The exit code is ' +
    '1 if a check fails and 0 otherwise, also with warnings.',
  flags: hostFlags,
  examples: [
    'orgctx doctor',
    'orgctx doctor --json',
    'orgctx doctor mcp --url https://context.example.com/mcp',
  ],
  subcommands: {
    mcp: {
      summary: 'diagnose MCP routing and OAuth discovery of an instance',
      load: async () => (await import('./doctor-mcp.ts')).doctorMcpCommand,
    },
    connector: {
      summary: 'check one connection, and say why edits do not appear',
      load: async () => (await import('./doctor-connector.ts')).doctorConnectorCommand,
    },
  },
  async run({ flags }, context) {
    const { terminal, signal } = context;
    const settings = loadHostConfig(context, flags);
    // The report contains all findings; log warnings would repeat them.
    const { level } = settings.config.log;
    const log = createLogger({
      level: level === 'debug' || level === 'trace' ? level : 'error',
      name: 'doctor',
      destination: 'stderr',
      pretty: terminal.err.isTerminal,
    });
    const report = await checkHost(settings, log, signal);
    const shown = showChecks(report.checks, `This host: ${report.status}`, terminal.out);
    const text = withTypedProgram(shown, context);
    return { json: report, text, exitCode: report.status === 'failed' ? exitCodes.failed : exitCodes.ok };
  },
});
