/** What a Git host asks of whoever may not read or write without. Given for one call, and never to another host. */
export interface GitCredentials {
  readonly username: string;
  /** A password, or the token that stands for one. */
  readonly password: string;
}

/** A text of another program without the password, however that was spelled. */
export function withoutPassword(text: string, { username, password }: GitCredentials): string {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const forms = [password, encodeURIComponent(password), encodeURI(password), basic];
  return forms
    .filter((form) => form !== '')
    .reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
}
