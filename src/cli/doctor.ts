import { codeSearchAsker } from '../app/ask-code-search.ts';
import { openConfiguredDatabase } from '../app/open-database.ts';
import { runHostChecks } from '../features/doctor/host/run-checks.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { createLogger } from '../foundation/telemetry/logger.ts';
import { defineCommand } from './frame/command.ts';
import { exitCodes } from './frame/exit-code.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';
import { showChecks } from './show-checks.ts';

/** Contract section 1: the host itself. `doctor mcp` looks at an instance from outside. */
export const doctorCommand = defineCommand({
  description:
    'Looks at this host: Node, Git, the data folder, the disk, code search, the database with its schema and durability, connection ' +
    'secrets and the queue. It changes nothing and prints no secret. A warning leaves exit code 0, a failure gives 1.',
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
  },
  async run({ flags }, context) {
    const { terminal, signal } = context;
    const settings = loadHostConfig(context, flags);
    // What it finds is in the report; a warning of the driver beside it would say the same again.
    const { level } = settings.config.log;
    const log = createLogger({
      level: level === 'debug' || level === 'trace' ? level : 'error',
      name: 'doctor',
      destination: 'stderr',
      pretty: terminal.err.isTerminal,
    });
    const report = await runHostChecks({
      host: {
        config: settings.config,
        secrets: settings.secrets,
        clock: systemClock,
        askCodeSearch: codeSearchAsker(settings, signal),
      },
      openDatabase: () => openConfiguredDatabase(settings, 'command', log),
      onFault: (check, error) => log.debug({ err: error, check }, 'a check failed'),
      signal,
    });
    const text = showChecks(report.checks, `This host: ${report.status}`, terminal.out);
    return { json: report, text, exitCode: report.status === 'failed' ? exitCodes.failed : exitCodes.ok };
  },
});
