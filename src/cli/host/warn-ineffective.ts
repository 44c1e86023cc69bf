import { ineffectiveSettings } from '../../foundation/config/ineffective-settings.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/** Warns about configured settings that this version reads but does not use yet. */
export function warnIneffective(loaded: Pick<LoadedConfig, 'table' | 'origins'>, log: Logger): void {
  const names = ineffectiveSettings(loaded);
  if (names.length > 0) log.warn({ settings: names }, 'these settings have no effect in this version');
}
