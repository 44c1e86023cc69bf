import { OrgctxError } from '../../foundation/kernel/errors.ts';

/** An error whose `code` is defined by OAuth: RFC 6749 section 5.2, RFC 7591 section 3.2.2. */
export class OAuthError extends OrgctxError {
  readonly status: number;

  constructor(code: string, description: string, status: number) {
    super(code, description);
    this.status = status;
  }
}
