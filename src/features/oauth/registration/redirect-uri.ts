/**
 * Kind of a redirect URI: `web` is https, `loopback` is http to the user's machine (RFC 8252 section 7.3), `app` is a
 * private-use scheme (7.1).
 */
export type RedirectKind = 'web' | 'loopback' | 'app';

const maxLength = 2_048;

/** Characters of URIs (RFC 3986 section 2), without `*`, which some servers interpret as a wildcard. */
const uriText = /^[\w\-.~:/?#[\]@!$&'()+,;=%]*$/;

/**
 * Refused schemes, grouped by purpose: those of operating systems, browsers and well-known programs. None belongs to an
 * app that waits for an authorization response, and some trigger harmful actions immediately. This is a deny list
 * because the schemes of tools (`cursor`, `vscode`, `claude`, reversed domains) are unlimited. It need not be complete,
 * because nothing is sent to a scheme before a user has clicked on Allow.
 */
const foreignSchemes: readonly RegExp[] = Object.values({
  code: /^(?:javascript|vbscript|livescript|mocha|applescript|shortcuts|workflow|automator|shell|hcp|help|intent)$/,
  content:
    /^(?:about|blob|cid|content|data|feed|file|filesystem|jar|mhtml|mid|res|resource|urn|view-source|wyciwyg)$/,
  transfer:
    /^(?:afp|davs?|ed2k|ftps?|git|gopher|imap|ldaps?|magnet|nfs|nntp|news|pop|rsync|sftp|smb|svn|webcals?|wss?)$/,
  remoteControl: /^(?:anydesk|rdp|rlogin|ssh|telnet|tn3270|vnc|teamviewer.*)$/,
  conversation: /^(?:callto|dict|facetime.*|im|irc|mailto|msteams|sips?|skype.*|sms|tel|xmpp|zoom.*|rtsp)$/,
  store: /^(?:itms.*|market|steam|macappstores?|apt)$/,
  search: /^search(?:-.*)?$/,
  browser: /^(?:android-app|brave|chrome.*|edge|firefox|moz-extension|opera|safari|vivaldi|vscode-webview)$/,
  // Schemes that vendors reserve for their systems: `ms-msdt:` was CVE-2022-30190, `x-man-page:` opens a terminal.
  system: /^(?:microsoft-.*|ms-.*|x-.*|android.*|app-settings|prefs|settings)$/,
});

/** Names of the loopback host that a redirect URI may use. */
const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Validates a redirect URI of a registration. The error text continues the sentence "redirect_uris …". A valid URI is
 * safe in a `Location` header as it is, and its origin or scheme is safe in a content security policy.
 */
export function inspectRedirectUri(uri: string): { kind: RedirectKind } | { error: string } {
  if (uri.length > maxLength) return { error: `must not be longer than ${maxLength} characters each` };
  if (!uriText.test(uri)) {
    return { error: 'must be plain URIs: no spaces, control characters, wildcards or unencoded letters' };
  }
  if (uri.includes('#')) return { error: 'must not contain fragments' };
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(uri)?.[0].toLowerCase();
  if (scheme === undefined) return { error: 'must be absolute URIs, such as http://127.0.0.1/callback' };
  return scheme === 'http' || scheme === 'https' ? inspectWebUri(uri, scheme) : inspectAppUri(uri, scheme);
}

/**
 * Validates an http or https URI. The host must be written exactly as browsers normalize it: not `127.1`, not
 * `[::ffff:7f00:1]`, and without characters that end a directive of a content security policy.
 */
function inspectWebUri(uri: string, scheme: 'http' | 'https'): { kind: RedirectKind } | { error: string } {
  const url = URL.parse(uri);
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1] ?? '';
  const host = /^([a-z0-9_.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.exec(authority)?.[1]?.toLowerCase();
  if (authority.includes('@')) return { error: 'must not contain a user name or password' };
  if (url === null || host === undefined || host !== url.hostname) {
    return { error: 'must name a host in its normalized form' };
  }
  if (scheme === 'https') return { kind: 'web' };
  if (loopbackHosts.has(host)) return { kind: 'loopback' };
  return { error: 'may use http with 127.0.0.1, [::1] or localhost only: use https for any other host' };
}

function inspectAppUri(uri: string, scheme: string): { kind: RedirectKind } | { error: string } {
  if (foreignSchemes.some((family) => family.test(scheme))) {
    return { error: `must not use the ${scheme} URI scheme` };
  }
  const rest = uri.slice(scheme.length + 1);
  if (!rest.startsWith('/')) {
    return { error: `must have a path after a private-use scheme, such as ${scheme}:/callback` };
  }
  const authority = /^\/\/([^/?]*)/.exec(rest)?.[1] ?? '';
  if (authority.includes('@')) return { error: 'must not contain a user name or password' };
  if (URL.parse(uri) === null) return { error: 'must be valid URIs' };
  return { kind: 'app' };
}

/** Returns whether a client can register `uri`, and it names the user's machine. */
export function isLoopbackRedirect(uri: string): boolean {
  const inspected = inspectRedirectUri(uri);
  return 'kind' in inspected && inspected.kind === 'loopback';
}

/**
 * Returns whether `requested` is one of the registered redirect URIs. The comparison is exact (RFC 9700 section 2.1),
 * except for the port of a loopback address, which the operating system assigns when an app starts (RFC 8252 section
 * 7.3).
 */
export function isRegisteredRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

function withoutLoopbackPort(uri: string): string | undefined {
  const [, host, port = '', rest] = loopbackUri.exec(uri) ?? [];
  if (host === undefined || rest === undefined || Number(port) > 65_535) return undefined;
  return `http://${host}${rest}`;
}

const loopbackUri = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:[/?].*)?)$/;
