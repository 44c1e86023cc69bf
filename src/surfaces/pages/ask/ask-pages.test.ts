import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OrganizationPages,
  openOrganizationPages,
} from '../../../../test/support/http/organization-pages.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { password } from '../../../../test/support/identity/oauth-http.ts';

describe('the page Ask', () => {
  const path = '/app/acme/ask';
  let world: OrganizationPages;
  let visitor: PageVisitor;

  beforeAll(async () => {
    world = await openOrganizationPages();
    visitor = pageVisitor(world.service.server);
    const { email } = world.service.people.ann;
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
  });
  afterAll(() => world?.close());

  const ask = async (prompt: string, at = path) => visitor.submit(await visitor.get(at), { prompt }, at);
  /** Asks in a new conversation; returns the page that the browser is sent to. */
  const threadOf = async (prompt: string) => {
    const { statusCode, headers } = await ask(prompt);
    expect([statusCode, headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/app\/acme\/ask\/[\da-f-]{36}$/),
    ]);
    const address = String(headers.location);
    return { address, page: await visitor.get(address) };
  };

  it('answers with sources, each of which opens the cited lines', async () => {
    const { statusCode, body } = (await threadOf('Where is renewLease?')).page;
    expect([statusCode, body]).toEqual([200, expect.stringContaining('href="#answer-1-source-1"')]);
    const source =
      /<li id="answer-1-source-1"[^>]*><a href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const { pathname, search } = new URL(source);
    const file = await visitor.get(pathname + search);
    expect([file.statusCode, file.body]).toEqual([200, expect.stringContaining('renewLease')]);
  });

  it('keeps a question that it refuses, and says why', async () => {
    const tooLong = `${'why '.repeat(9_000)}?`;
    const refused = await ask(tooLong);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('enter at most 32000 characters');
    expect(refused.body).toContain(tooLong);
    expect((await ask(' ')).body).toContain('Enter a question.');
  });

  it('shows a question and passages as text', async () => {
    const { body } = (await threadOf('What does <script>alert(1)</script> in src/use.ts do?')).page;
    expect(body).not.toContain('<script>alert');
  });

  it('lists the conversations of the person, continues one and deletes it', async () => {
    const { address } = await threadOf('Where is renewLease?');
    const list = await visitor.get(path);
    expect(list.body).toContain(`<a href="${address}"><bdi>Where is renewLease?</bdi></a>`);
    const asked = await ask('and who calls it?', address);
    expect([asked.statusCode, asked.headers.location]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${address}#question-[\\da-f-]{36}$`)),
    ]);
    const { body } = await visitor.get(address);
    const [, anchor = ''] = String(asked.headers.location).split('#');
    expect(body).toContain(`id="${anchor}"`);
    expect(body.indexOf('Where is renewLease?')).toBeLessThan(body.indexOf('and who calls it?'));
    expect(body).toContain('id="answer-2"');
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);

    const refused = await ask(' ', address);
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('Enter a question.')]);

    const confirmation = await visitor.get(`${address}/delete`);
    expect(confirmation.body).toContain('Delete the conversation');
    const deleted = await visitor.submit(confirmation, {}, `${address}/delete`);
    expect([deleted.statusCode, deleted.headers.location]).toEqual([303, path]);
    expect((await visitor.get(address)).statusCode).toBe(404);
    expect((await visitor.get(path)).body).not.toContain(address);
  });
});
