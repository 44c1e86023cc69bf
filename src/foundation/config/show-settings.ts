import type { Collected, Origin } from './collect-settings.ts';
import type { Config } from './config.ts';
import type { Setting, SettingTable } from './settings/setting.ts';
import type { SettingName } from './settings/settings.ts';

export interface ShownSetting {
  /** The effective value, or `undefined` if there is none. For a secret: `set` or `unset`. */
  readonly value: string | undefined;
  readonly origin: Origin;
}

export type ShownSettings = Readonly<Record<SettingName, ShownSetting> & Record<string, ShownSetting>>;

/** Returns every setting without secrets. */
export function showSettings(table: SettingTable, collected: Collected, config: Config): ShownSettings {
  const resolved: Readonly<Record<string, string>> = resolvedTexts(config);
  const show = (name: string, { secret, derivedDefault }: Setting): ShownSetting => {
    const { text, origin } = collected[name] ?? { text: undefined, origin: 'unset' };
    if (name in resolved) return { value: resolved[name], origin };
    if (secret) return { value: text === undefined ? 'unset' : 'set', origin };
    return { value: withoutQuery(text ?? derivedDefault?.(config)), origin };
  };
  const shown = Object.entries(table).map(([name, setting]) => [name, show(name, setting)]);
  return Object.fromEntries(shown) as ShownSettings;
}

/** Returns the settings that are shown with their resolved value instead of the configured text. */
function resolvedTexts({ baseUrl, appUrl, dataDir, database }: Config): Partial<Record<SettingName, string>> {
  const { dialect } = database;
  const where =
    dialect === 'sqlite' ? `sqlite:${database.file}` : `postgres://${database.host}/${database.database}`;
  return { AUTH_BASE_URL: baseUrl, SERVICE_PUBLIC_APP_URL: appUrl, DATA_DIR: dataDir, DATABASE_URL: where };
}

/** Removes the query, because collectors and gateways accept keys there. */
function withoutQuery(text: string | undefined): string | undefined {
  return text !== undefined && /^https?:/i.test(text) ? text.replace(/\?.*$/s, '?…') : text;
}
