import { ineffectiveSettings } from '../foundation/config/ineffective-settings.ts';
import type { LoadedConfig } from '../foundation/config/load-config.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';

/** One line for whoever set what this version reads and does not use yet. */
export function warnIneffective({ origins }: Pick<LoadedConfig, 'origins'>, log: Logger): void {
  const names = ineffectiveSettings(origins);
  if (names.length > 0) log.warn({ settings: names }, 'settings without effect in this version');
}
