import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../test/support/http-server.ts';
import { createOneTimeLink, oneTimeLinkUrl } from '../../features/identity/one-time-link.ts';

describe('the page of a one-time link', async () => {
  const http = await useTestHttp();

  const linkMade = async (at: number): Promise<string> => {
    const { token } = await createOneTimeLink(http.database.queries, { purpose: 'bootstrap' }, () => at);
    return oneTimeLinkUrl('', token);
  };

  it('says that a link is valid, as often as it is looked at, and which way in works today', async () => {
    const url = await linkMade(Date.now());
    for (let i = 0; i < 2; i++) {
      const answer = await http.server.inject(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      });
      expect(answer.body).toContain('This sign-in link is valid');
      expect(answer.body).toContain('orgctx admin key create');
    }
  });

  it('says that a link has expired', async () => {
    const answer = await http.server.inject(await linkMade(Date.now() - 31 * 60_000));
    expect(answer.statusCode).toBe(410);
    expect(answer.body).toContain('has expired');
  });

  it('says that a link has been used', async () => {
    const url = await linkMade(Date.now() + 1);
    await http.database.queries.updateTable('one_time_links').set({ used_at: Date.now() }).execute();
    const answer = await http.server.inject(url);
    expect(answer.statusCode).toBe(410);
    expect(answer.body).toContain('has been used');
  });

  it.each(['unknown', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '%00', 'a'.repeat(90)])(
    'does not know, nor repeat, %s',
    async (token) => {
      const answer = await http.server.inject(`/.auth/link/${token}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.body).toContain('not a sign-in link');
      expect(answer.body).not.toContain('<script');
    },
  );
});
