import { type LoadedConfig, loadConfig } from '../foundation/config/load-config.ts';
import type { SettingName } from '../foundation/config/settings.ts';
import type { CommandContext } from './frame/context.ts';
import { integer, text } from './frame/parameters.ts';

/** Flags of the commands that work on the host itself. */
export const hostFlags = {
  dataDir: text('folder', 'the data folder (DATA_DIR)'),
  config: text('file', 'settings file instead of ./orgctx.yaml'),
};

/** `--port`, with a range check of its own: a bad flag is exit code 2, a bad PORT is 3. */
export const portFlag = integer('port', 'port to listen on; 0 picks a free one (PORT)', [0, 65_535]);

export interface HostFlagValues {
  readonly dataDir: string | undefined;
  readonly config: string | undefined;
}

/** The configuration of this host, with the command's other flags as settings. @throws ConfigError */
export function loadHostConfig(
  context: CommandContext,
  { dataDir, config }: HostFlagValues,
  more: Partial<Record<SettingName, string | undefined>> = {},
): LoadedConfig {
  const { env, cwd, homeDir } = context;
  return loadConfig({ env, cwd, homeDir, configFile: config, flags: { ...more, DATA_DIR: dataDir } });
}

/** The words that give another process of this program the same host: its data folder and settings file. */
export function hostFlagWords({ config, configFile }: LoadedConfig): readonly string[] {
  return ['--data-dir', config.dataDir, ...(configFile === undefined ? [] : ['--config', configFile])];
}
