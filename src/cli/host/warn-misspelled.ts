import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { misspelledText } from '../../foundation/config/misspelled.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/** Warns of each environment variable that has no effect and looks like a setting. */
export function warnMisspelled({ misspelled }: Pick<LoadedConfig, 'misspelled'>, log: Logger): void {
  for (const each of misspelled) {
    log.warn(`the environment variable ${each.name} has no effect: it ${misspelledText(each)}`);
  }
}
