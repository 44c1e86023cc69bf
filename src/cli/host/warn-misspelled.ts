import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/** Warns of each environment variable that has no effect and looks like a setting. */
export function warnMisspelled({ misspelled }: Pick<LoadedConfig, 'misspelled'>, log: Logger): void {
  for (const { name, meant } of misspelled) {
    log.warn(
      { variable: name, meant },
      'an environment variable that looks like a setting has no effect: correct its name',
    );
  }
}
