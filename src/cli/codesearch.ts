import { startCodeSearch } from '../app/codesearch.ts';
import { untilStopped } from '../app/process-life.ts';
import { version } from '../foundation/config/version.ts';
import { defineCommand } from './frame/command.ts';
import { text } from './frame/parameters.ts';
import { hostFlags, loadHostConfig, portFlag } from './host-flags.ts';
import { withTelemetry } from './with-telemetry.ts';

/** Another than that of `serve`, which often runs beside it. */
const usualPort = '3080';

export const codesearchCommand = defineCommand({
  description:
    'Runs the code search service: indexes and answers of its own, for backends and workers whose CODESEARCH_URL names ' +
    `it. It needs CODESEARCH_SECRET and no database, and calls nobody. Without PORT it listens on ${usualPort}.`,
  flags: {
    ...hostFlags,
    host: text('address', 'address to listen on (HOST)'),
    port: portFlag,
  },
  async run({ flags }, context) {
    const given = { HOST: flags.host, PORT: flags.port?.toString() };
    const first = loadHostConfig(context, flags, given);
    const settings =
      first.origins.PORT.origin === 'default'
        ? loadHostConfig(context, flags, { ...given, PORT: usualPort })
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
