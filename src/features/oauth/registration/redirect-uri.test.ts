import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectRedirectUri, isRegisteredRedirect } from './redirect-uri.ts';

const kindOf = (uri: string) => {
  const decision = inspectRedirectUri(uri);
  return 'kind' in decision ? decision.kind : undefined;
};

describe('a redirect URI', () => {
  it.each([
    ['http://127.0.0.1:33418', 'loopback'],
    ['http://127.0.0.1:33418/', 'loopback'],
    ['http://localhost:8080/oauth/callback?from=cli', 'loopback'],
    ['http://[::1]:1/cb', 'loopback'],
    ['https://vscode.dev/redirect', 'web'],
    ['https://claude.ai/api/mcp/auth_callback', 'web'],
    ['https://localhost:3000/cb', 'web'],
    ['https://xn--bcher-kva.example/cb', 'web'],
    ['cursor://anysphere.cursor-retrieval/oauth/user-abc/callback', 'app'],
    ['com.example.app:/oauth2redirect', 'app'],
    ['vscode://publisher.extension/cb', 'app'],
  ])('that real clients use is accepted: %s', (uri, kind) => {
    expect(kindOf(uri)).toBe(kind);
  });

  it.each([
    ['http beyond this machine', 'http://evil.example/cb', 'may use http with'],
    ['http to another address of the loopback net', 'http://127.0.0.2/cb', 'may use http with'],
    ['http to a name under localhost', 'http://a.localhost/cb', 'may use http with'],
    ['a prefix of a loopback address', 'http://127.0.0.1.evil.example/cb', 'may use http with'],
    ['a shortened loopback address', 'http://127.1/cb', 'normalized form'],
    ['a loopback address as a number', 'http://2130706433/cb', 'normalized form'],
    ['code', 'javascript://x/%0aalert(1)', 'javascript URI scheme'],
    ['code in capitals', 'JavaScript:alert(1)', 'javascript URI scheme'],
    ['data', 'data:text/html,x', 'data URI scheme'],
    ['a file', 'file:///etc/passwd', 'file URI scheme'],
    ['Visual Basic', 'vbscript:/x', 'vbscript URI scheme'],
    ['a blob', 'blob:https://a.example/1', 'blob URI scheme'],
    ['about', 'about:blank', 'about URI scheme'],
    ['a system program', 'ms-msdt:/id', 'ms-msdt URI scheme'],
    ['a wildcard', 'https://*.example.com/cb', 'wildcards'],
    ['a wildcard in the path', 'https://a.example.com/*', 'wildcards'],
    ['a fragment', 'https://a.example.com/cb#x', 'fragments'],
    ['an empty fragment', 'https://a.example.com/cb#', 'fragments'],
    ['a user name', 'https://good.example@evil.example/cb', 'user name'],
    ['an empty user name', 'https://@evil.example/cb', 'user name'],
    ['a user name before an app', 'cursor://good@evil/cb', 'user name'],
    ['a line break', 'https://a.example/cb\r\nSet-Cookie: a=b', 'control characters'],
    ['a tab that browsers skip', 'https://a.exa\tmple/cb', 'control characters'],
    ['a NUL', 'https://a.example/\0', 'control characters'],
    ['a backslash', 'https://good.example\\@evil.example/', 'plain URIs'],
    ['a host that ends a CSP directive', 'https://a;sandbox/cb', 'normalized form'],
    ['a host that starts another CSP source', 'https://a,b.example/cb', 'normalized form'],
    ['three slashes', 'https:///evil.example/cb', 'normalized form'],
    ['no slashes', 'https:evil.example/cb', 'normalized form'],
    ['an impossible port', 'https://a.example:99999/', 'normalized form'],
    ['homoglyphs', 'https://ехample.com/cb', 'plain URIs'],
    ['a path alone', '/cb', 'absolute'],
    ['an empty text', '', 'absolute'],
    ['an app without a path', 'com.example.app:callback', 'must have a path'],
    ['out-of-band', 'urn:ietf:wg:oauth:2.0:oob', 'urn URI scheme'],
    ['more than the maximum length', `https://a.example/${'a'.repeat(2_048)}`, '2048 characters'],
  ])('is refused with %s', (_what, uri, error) => {
    expect(inspectRedirectUri(uri)).toEqual({ error: expect.stringContaining(error) });
  });

  it.each(
    `applescript shortcuts x-man-page x-apple.systempreferences itms-services itms-appss microsoft-edge
    microsoft-edge-holographic ms-settings ms-word search-ms search ssh telnet ftp sftp smb afp nfs ldap rdp vnc dav tel sms
    mailto facetime facetime-audio skype zoommtg zoomus msteams callto sip sips intent android-app content chrome
    chrome-extension edge about view-source jar ws wss help dict feed webcal magnet steam teamviewer10 teamviewerapi
    Applescript X-Man-Page`.split(/\s+/),
  )('is refused with a scheme of the operating system or a known program: %s', (scheme) => {
    expect(inspectRedirectUri(`${scheme}://x/cb`)).toEqual({
      error: `must not use the ${scheme.toLowerCase()} URI scheme`,
    });
  });

  it.each(
    `cursor vscode vscode-insiders vscodium windsurf zed claude warp raycast goose lmstudio com.example.app app.example
    io.github.tool jetbrains msty xcode-tool searchlight settingsync`.split(/\s+/),
  )('is accepted with the scheme of a tool: %s', (scheme) => {
    expect(kindOf(`${scheme}://x/cb`)).toBe('app');
  });

  it('is valid exactly if all its parts are valid', () => {
    fc.assert(fc.property(composed, ({ uri, kind }) => kindOf(uri) === kind));
  });

  it('that is accepted has no other target in a browser and adds no CSP directive', () => {
    fc.assert(
      fc.property(fc.oneof(noise, mutated), (uri) => {
        if (kindOf(uri) === undefined) return;
        const url = new URL(uri);
        expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
        expect(policySource(url)).toMatch(/^(?:https?:\/\/[a-z0-9_.:[\]-]+|[a-z][a-z0-9+.-]*:)$/);
        expect(url.protocol).not.toMatch(/^(?:javascript|data|file|vbscript|blob|about):$/);
        if (url.protocol === 'http:') expect(['127.0.0.1', '[::1]', 'localhost']).toContain(url.hostname);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the redirect URI of an authorization', () => {
  const registered = ['http://127.0.0.1:33418/cb', 'http://localhost/cb?a=b', 'https://vscode.dev/redirect'];

  it.each([
    ['exactly', 'https://vscode.dev/redirect'],
    ['on another port of this machine', 'http://127.0.0.1:50000/cb'],
    ['without a port', 'http://127.0.0.1/cb'],
    ['with a port where none was registered', 'http://localhost:7777/cb?a=b'],
  ])('matches a registered one %s', (_how, requested) => {
    expect(isRegisteredRedirect(requested, registered)).toBe(true);
  });

  it.each([
    ['another name of this machine', 'http://localhost:33418/cb'],
    ['another path', 'http://127.0.0.1:33418/cb/'],
    ['an encoded slash', 'http://127.0.0.1:33418/%63b'],
    ['another case', 'http://127.0.0.1:33418/CB'],
    ['another query', 'http://localhost/cb?a=c'],
    ['an additional query', 'http://127.0.0.1:33418/cb?x'],
    ['a fragment', 'http://127.0.0.1:33418/cb#x'],
    ['https', 'https://127.0.0.1:33418/cb'],
    ['a longer host', 'http://127.0.0.1.evil.example:33418/cb'],
    ['a user name', 'http://127.0.0.1:33418@evil.example/cb'],
    ['a user name before this machine', 'http://evil@127.0.0.1:33418/cb'],
    ['an impossible port', 'http://127.0.0.1:65536/cb'],
    ['an invalid port', 'http://127.0.0.1:1e3/cb'],
    ['a port on another host', 'https://vscode.dev:444/redirect'],
    ['the explicit default port of that host', 'https://vscode.dev:443/redirect'],
    ['a line break', 'http://127.0.0.1:33418/cb\n'],
  ])('does not match with %s', (_what, requested) => {
    expect(isRegisteredRedirect(requested, registered)).toBe(false);
  });
});

/** Returns the source of a content security policy for the URL. */
function policySource(url: URL): string {
  return url.protocol.startsWith('http') && url.origin !== 'null' ? url.origin : url.protocol;
}

/** Parts of URIs, marked as valid or invalid before they are combined. */
const good = <T>(value: T) => ({ value, good: true });
const bad = <T>(value: T) => ({ value, good: false });

const targets = fc.constantFrom(
  { ...good('https://app.example.com'), kind: 'web' },
  { ...good('https://app.example.com:8443'), kind: 'web' },
  { ...good('http://127.0.0.1'), kind: 'loopback' },
  { ...good('http://127.0.0.1:49152'), kind: 'loopback' },
  { ...good('http://[::1]:3'), kind: 'loopback' },
  { ...good('http://localhost:3000'), kind: 'loopback' },
  { ...good('cursor://anysphere'), kind: 'app' },
  { ...good('com.example.app:'), kind: 'app' },
  ...[
    'http://app.example.com',
    'http://192.168.0.1',
    'javascript:',
    'data:',
    'file://',
    'https://u:p@app.example.com',
    'https://app.example.com:',
    'https://*.example.com',
    'https://a b.example.com',
  ].map((value) => ({ ...bad(value), kind: 'none' })),
);
const paths = fc.constantFrom(
  ...['/', '/cb', '/a/b%20c', '/a;b=c,d'].map(good),
  ...['/*', '/ä', '/a b'].map(bad),
);
const queries = fc.constantFrom(
  ...['', '?a=b&c=d', '?u=https://x.example/'].map(good),
  ...['?a=*', '#x', '?a#'].map(bad),
);

const composed = fc.tuple(targets, paths, queries).map(([target, path, query]) => ({
  uri: `${target.value}${path.value}${query.value}`,
  kind: target.good && path.good && query.good ? target.kind : undefined,
}));

const noise = fc.string({
  unit: fc.constantFrom(...Array.from('htps:/127.0localhost[]@#?*\\;,%&= \t\n\0äj'), 'https://', 'http://'),
});
const mutated = fc
  .tuple(
    fc.constantFrom('https://a.example/cb', 'http://127.0.0.1:1/cb', 'app://x/cb'),
    fc.nat(20),
    fc.string({ maxLength: 3 }),
  )
  .map(([uri, at, insert]) => `${uri.slice(0, at)}${insert}${uri.slice(at)}`);
