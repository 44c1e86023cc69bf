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

/** Redacts a secret that is known, in any encoding. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret)];
  return forms.reduce((rest, form) => rest.replaceAll(form, redacted), text);
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
