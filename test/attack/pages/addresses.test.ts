import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { TestHttp } from '../../support/http/http-server.ts';
import { pageVisitor } from '../../support/http/page-visitor.ts';
import { openTestPages } from '../../support/http/pages.ts';

describe('hostile URLs of pages', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  it.each([
    '/.auth/sign-in?returnTo=a&returnTo=b',
    '/.auth/sign-in?returnTo[]=a',
    '/.auth/sign-in?returnTo[__proto__]=a',
    `/.auth/sign-in?returnTo=/${'a'.repeat(9_000)}`,
    '/.auth/sign-in?returnTo=%00',
    '/.auth/sign-in?returnTo=%ED%A0%80',
    '/.auth/link/%00',
    '/.auth/link/%F0%9F%98%80',
    '/.auth/invitation/%00',
    '/.auth/interaction/%00',
    '/.auth/interaction/..%2f..%2fetc',
    '/.auth/upstream/callback?state=a&state=b&code=%00',
  ])('cause no server error and are not shown as markup: %s', async (path) => {
    const answer = await pageVisitor(http.server).get(path);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.body).not.toContain('<script');
    expect(answer.headers['x-frame-options']).toBe('DENY');
  });
});
