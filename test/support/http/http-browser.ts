import { formOf } from './page-visitor.ts';

export interface BrowserPage {
  readonly status: number;
  /** Current address, after redirects within the service. */
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
  /** Redirect target outside the service: the client's redirect URI with the response parameters. */
  readonly left: URL | undefined;
}

/** An HTTP client that behaves like a browser: it keeps cookies by path, follows redirects and submits forms. */
export interface HttpBrowser {
  open(url: string): Promise<BrowserPage>;
  submit(page: BrowserPage, fields: Readonly<Record<string, string | undefined>>): Promise<BrowserPage>;
  /** Sends one request with the cookies; follows no redirect. */
  send(url: string, init?: RequestInit): Promise<Response>;
  /** Returns a browser with a copy of the cookies, so that responses to this one do not change what it sends. */
  fork(): HttpBrowser;
  /** Deletes all cookies. */
  forget(): void;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** @param baseUrl of the service */
export function httpBrowser(baseUrl: string, jar = new Map<string, Cookie>()): HttpBrowser {
  const send: HttpBrowser['send'] = async (url, init = {}) => {
    const target = new URL(url, baseUrl);
    const headers = new Headers(init.headers);
    const cookies = [...jar].filter(([, { path }]) => isBelow(target.pathname, path));
    if (cookies.length > 0) {
      headers.set('cookie', cookies.map(([key, { value }]) => `${nameOf(key)}=${value}`).join('; '));
    }
    const answer = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) keep(jar, line, target.pathname);
    return answer;
  };

  async function followRedirects(answer: Response, from: string): Promise<BrowserPage> {
    let current = answer;
    let url = new URL(from, baseUrl).href;
    for (let hop = 0; hop < 10; hop += 1) {
      const location = current.headers.get('location');
      if (location === null) break;
      const next = new URL(location, url);
      await current.body?.cancel();
      const { status, headers } = current;
      if (next.origin !== new URL(baseUrl).origin) return { status, url, html: '', headers, left: next };
      url = next.href;
      current = await send(url);
    }
    return {
      status: current.status,
      url,
      html: await current.text(),
      headers: current.headers,
      left: undefined,
    };
  }

  return {
    send,
    async open(url) {
      return followRedirects(await send(url), url);
    },
    async submit(page, fields) {
      const form = formOf(page.html);
      const filled = Object.entries({ ...form.fields, ...fields }).filter(([, value]) => value !== undefined);
      const action = new URL(form.action, page.url).href;
      const answer = await send(action, {
        method: 'POST',
        // Headers that browsers send with a form of a page without referrer.
        headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(filled as [string, string][]),
      });
      return followRedirects(answer, action);
    },
    forget: () => jar.clear(),
    fork: () => httpBrowser(baseUrl, new Map(jar)),
  };
}

/** Stores a cookie by path and name, because several paths may have a cookie of the same name. */
function keep(jar: Map<string, Cookie>, line: string, requestPath: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  const parsed = new Map(
    attributes.map((each) => {
      const [attribute = '', text = ''] = each.split('=', 2);
      return [attribute.toLowerCase(), text] as const;
    }),
  );
  const path = parsed.get('path') ?? requestPath.slice(0, requestPath.lastIndexOf('/') || 1);
  const expires = parsed.get('expires');
  const isExpired =
    parsed.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
  const key = `${path}\n${name}`;
  if (isExpired) jar.delete(key);
  else jar.set(key, { value, path });
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('\n') + 1);
}

/** Matches a cookie path (RFC 6265 section 5.1.4). */
function isBelow(requestPath: string, path: string): boolean {
  return (
    requestPath === path ||
    (requestPath.startsWith(path) && (path.endsWith('/') || requestPath[path.length] === '/'))
  );
}
