import { type ErrorDetails, OrgctxError } from '../kernel/errors.ts';

/** The deployment is not configured for this operation (a setting, the schema): the operator must act. Exit code 3. */
export class NotConfigured extends OrgctxError {
  readonly status = 503;

  constructor(publicMessage: string, options?: ErrorDetails) {
    super('not_configured', publicMessage, options);
  }
}

/** An invalid setting. `message` completes a sentence that begins with `name`, and never repeats the value. */
export interface SettingError {
  /** Name of the setting, or of the configuration file. */
  readonly name: string;
  readonly message: string;
}

/** An error that lists every invalid setting (contract section 2). */
export class ConfigError extends NotConfigured {
  readonly errors: readonly SettingError[];
  /** The first line of the message, for output that lists the errors one by one. */
  readonly summary: string;

  constructor(errors: readonly SettingError[]) {
    const summary = errors.length === 1 ? 'A setting is invalid:' : `${errors.length} settings are invalid:`;
    const listed = errors.map(({ name, message }) => `${name} ${message}`).join('; ');
    super(`${summary} ${listed}${listed.endsWith('?') ? '' : '.'}`);
    this.errors = errors;
    this.summary = summary;
  }
}
