import { connectors } from '../../features/connectors/registry.ts';
import type { SettingTable } from '../../foundation/config/setting.ts';

/** The settings that the providers of this program declare. */
export const providerSettings: SettingTable = Object.assign(
  {},
  ...connectors.map(({ settings }) => settings.table),
);
