import { withoutSecret } from '../../telemetry/redaction.ts';

/** The credentials for a Git host. They are given per call and never sent to another host. */
export interface GitCredentials {
  readonly username: string;
  /** A password, or a token used in its place. */
  readonly password: string;
}

/** Redacts the password, in any encoding, in the output of another program. */
export function withoutPassword(text: string, { username, password }: GitCredentials): string {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return withoutSecret(withoutSecret(text, password), basic);
}

export function isSameCredentials(one: GitCredentials, other: GitCredentials): boolean {
  return one.username === other.username && one.password === other.password;
}
