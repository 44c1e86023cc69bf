import type { z } from 'zod';
import { connectorSettings, providerSettings } from './provider-settings.ts';
import {
  accessSettings,
  databaseSettings,
  engineSettings,
  keySettings,
  searchSettings,
  serviceSettings,
  telemetrySettings,
} from './service-settings.ts';
import { type Setting, withoutEffect } from './setting.ts';

/**
 * Every deployment setting, in the order of `config show` and of the reference. Settings of features that come later
 * are read and checked already, so that a slip in a name or value is found at once.
 */
const table = {
  ...serviceSettings,
  ...telemetrySettings,
  ...databaseSettings,
  ...searchSettings,
  ...withoutEffect(engineSettings),
  ...keySettings,
  ...accessSettings,
  ...connectorSettings,
  ...withoutEffect(providerSettings),
} as const;

export type SettingName = keyof typeof table;

export const settings: Readonly<Record<SettingName, Setting>> = table;

export const settingNames = Object.keys(table) as readonly SettingName[];

/** The values after parsing; `undefined` where nothing is set and there is no default. */
export type SettingValues = {
  readonly [Name in SettingName]: z.output<(typeof table)[Name]['type']> | undefined;
};

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(table, name);
}
