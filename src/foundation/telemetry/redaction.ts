import type { Attributes } from './tracer.ts';

/**
 * What never reaches a log, in one place. Names are compared without case, hyphens and underscores, so that
 * `api_key`, `apiKey` and `X-Api-Key` are alike.
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
  'signature',
  'trackersignature',
  'xoncallsignature',
  'xhubsignature256',
] as const;

const redacted = '[redacted]';

/** Names of settings (`OIDC_CLIENT_SECRET`) and of fields (`newPassword`) end like the words above. */
const secretEnding = /(password|secret|token|apikey|privatekey|encryptionkey|databaseurl)$/;
const known: ReadonlySet<string> = new Set(secretNames);

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  return known.has(plain) || secretEnding.test(plain);
}

/** Deeper than any log record; a deeper value is cut, never written unread. */
const maxDepth = 12;

/** A copy of a JSON value without the values of secret names, and without secrets inside its texts. */
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

/** Parameters of a query or a form that carry a credential (RFC 6750 section 2.3 and our own links). */
const secretParameter =
  /([?&;](?:access_token|refresh_token|id_token|token|api_?key|code|state|client_secret|signature)=)[^&#\s"]+/gi;
const userInfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/"]+@/gi;
const bearer = /\b((?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi;
const ownKey = /\bock_[\w-]{8,}/g;
/** The path of a one-time link is its token. */
const oneTimeLink = /(\/\.auth\/link\/)[^/?#\s"]+/g;

/** Secrets that stand in running text, recognised by their form: the last net, for messages of other programs. */
export function redactText(text: string): string {
  return redactUrl(text).replaceAll(bearer, `$1${redacted}`).replaceAll(ownKey, `ock_${redacted}`);
}

/** A URL, or its path and query, as it may be logged. */
function redactUrl(url: string): string {
  return url
    .replaceAll(userInfo, `$1${redacted}@`)
    .replaceAll(secretParameter, `$1${redacted}`)
    .replaceAll(oneTimeLink, `$1${redacted}`);
}

const suspicious =
  /auth|cookie|passw|token|secret|key|credential|signature|bearer|basic|database|ock_|:\/\/|[?&;]/i;

/** One line of the log, a JSON object. Most lines hold nothing that could be a secret and pass unread. */
export function redactLine(line: string): string {
  if (!suspicious.test(line)) return line;
  try {
    return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
  } catch {
    return redactText(line);
  }
}

/** The same for names and values that go beside a span or a number. */
export function redactAttributes(attributes: Attributes): Record<string, Attributes[string]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (isSecretName(name)) return [name, redacted];
      return [name, typeof value === 'string' ? redactText(value) : value];
    }),
  );
}
