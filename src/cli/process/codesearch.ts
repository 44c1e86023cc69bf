import { startCodeSearch } from '../../app/processes/codesearch.ts';
import { untilStopped } from '../../app/processes/process-life.ts';
import { version } from '../../foundation/config/version.ts';
import { defineCommand } from '../frame/command.ts';
import { text } from '../frame/parameters.ts';
import { hostFlags, loadHostConfig, portFlag } from '../host/host-flags.ts';
import { withTelemetry } from '../host/with-telemetry.ts';

/** The default port. It differs from that of `serve`, which often runs on the same host. */
const defaultPort = '3080';

export const codesearchCommand = defineCommand({
  description:
    'Runs the code search service, which indexes and searches code for the backends and workers whose CODESEARCH_URL ' +
    `refers to it. It needs CODESEARCH_SECRET, has no database and makes no outgoing requests. Default port: ${defaultPort}.`,
  flags: {
    ...hostFlags,
    host: text('address', 'address to listen on (HOST)'),
    port: portFlag,
  },
  async run({ flags }, context) {
    const given = { HOST: flags.host, PORT: flags.port?.toString() };
    const first = loadHostConfig(context, flags, given);
    const { origin } = first.origins.PORT;
    // The port that quickstart saved is that of the server.
    const settings =
      origin === 'default' || origin === 'quickstart'
        ? loadHostConfig(context, flags, { ...given, PORT: defaultPort })
        : first;
    const { terminal, signal } = context;
    await withTelemetry('codesearch', settings, terminal, async (telemetry) => {
      const { log } = telemetry;
      const service = await startCodeSearch(settings, log, { telemetry });
      terminal.note(`orgctx codesearch ${version}`);
      terminal.note(`  CODESEARCH_URL ${service.baseUrl}`);
      terminal.note(`  data           ${settings.config.dataDir}`);
      await untilStopped(signal);
      log.info('draining');
      await service.stop();
      log.info('stopped');
    });
    return undefined;
  },
});
