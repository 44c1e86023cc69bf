/** What a Git host asks of whoever may not read or write without. Given for one call, and never to another host. */
export interface GitCredentials {
  readonly username: string;
  /** A password, or the token that stands for one. */
  readonly password: string;
}
