/** `web` is https, `loopback` http to this very machine (RFC 8252 section 7.3), `app` a private-use scheme (7.1). */
export type RedirectKind = 'web' | 'loopback' | 'app';

const maxLength = 2_048;

/** What a URI may be written with (RFC 3986 section 2), without the `*` that some take for a wildcard. */
const uriText = /^[\w\-.~:/?#[\]@!$&'()+,;=%]*$/;

/**
 * Schemes that run code, read files, start programs of the system or mean another protocol: none is an app that waits
 * for its answer. All of Microsoft's begin with `ms-` (`ms-msdt:` was CVE-2022-30190).
 */
const foreignSchemes = new Set(
  `about android-app blob brave chrome chrome-extension cid content data dav edge feed file filesystem ftp ftps git
  gopher hcp http https imap intent irc itms itms-apps jar javascript ldap ldaps livescript magnet mailto mhtml mid mocha
  moz-extension news nfs nntp opera pop res resource rlogin rsync rtsp search search-ms sftp shell sip sips sms smb ssh
  svn tel telnet urn vbscript view-source vnc vscode-webview ws wss wyciwyg`.split(/\s+/),
);

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
  if (foreignSchemes.has(scheme) || scheme.startsWith('ms-')) {
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
