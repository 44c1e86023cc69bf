import { githostSettings } from './provider-settings.ts';
import {
  accessSettings,
  databaseSettings,
  graphSettings,
  keySettings,
  modelSettings,
  searchSettings,
  serviceSettings,
  telemetrySettings,
} from './service-settings.ts';
import { type SettingTable, type ValuesOf, withoutEffect } from './setting.ts';

/**
 * The deployment settings of the service itself. Settings of features that are not built yet are already parsed and
 * checked, so that an error in a name or value is found at once.
 */
const table = {
  ...serviceSettings,
  ...telemetrySettings,
  ...databaseSettings,
  ...searchSettings,
  ...graphSettings,
  ...withoutEffect(modelSettings),
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
