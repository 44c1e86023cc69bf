import { formOf } from './page-visitor.ts';

export interface BrowserPage {
  readonly status: number;
  /** Where the browser is now, after redirects within the service. */
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
  /** Where it was sent beyond the service: the client's redirect URI with the answer. */
  readonly left: URL | undefined;
}

/** A browser over real HTTP without a window: it keeps cookies by path, follows redirects and sends forms. */
export interface HttpBrowser {
  open(url: string): Promise<BrowserPage>;
  submit(page: BrowserPage, fields: Readonly<Record<string, string | undefined>>): Promise<BrowserPage>;
  /** One request as it stands, with this browser's cookies; no redirect is followed. */
  send(url: string, init?: RequestInit): Promise<Response>;
  /** Forgets everything. */
  forget(): void;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** @param baseUrl of the service */
export function httpBrowser(baseUrl: string): HttpBrowser {
  const jar = new Map<string, Cookie>();

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

  async function arrive(answer: Response, from: string): Promise<BrowserPage> {
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
      return arrive(await send(url), url);
    },
    async submit(page, fields) {
      const form = formOf(page.html);
      const filled = Object.entries({ ...form.fields, ...fields }).filter(([, value]) => value !== undefined);
      const action = new URL(form.action, page.url).href;
      const answer = await send(action, {
        method: 'POST',
        // What browsers send with a form of a page without referrer.
        headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(filled as [string, string][]),
      });
      return arrive(answer, action);
    },
    forget: () => jar.clear(),
  };
}

/** Cookies of one name may stand at several paths. */
function keep(jar: Map<string, Cookie>, line: string, requestPath: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  const given = new Map(
    attributes.map((each) => {
      const [attribute = '', text = ''] = each.split('=', 2);
      return [attribute.toLowerCase(), text] as const;
    }),
  );
  const path = given.get('path') ?? requestPath.slice(0, requestPath.lastIndexOf('/') || 1);
  const expires = given.get('expires');
  const over = given.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
  const key = `${path}\n${name}`;
  if (over) jar.delete(key);
  else jar.set(key, { value, path });
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('\n') + 1);
}

/** RFC 6265 section 5.1.4. */
function isBelow(requestPath: string, path: string): boolean {
  return (
    requestPath === path ||
    (requestPath.startsWith(path) && (path.endsWith('/') || requestPath[path.length] === '/'))
  );
}
