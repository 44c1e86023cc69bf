import { buildConfig, loopbackUrl } from './build-config.ts';
import type { Config, Secrets } from './config.ts';
import { ConfigError, type ConfigFault } from './config-error.ts';
import { type Gathered, gatherSettings } from './gather-settings.ts';
import { readConfigFile } from './read-config-file.ts';
import type { Environment } from './read-environment.ts';
import { type SettingName, type SettingValues, settingNames, settings } from './settings.ts';
import { type ShownSettings, showSettings } from './show-settings.ts';

export interface ConfigInput {
  readonly env: Environment;
  /** Settings given as flags, as typed. */
  readonly flags?: Partial<Readonly<Record<SettingName, string | undefined>>>;
  /** Relative paths and `./orgctx.yaml` are resolved against it. */
  readonly cwd: string;
  readonly homeDir: string;
  /** `--config FILE`; it must exist. */
  readonly configFile?: string | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  /** What `config show` prints: every setting with its origin, secrets masked. */
  readonly origins: ShownSettings;
  /** The file that was read, absolute. */
  readonly configFile: string | undefined;
}

/** Reads the whole configuration once. @throws ConfigError with every fault, by name, never with a value */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const { env, flags = {}, cwd, homeDir, configFile } = input;
  const file = readConfigFile(cwd, configFile);
  const gathered = gatherSettings({ flags, env, file, cwd });
  const parsed = parseSettings(gathered);
  const built = buildConfig(parsed.values, { env, cwd, homeDir });
  // A setting with a fault of its own is not blamed again for what the others need of it.
  const own = [...file.faults, ...gathered.faults, ...parsed.faults];
  const faults = [...own, ...built.faults.filter(({ name }) => !own.some((fault) => concerns(fault, name)))];
  if (faults.length > 0) throw new ConfigError(faults);
  const { config, secrets } = built;
  return { config, secrets, origins: showSettings(gathered.settings, config), configFile: file.path };
}

function concerns(fault: ConfigFault, name: string): boolean {
  return fault.name === name || fault.name === `${name}_FILE`;
}

function parseSettings(gathered: Gathered): { values: SettingValues; faults: readonly ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const parse = (name: SettingName): unknown => {
    const { text } = gathered.settings[name];
    if (text === undefined) return undefined;
    const result = settings[name].type.safeParse(text);
    if (!result.success) faults.push(...result.error.issues.map(({ message }) => ({ name, message })));
    return result.data;
  };
  const values = Object.fromEntries(settingNames.map((name) => [name, parse(name)])) as SettingValues;
  return { values, faults };
}

/**
 * The base URL alone, for commands that only call the service from outside: what the service itself still lacks
 * (AUTH_SECRET on another host) does not concern them. `undefined` when only PORT 0 says where it is.
 */
export function configuredBaseUrl(input: ConfigInput): string | undefined {
  const { env, flags = {}, cwd, configFile } = input;
  const gathered = gatherSettings({ flags, env, file: readConfigFile(cwd, configFile), cwd });
  const { values, faults } = parseSettings(gathered);
  const concerned = faults.filter(({ name }) => name === 'AUTH_BASE_URL' || name === 'PORT');
  if (concerned.length > 0) throw new ConfigError(concerned);
  return values.AUTH_BASE_URL ?? (values.PORT ? loopbackUrl(values.PORT) : undefined);
}
