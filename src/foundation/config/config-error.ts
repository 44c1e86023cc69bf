import { type ErrorDetails, OrgctxError } from '../kernel/errors.ts';

/** The deployment is not set up for this (a setting, the schema): the operator must act. Exit code 3. */
export class NotConfigured extends OrgctxError {
  readonly status = 503;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('not_configured', publicMessage, options);
  }
}

/** A wrong setting. `message` reads as the end of a sentence about `name` and never repeats the value. */
export interface ConfigFault {
  /** The setting, or the file that holds the settings. */
  readonly name: string;
  readonly message: string;
}

/** Every wrong setting at once (contract section 2). */
export class ConfigError extends NotConfigured {
  readonly faults: readonly ConfigFault[];
  /** The message without the faults, where they are shown one by one. */
  readonly summary: string;

  constructor(faults: readonly ConfigFault[]) {
    const summary = faults.length === 1 ? 'A setting is wrong:' : `${faults.length} settings are wrong:`;
    super(`${summary} ${faults.map(({ name, message }) => `${name} ${message}`).join('; ')}.`);
    this.faults = faults;
    this.summary = summary;
  }
}
