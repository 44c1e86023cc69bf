import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

type FieldsOrBody = Readonly<Record<string, string>> | string;
type Headers = Readonly<Record<string, string>>;

/** An in-process client that behaves like a browser: it keeps cookies and submits the forms of a page. */
export interface PageVisitor {
  readonly cookies: Map<string, string>;
  get(url: string, headers?: Headers): Promise<LightMyRequestResponse>;
  /** Submits fields with the headers of a same-origin form. */
  post(url: string, fields: FieldsOrBody, headers?: Headers): Promise<LightMyRequestResponse>;
  /**
   * Submits the form of a page with these fields; `undefined` omits a field. `action` selects one of several forms.
   */
  submit(
    page: LightMyRequestResponse,
    fields?: Readonly<Record<string, string | undefined>>,
    action?: string,
  ): Promise<LightMyRequestResponse>;
}

/** Headers that browsers send with a form of a page without referrer. */
export const ownForm: Headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };

export function pageVisitor(server: FastifyInstance): PageVisitor {
  const cookies = new Map<string, string>();

  async function send(
    method: 'GET' | 'POST',
    url: string,
    headers: Headers,
    payload?: string,
  ): Promise<LightMyRequestResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await server.inject({
      method,
      url,
      headers: { ...(cookie !== '' && { cookie }), ...headers },
      ...(payload !== undefined && { payload }),
    });
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0 || value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  const post: PageVisitor['post'] = (url, fields, headers = ownForm) =>
    send(
      'POST',
      url,
      { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    );

  return {
    cookies,
    get: (url, headers = {}) => send('GET', url, headers),
    post,
    submit(page, fields = {}, wanted) {
      const form = formOf(page.body, wanted);
      const filled = Object.entries({ ...form.fields, ...fields }).filter(([, value]) => value !== undefined);
      return post(form.action, Object.fromEntries(filled) as Record<string, string>);
    },
  };
}

/** Returns action and hidden fields of a POST form in a page. The sign-out form of the page header is used last. */
export function formOf(html: string, wanted?: string): { action: string; fields: Record<string, string> } {
  const forms = [...html.matchAll(/<form\b(?=[^>]*method="post")[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
    .map(([, action = '', content = '']) => ({ action: unescaped(action), content }))
    .toSorted((a, b) => Number(a.action === '/.auth/sign-out') - Number(b.action === '/.auth/sign-out'));
  const form = forms.find(({ action }) => wanted === undefined || action === wanted);
  if (form === undefined) throw new Error(`the page has no such form: ${html}`);
  const hidden = form.content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return {
    action: form.action,
    fields: Object.fromEntries(
      [...hidden].map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
    ),
  };
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
