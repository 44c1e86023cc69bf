import { checkConfiguredConnection } from '../../app/doctor/check-connection.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { requiredText } from '../frame/parameters.ts';
import { withTypedProgram } from '../frame/typed-program.ts';
import { completeConnection } from '../host/host-connection.ts';
import { hostFlags } from '../host/host-flags.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { showChecks } from './show-checks.ts';

/** Checks one connection from its credentials to its jobs (contract section 1). */
export const doctorConnectorCommand = defineCommand({
  description:
    'Checks one connection on the host: its authorization at the provider, write access to its repository, the pull ' +
    'request, the scope, the address of its webhooks, and why edits do not appear: deliveries do not arrive, deliveries ' +
    'are rejected, or jobs fail. It prints no secrets and changes nothing, except that expiring tokens are renewed. The ' +
    'exit code is 1 if a check fails and 0 otherwise, also with warnings.',
  args: {
    connection: requiredText('connection', 'name, id or start of the id'),
  },
  flags: hostFlags,
  examples: ['orgctx doctor connector product'],
  run: ({ args, flags }, context) =>
    withHostDatabase(
      context,
      flags,
      { name: 'doctor', level: 'warn' },
      async ({ database, settings, log }) => {
        const id = await completeConnection(database.queries, args.connection);
        const { signal, terminal } = context;
        const report = await checkConfiguredConnection({ settings, database, log, signal }, id);
        const summary = visibleLine(`${report.connection.name}: ${report.status}`);
        const text = withTypedProgram(showChecks(report.checks, summary, terminal.out), context);
        return { json: report, text, exitCode: report.status === 'failed' ? exitCodes.failed : exitCodes.ok };
      },
    ),
});
