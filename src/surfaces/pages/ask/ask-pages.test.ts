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

  const ask = async (prompt: string) => visitor.submit(await visitor.get(path), { prompt }, path);

  it('answers with sources, each of which opens the cited lines', async () => {
    const { statusCode, body } = await ask('Where is renewLease?');
    expect([statusCode, body]).toEqual([200, expect.stringContaining('href="#source-1"')]);
    const source = /<li id="source-1"[^>]*><a href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
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
    const { body } = await ask('What does <script>alert(1)</script> in src/use.ts do?');
    expect(body).not.toContain('<script>alert');
  });
});
