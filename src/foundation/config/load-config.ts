import { buildConfig, dataDirOf, loopbackUrl } from './build-config.ts';
import {
  type CollectedSetting,
  type CollectedSettings,
  collectSettings,
  type RememberedHost,
} from './collect-settings.ts';
import type { Config, Secrets } from './config.ts';
import { ConfigError, type SettingError } from './config-error.ts';
import { type Misspelled, misspelledText, misspelledVariables } from './misspelled.ts';
import { readConfigFile } from './read-config-file.ts';
import type { Environment } from './read-environment.ts';
import type { SettingTable } from './settings/setting.ts';
import { allSettings, type SettingName, type SettingValues } from './settings/settings.ts';
import { type ShownSettings, showSettings } from './show-settings.ts';

export interface ConfigInput {
  readonly env: Environment;
  /** Settings given as command-line flags, unparsed. */
  readonly flags?: Partial<Readonly<Record<SettingName, string | undefined>>>;
  /** Base of relative paths and of `./orgctx.yaml`. */
  readonly cwd: string;
  readonly homeDir: string;
  /** The value of `--config`. The file must exist. */
  readonly configFile?: string | undefined;
  /** Settings that providers declare, by name. Default: none. */
  readonly providerSettings?: SettingTable | undefined;
  /** The data folder and port that `quickstart` saved. They come before the defaults. */
  readonly remembered?: RememberedHost | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  /** The output of `config show`: every setting with its origin, secrets masked. */
  readonly origins: ShownSettings;
  /** All settings, also those of providers. */
  readonly table: SettingTable;
  /** Variables of the environment that have no effect and look like a setting. */
  readonly misspelled: readonly Misspelled[];
  /** Absolute path of the file that was read. */
  readonly configFile: string | undefined;
}

/** Reads the whole configuration. @throws ConfigError that lists every error by name, never with a value */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const { env, cwd, homeDir, providerSettings = {} } = input;
  const { table, file, collected, parsed } = readSettings(input);
  const built = buildConfig(parsed.values, Object.keys(providerSettings), { env, cwd, homeDir });
  // A setting that is itself invalid is not reported again for a conflict with other settings.
  const own = [...file.errors, ...collected.errors, ...parsed.errors];
  const errors = [...own, ...built.errors.filter(({ name }) => !own.some((error) => concerns(error, name)))];
  const misspelled = misspelledVariables(env, table);
  if (errors.length > 0) {
    // A misspelled variable may be the reason why a setting is missing.
    const ignored = misspelled.map((each) => ({ name: each.name, message: misspelledText(each) }));
    throw new ConfigError([...errors, ...ignored]);
  }
  const { config, secrets } = built;
  const origins = showSettings(table, collected.settings, config);
  return { config, secrets, origins, table, misspelled, configFile: file.path };
}

function readSettings({ env, flags = {}, cwd, configFile, remembered, providerSettings = {} }: ConfigInput) {
  const table = allSettings(providerSettings);
  const file = readConfigFile(table, cwd, configFile);
  const collected = collectSettings({ table, flags, env, file, cwd, remembered });
  return { table, file, collected, parsed: parseSettings(table, collected) };
}

function concerns(error: SettingError, name: string): boolean {
  return error.name === name || error.name === `${name}_FILE`;
}

function parseSettings(
  table: SettingTable,
  collected: CollectedSettings,
): {
  values: SettingValues;
  errors: readonly SettingError[];
} {
  const errors: SettingError[] = [];
  const parse = ([name, { type, fallback }]: readonly [string, SettingTable[string]]): unknown => {
    const text = collected.settings[name]?.text;
    if (text === undefined) return undefined;
    const result = type.safeParse(text);
    if (result.success) return result.data;
    errors.push(...result.error.issues.map(({ message }) => ({ name, message })));
    // The default takes the place of an invalid value, so that conflicts of the other settings are found too.
    return fallback && type.parse(fallback);
  };
  const values = Object.fromEntries(Object.entries(table).map((entry) => [entry[0], parse(entry)]));
  return { values: values as SettingValues, errors };
}

/** The address of the service of this host, as configured. */
export interface ConfiguredAddress {
  /** `undefined` if PORT is 0, since the URL is then unknown. */
  readonly baseUrl: string | undefined;
  /** True if a setting names the address explicitly, so that it applies whatever server runs here. */
  readonly given: boolean;
  readonly dataDir: string;
  /** Path of the settings file if the address or the data folder comes from it. */
  readonly file: string | undefined;
}

/**
 * Reads the address, for commands that only call the service as a client. Settings that only the service requires
 * (such as AUTH_SECRET on another host) are not checked.
 */
export function configuredAddress(input: ConfigInput): ConfiguredAddress {
  const { env, cwd, homeDir } = input;
  const { file, collected, parsed } = readSettings(input);
  const { values, errors } = parsed;
  const concerned = errors.filter(({ name }) => name === 'AUTH_BASE_URL' || name === 'PORT');
  if (concerned.length > 0) throw new ConfigError(concerned);
  const { AUTH_BASE_URL, PORT, DATA_DIR } = collected.settings;
  return {
    baseUrl: values.AUTH_BASE_URL ?? (values.PORT ? loopbackUrl(values.PORT) : undefined),
    given: isGiven(AUTH_BASE_URL, PORT),
    dataDir: dataDirOf(values, { env, cwd, homeDir }),
    file: [AUTH_BASE_URL, DATA_DIR].some(({ origin }) => origin === 'file') ? file.path : undefined,
  };
}

/** Returns whether AUTH_BASE_URL is set, or the command or its environment names a port. */
export function isGiven(baseUrl: WithOrigin, port: WithOrigin): boolean {
  return isSet(baseUrl) || port.origin === 'flag' || port.origin === 'environment';
}

type WithOrigin = Pick<CollectedSetting, 'origin'>;

/** Returns whether the operator set the setting. */
export function isSet({ origin }: WithOrigin): boolean {
  return origin !== 'unset' && origin !== 'default';
}
