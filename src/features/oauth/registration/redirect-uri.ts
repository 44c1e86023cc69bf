/** `web` is https, `loopback` http to this very machine (RFC 8252 section 7.3), `app` a private-use scheme (7.1). */
export type RedirectKind = 'web' | 'loopback' | 'app';

const maxLength = 2_048;

/** What a URI may be written with (RFC 3986 section 2), without the `*` that some take for a wildcard. */
const uriText = /^[\w\-.~:/?#[\]@!$&'()+,;=%]*$/;

/**
 * Schemes of the system, of browsers and of well-known programs, by what they are for: none is an app that waits for its
 * answer, and some do something at once that a link should not. Schemes of tools (`cursor`, `vscode`, `claude`, a domain
 * backwards) are endless, so this names what is refused; it need not be complete, since nothing is sent to a scheme
 * before a person has clicked on Allow.
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
  // All that a maker of systems kept for itself: `ms-msdt:` was CVE-2022-30190, `x-man-page:` opens a terminal.
  system: /^(?:microsoft-.*|ms-.*|x-.*|android.*|app-settings|prefs|settings)$/,
});

/** Names of this machine, as a redirect URI must write them. */
const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Judges one redirect URI that a client wants to register. A fault continues "redirect_uris …". What passes can be
 * put into a `Location` header, and its origin or scheme into a policy of pages, as it is.
 */
export function inspectRedirectUri(uri: string): { kind: RedirectKind } | { fault: string } {
  if (uri.length > maxLength) return { fault: `must not be longer than ${maxLength} characters each` };
  if (!uriText.test(uri)) {
    return { fault: 'must be plain URIs: no spaces, control characters, wildcards or unencoded letters' };
  }
  if (uri.includes('#')) return { fault: 'must not contain fragments' };
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(uri)?.[0].toLowerCase();
  if (scheme === undefined) return { fault: 'must be absolute URIs, such as http://127.0.0.1/callback' };
  return scheme === 'http' || scheme === 'https' ? inspectWebUri(uri, scheme) : inspectAppUri(uri, scheme);
}

/**
 * The host must stand there just as a browser will read it: not `127.1`, not `[::ffff:7f00:1]`, and none of the
 * characters that end a directive of a policy.
 */
function inspectWebUri(uri: string, scheme: 'http' | 'https'): { kind: RedirectKind } | { fault: string } {
  const url = URL.parse(uri);
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1] ?? '';
  const host = /^([a-z0-9_.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.exec(authority)?.[1]?.toLowerCase();
  if (authority.includes('@')) return { fault: 'must not contain a user name or password' };
  if (url === null || host === undefined || host !== url.hostname) {
    return { fault: 'must name a host in its usual form' };
  }
  if (scheme === 'https') return { kind: 'web' };
  if (loopbackHosts.has(host)) return { kind: 'loopback' };
  return { fault: 'may use http with 127.0.0.1, [::1] or localhost only: use https for any other host' };
}

function inspectAppUri(uri: string, scheme: string): { kind: RedirectKind } | { fault: string } {
  if (foreignSchemes.some((family) => family.test(scheme))) {
    return { fault: `must not use the ${scheme} URI scheme` };
  }
  const rest = uri.slice(scheme.length + 1);
  if (!rest.startsWith('/')) {
    return { fault: `must have a path after a private-use scheme, such as ${scheme}:/callback` };
  }
  const authority = /^\/\/([^/?]*)/.exec(rest)?.[1] ?? '';
  if (authority.includes('@')) return { fault: 'must not contain a user name or password' };
  if (URL.parse(uri) === null) return { fault: 'must be valid URIs' };
  return { kind: 'app' };
}

/**
 * Whether a client that registered `registered` may have its answer sent to `asked`: to the letter (RFC 9700 section
 * 2.1), but for the port of a loopback address, which an app gets from its system when it starts (RFC 8252 section 7.3).
 */
export function isRegisteredRedirect(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  const portless = withoutLoopbackPort(asked);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

function withoutLoopbackPort(uri: string): string | undefined {
  const [, host, port = '', rest] = loopbackUri.exec(uri) ?? [];
  if (host === undefined || rest === undefined || Number(port) > 65_535) return undefined;
  return `http://${host}${rest}`;
}

const loopbackUri = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:[/?].*)?)$/;
