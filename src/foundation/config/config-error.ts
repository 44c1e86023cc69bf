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

  constructor(faults: readonly ConfigFault[]) {
    const several = faults.length === 1 ? 'A setting is' : `${faults.length} settings are`;
    super(`${several} wrong: ${faults.map(({ name, message }) => `${name} ${message}`).join('; ')}.`);
    this.faults = faults;
  }
}
