import type { Attributes } from './tracer.ts';

/**
 * Names whose values are never logged. They are compared without case, hyphens and underscores, so that `api_key`,
 * `apiKey` and `X-Api-Key` are equal.
 */
const secretNames = [
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'passwd',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'bearer',
  'secret',
  'clientsecret',
  'webhooksecret',
  'authsecret',
  'apikey',
  'xapikey',
  'privatekey',
  'credential',
  'credentials',
] as const;

const redacted = '[redacted]';

/** Endings of secret names: settings (`OIDC_CLIENT_SECRET`), fields (`newPassword`), headers of webhooks. */
const secretEnding = /(password|secret|token|apikey|privatekey|encryptionkey|databaseurl|signature(?:256)?)$/;
const known: ReadonlySet<string> = new Set(secretNames);

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  return known.has(plain) || secretEnding.test(plain);
}

/**
 * Maximum depth of redaction, more than any log record has. Deeper values are replaced as a whole, never written
 * unchecked.
 */
const maxDepth = 12;

/** Returns a copy of a JSON value with the values of secret names and secrets inside texts redacted. */
function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return redacted;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && inner !== null ? redacted : redactValue(inner, depth + 1),
    ]),
  );
}

/** Query and form parameters that contain a credential (RFC 6750 section 2.3, and the links of this program). */
const secretParameter =
  /([?&;](?:access_token|refresh_token|id_token|token|api_?key|code|state|client_secret|signature)=)[^&#\s"]+/gi;
/** The length of the scheme is bounded, because the search would otherwise need quadratic time. */
const userInfo = /([a-z][a-z0-9+.-]{0,40}:\/\/)[^\s/"]+@/gi;
const bearer = /\b((?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi;
const ownKey = /\bock_[\w-]{8,}/g;
/** The path of a one-time link or invitation ends in its token. */
const oneTimeLink = /(\.auth(?:[/\\]|%2f)+(?:link|invitation)(?:[/\\]|%2f)+)[^?#\s"]+/gi;

/** Redacts secrets in running text by their format. This is the last safeguard, for messages of other programs. */
export function redactText(text: string): string {
  return redactUrl(text).replaceAll(bearer, `$1${redacted}`).replaceAll(ownKey, `ock_${redacted}`);
}

/**
 * Length of a part of a secret that is redacted: other programs repeat secrets cut or masked in the middle. Shorter
 * parts also occur in usual words.
 */
const partLength = 8;
/** Maximum length of a secret that is looked for, above that of any key or token. */
const maxSecret = 16_000;

/**
 * Redacts a secret that is known: any word that shares at least 8 characters with it, without regard to case, as it is
 * or encoded. A shorter secret is redacted as a whole. The time is linear in the text and in the secret.
 */
export function withoutSecret(text: string, secret: string): string {
  const sought = secret.slice(0, maxSecret).toWellFormed();
  if (sought === '') return text;
  const forms = [sought, encodeURIComponent(sought)];
  if (sought.length < partLength)
    return forms.reduce((rest, form) => withoutParts(rest, new Set([comparable(form)]), form.length), text);
  const parts = new Set<string>();
  for (const form of [...forms, Buffer.from(sought).toString('hex'), ...base64Of(sought)].map(comparable))
    for (let at = 0; at + partLength <= form.length; at++) parts.add(form.slice(at, at + partLength));
  return withoutParts(text, parts, partLength);
}

/** Returns the parts of the base64 of any text that contains a secret. They depend on where the secret begins in it. */
function base64Of(secret: string): string[] {
  return [0, 2, 3].map((affected, before) =>
    Buffer.from('_'.repeat(before) + secret)
      .toString('base64')
      .replaceAll('=', '')
      .slice(affected),
  );
}

/** Returns a text of the same length in lower case, with the letters of base64url. */
function comparable(text: string): string {
  return text
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Redacts all places where a part occurs, with the rest of the word around it if the parts are not whole words. */
function withoutParts(text: string, parts: ReadonlySet<string>, length: number): string {
  const plain = comparable(text);
  const isWord = (at: number, form = /[\w-]/): boolean => length === partLength && form.test(text.charAt(at));
  let safe = '';
  let done = 0;
  for (let at = 0; at + length <= plain.length; at++) {
    if (!parts.has(plain.slice(at, at + length))) continue;
    let start = at;
    while (start > done && isWord(start - 1)) start -= 1;
    let end = at + length;
    for (let next = at + 1; next <= end && next + length <= plain.length; next++)
      if (parts.has(plain.slice(next, next + length))) end = next + length;
    while (isWord(end, /[\w=-]/)) end += 1;
    safe += `${text.slice(done, start)}${redacted}`;
    done = end;
    at = end - 1;
  }
  return safe + text.slice(done);
}

/** Keys and tokens of known services, also masked in part; signed tokens; long hashes. */
const keyOfService =
  /\b(?:(?:sk|pk|rk|gsk|hf|xai|nvapi|pplx|fw|r8|gh[oprsu]|[a-z]{1,10}_pat|glpat|xox[a-z])[-_]|ya29\.)[\w*.…-]{4,}|\bAIza[\w-]{10,}|\bA[KS]IA[A-Z0-9]{12,}|\beyJ[\w-]{4,}(?:\.[\w-]+)*|[A-Za-z0-9+=]{32,}/g;
const longWord = /[\w+/=.~%-]{16,}/g;
/** A part of the name of a model, a host or a page: a word with a version, a number, or a size such as `8x22B`. */
const partOfName = /^(?:[A-Za-z]{1,31}|[A-Za-z]{1,10}\d{1,3}[A-Za-z]{0,2}|\d{1,8}|[A-Za-z\d]{1,5})$/;

/**
 * Redacts keys in the words of a service: the key that it was sent, and all that may be a key by its form, because a
 * gateway repeats keys of its own. Names of models, addresses of pages and ids of requests stay readable.
 */
export function withoutKeys(text: string, secret: string): string {
  return redactText(withoutSecret(text, secret))
    .replaceAll(keyOfService, redacted)
    .replaceAll(longWord, (word) => (mayBeKey(word) ? redacted : word));
}

/** Returns whether a long word mixes letters and digits in another way than names do. */
function mayBeKey(word: string): boolean {
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word) || /^req[-_]/.test(word)) return false;
  const parts = word.split(/[^A-Za-z\d]+/).filter((part) => part !== '');
  return !parts.every((part) => partOfName.test(part)) || !parts.some((part) => /^[A-Za-z]{3}/.test(part));
}

/** Redacts a URL, or its path and query. */
function redactUrl(url: string): string {
  return url
    .replaceAll(userInfo, `$1${redacted}@`)
    .replaceAll(secretParameter, `$1${redacted}`)
    .replaceAll(oneTimeLink, `$1${redacted}`);
}

const suspicious =
  /auth|cookie|passw|token|secret|key|credential|signature|bearer|basic|database|ock_|:\/\/|[?&;]/i;

/** Redacts one log line, a JSON object. Most lines contain nothing suspicious and are returned without parsing. */
export function redactLine(line: string): string {
  if (!suspicious.test(line)) return line;
  try {
    return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
  } catch {
    return redactText(line);
  }
}

/** Redacts the attributes of a span or a metric. */
export function redactAttributes(attributes: Attributes): Record<string, Attributes[string]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (isSecretName(name)) return [name, redacted];
      return [name, typeof value === 'string' ? redactText(value) : value];
    }),
  );
}
