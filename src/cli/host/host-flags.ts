import { providerSettings } from '../../app/open/provider-settings.ts';
import { type LoadedConfig, loadConfig } from '../../foundation/config/load-config.ts';
import type { SettingName } from '../../foundation/config/settings/settings.ts';
import type { CommandContext } from '../frame/context.ts';
import { integer, text } from '../frame/parameters.ts';
import { rememberedHost } from './remembered-host.ts';

/** The flags of commands that work on the host itself. */
export const hostFlags = {
  dataDir: text('folder', 'the data folder (DATA_DIR)'),
  config: text('file', 'settings file instead of ./orgctx.yaml'),
};

/** The flag `--port`. It checks its own range, because an invalid flag is exit code 2 and an invalid PORT is 3. */
export const portFlag = integer('port', 'port to listen on; 0 selects a free one (PORT)', [0, 65_535]);

export interface HostFlagValues {
  readonly dataDir: string | undefined;
  readonly config: string | undefined;
}

/** Loads the configuration of this host, with further flags of the command as settings. @throws ConfigError */
export function loadHostConfig(
  context: CommandContext,
  { dataDir, config }: HostFlagValues,
  more: Partial<Record<SettingName, string | undefined>> = {},
): LoadedConfig {
  const { env, cwd, homeDir } = context;
  const flags = { ...more, DATA_DIR: dataDir };
  const remembered = rememberedHost(context);
  return loadConfig({ env, cwd, homeDir, configFile: config, flags, providerSettings, remembered });
}

/** Returns the flags that start another process of this program with the same data folder and settings file. */
export function hostFlagWords(loaded: LoadedConfig): readonly string[] {
  return ['--data-dir', loaded.config.dataDir, ...configFlagWords(loaded)];
}

/** Returns the flag that starts another process of this program with the same settings file, if there is one. */
export function configFlagWords({ configFile }: LoadedConfig): readonly string[] {
  return configFile === undefined ? [] : ['--config', configFile];
}
