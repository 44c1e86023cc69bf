import { githostSettings } from './githost-settings.ts';
import {
  accessSettings,
  databaseSettings,
  graphSettings,
  keySettings,
  modelSettings,
  proxySettings,
  searchSettings,
  serviceSettings,
  telemetrySettings,
} from './service-settings.ts';
import type { SettingTable, ValuesOf } from './setting.ts';

/** The deployment settings of the service itself. */
const table = {
  ...serviceSettings,
  ...proxySettings,
  ...telemetrySettings,
  ...databaseSettings,
  ...searchSettings,
  ...graphSettings,
  ...modelSettings,
  ...keySettings,
  ...accessSettings,
  ...githostSettings,
} as const;

export type SettingName = keyof typeof table;

export type SettingValues = ValuesOf<typeof table>;

/**
 * Returns all deployment settings in the order of `config show`: those of the service, then those that providers
 * declare.
 */
export function allSettings(ofProviders: SettingTable): SettingTable {
  return { ...table, ...ofProviders };
}
