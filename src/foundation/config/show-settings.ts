import type { Config } from './config.ts';
import type { GatheredSetting, Origin } from './gather-settings.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

export interface ShownSetting {
  /** What holds; for a secret `set` or `unset`; `undefined` where nothing holds. */
  readonly value: string | undefined;
  readonly origin: Origin;
}

export type ShownSettings = Readonly<Record<SettingName, ShownSetting>>;

/** Every setting as it may be shown to anybody. */
export function showSettings(
  gathered: Readonly<Record<SettingName, GatheredSetting>>,
  config: Config,
): ShownSettings {
  const resolved = resolvedTexts(config);
  const show = (name: SettingName): ShownSetting => {
    const { text, origin } = gathered[name];
    if (name in resolved) return { value: resolved[name], origin };
    if (settings[name].secret) return { value: text === undefined ? 'unset' : 'set', origin };
    return { value: withoutQuery(text ?? defaults[name]?.(config)), origin };
  };
  return Object.fromEntries(settingNames.map((name) => [name, show(name)])) as ShownSettings;
}

/** Settings that are shown as they came out, whatever was written. */
function resolvedTexts({ baseUrl, appUrl, dataDir, database }: Config): Partial<Record<SettingName, string>> {
  const { dialect } = database;
  const where =
    dialect === 'sqlite' ? `sqlite:${database.file}` : `postgres://${database.host}/${database.database}`;
  return { AUTH_BASE_URL: baseUrl, SERVICE_PUBLIC_APP_URL: appUrl, DATA_DIR: dataDir, DATABASE_URL: where };
}

/** Defaults that depend on other settings (specification: "Deployment settings"). */
const defaults: Partial<Record<SettingName, (config: Config) => string>> = {
  TRACKER_REDIRECT_URI: ({ baseUrl }) => `${baseUrl}/api/v1/integrations/tracker/callback`,
  ONCALL_REDIRECT_URI: ({ baseUrl }) => `${baseUrl}/api/v1/integrations/oncall/callback`,
};

/** Collectors and gateways take keys in the query. */
function withoutQuery(text: string | undefined): string | undefined {
  return text !== undefined && /^https?:/i.test(text) ? text.replace(/\?.*$/s, '?…') : text;
}
