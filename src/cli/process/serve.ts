import { bootstrapUrl } from '../../app/bootstrap.ts';
import { notifyParent, ownProgram, untilStopped } from '../../app/processes/process-life.ts';
import { type RunningService, startService } from '../../app/processes/serve.ts';
import { ensureAuthSecret } from '../../foundation/config/auth-secret.ts';
import { isSet, type LoadedConfig } from '../../foundation/config/load-config.ts';
import { version } from '../../foundation/config/version.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { text, toggle } from '../frame/parameters.ts';
import type { Terminal } from '../frame/terminal.ts';
import { typedProgram } from '../frame/typed-program.ts';
import { configFlagWords, hostFlags, hostFlagWords, loadHostConfig, portFlag } from '../host/host-flags.ts';
import { warnUnreachable } from '../host/warn-unreachable.ts';
import { withTelemetry } from '../host/with-telemetry.ts';
import { shellWord } from './shell-word.ts';

export const serveCommand = defineCommand({
  description:
    'Runs the backend and, unless --no-worker is given, a worker process. Creates the database if it is empty; refuses an ' +
    'older or newer schema.',
  flags: {
    ...hostFlags,
    host: text('address', 'address to listen on (HOST)'),
    port: portFlag,
    noWorker: toggle('do not start a worker; run "orgctx worker" separately'),
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
      warnUnreachable({ ...settings, config: service.config }, log);
      await showBanner(service, terminal, adminHint({ terminal, signal, ...context }, settings));
      const { baseUrl, appUrl, http } = service.config;
      notifyParent({ type: 'listening', baseUrl, appUrl, port: http.port });
      await untilStopped(signal);
      log.info('draining');
      await service.stop();
      log.info('stopped');
    });
    return undefined;
  },
});

/** Settings that another terminal needs for the same database and for links to this service. */
const repeated = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'AUTH_SECRET',
  'AUTH_BASE_URL',
  'SERVICE_PUBLIC_APP_URL',
] as const;

/** Returns how another terminal creates the first user: the flags for the same data folder and settings, or their names. */
function adminHint(context: CommandContext, settings: LoadedConfig): string {
  const { config, configFile, origins } = settings;
  const isPostgres = config.database.dialect === 'postgres';
  const isDefault = configFile === undefined && !isSet(origins.DATA_DIR);
  const needed = isPostgres ? configFlagWords(settings) : hostFlagWords(settings);
  const words = isDefault ? [] : needed;
  const shown = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word)));
  const command = [
    `${typedProgram(context)} admin create`,
    ...shown,
    '--email you@example.com --org your-org',
  ].join(' ');
  const set = repeated
    .filter((name) => origins[name].origin === 'environment')
    .map((name) => (context.env[`${name}_FILE`] ? `${name}_FILE` : name));
  return set.length === 0 ? `or: ${command}` : `or, with the same ${set.join(', ')}: ${command}`;
}

async function showBanner(
  { config, database }: RunningService,
  { note }: Terminal,
  hint: string,
): Promise<void> {
  note(`orgctx ${version}`);
  note(`  MCP        ${config.baseUrl}/mcp`);
  note(`  REST       ${config.baseUrl}/openapi.json`);
  note(`  data       ${config.dataDir} (${config.database.dialect})`);
  const link = await bootstrapUrl(database.queries, config);
  if (link === undefined) return;
  note(`  first user ${link} (works once, within 30 minutes)`);
  note(`             ${hint}`);
}
