import { bootstrapUrl } from '../app/bootstrap.ts';
import { ownProgram, tellStarter, untilStopped } from '../app/process-life.ts';
import { type RunningService, startService } from '../app/serve.ts';
import { ensureAuthSecret } from '../foundation/config/auth-secret.ts';
import { version } from '../foundation/config/version.ts';
import { defineCommand } from './frame/command.ts';
import { text, toggle } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { hostFlags, hostFlagWords, loadHostConfig, portFlag } from './host-flags.ts';
import { warnIneffective } from './warn-ineffective.ts';
import { withTelemetry } from './with-telemetry.ts';

export const serveCommand = defineCommand({
  description:
    'Runs the backend and, unless --no-worker, a worker process beside it. Creates and migrates an empty database; ' +
    'an older or newer one is refused.',
  flags: {
    ...hostFlags,
    host: text('address', 'address to listen on (HOST)'),
    port: portFlag,
    noWorker: toggle('run no worker here; start `orgctx worker` elsewhere'),
  },
  async run({ flags }, { signal, terminal, ...context }) {
    const settings = loadHostConfig({ signal, terminal, ...context }, flags, {
      HOST: flags.host,
      PORT: flags.port?.toString(),
    });
    const { config, secrets } = settings;
    if (secrets.authSecret === undefined) await ensureAuthSecret(config.dataDir);
    const worker = { program: ownProgram(), args: ['worker', ...hostFlagWords(settings)] };
    await withTelemetry('serve', settings, terminal, async (telemetry) => {
      const { log } = telemetry;
      const service = await startService(settings, log, { telemetry, ...(flags.noWorker ? {} : { worker }) });
      warnIneffective(settings, log);
      await showBanner(service, terminal);
      tellStarter({ type: 'listening', baseUrl: service.config.baseUrl, appUrl: service.config.appUrl });
      await untilStopped(signal);
      log.info('draining');
      await service.stop();
      log.info('stopped');
    });
    return undefined;
  },
});

async function showBanner({ config, database }: RunningService, { note }: Terminal): Promise<void> {
  note(`orgctx ${version}`);
  note(`  MCP        ${config.baseUrl}/mcp`);
  note(`  REST       ${config.baseUrl}/openapi.json`);
  note(`  data       ${config.dataDir} (${config.database.dialect})`);
  const link = await bootstrapUrl(database.queries, config);
  if (link === undefined) return;
  note(`  first user ${link} (once, within 30 minutes)`);
  note('             or: orgctx admin create --email you@example.com --org your-org');
}
