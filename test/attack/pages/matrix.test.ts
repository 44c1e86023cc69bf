import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/features/identity/access/principal.ts';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { UserId } from '../../../src/foundation/kernel/ids.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeRoutes } from '../../../src/surfaces/http/route-table.ts';
import type { AppPage } from '../../../src/surfaces/pages/app/app-page.ts';
import { formPurpose } from '../../../src/surfaces/pages/app/form-purpose.ts';
import { appPages } from '../../../src/surfaces/pages/app/page-list.ts';
import { formTokens } from '../../../src/surfaces/pages/kit/requests/form-tokens.ts';
import { signInPurpose } from '../../../src/surfaces/pages/sign-in/sign-in-page.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { ownForm } from '../../support/http/page-visitor.ts';
import { testAuthSecret } from '../../support/identity/authorization-server.ts';
import { password } from '../../support/identity/oauth-http.ts';
import {
  openTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/open-two-organizations.ts';
import { leaksOf, rowsOf, unknownLike } from '../../support/identity/organization-matrix.ts';
import { nameOfPage, type PageRow, pagePath, pageRows } from '../../support/identity/page-matrix.ts';
import { passwordHash } from '../../support/identity/password-hash.ts';
import { seedVisitor } from '../../support/identity/two-organizations.ts';

const rank: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };
const nowhere = 'nowhere';

/** Returns whether a form removes what other forms need. */
function removes({ path }: AppPage): boolean {
  return /\/(?:remove|revoke|withdraw|delete)$/.test(path);
}

/** Returns a page without what differs in each answer: the request id, tokens and what the request names. */
function observable(
  { statusCode, headers, body }: LightMyRequestResponse,
  requested: readonly string[],
): string {
  const text = JSON.stringify([statusCode, headers['content-type'], headers.location, body])
    .replaceAll(/<code>[\da-f-]{36}<\/code>/g, '')
    .replaceAll(/name=\\"csrf\\" value=\\"[^"]*\\"/g, '');
  return requested.reduce((rest, one) => rest.replaceAll(one, '<requested>'), text);
}

describe('the pages of an organization', () => {
  let world: TwoOrganizations;
  const sessions: Partial<Record<Role | 'stranger', string>> = {};

  async function sessionOf(userId: UserId): Promise<string> {
    const { token } = await createSession(world.database.queries, { userId }, systemClock);
    return token;
  }

  beforeAll(async () => {
    world = await openTwoOrganizations(await openTestDatabase('sqlite'));
    for (const role of ['member', 'admin'] as const) {
      const { userId } = await seedVisitor(world.database, `page-${role}`, { [world.own.slug]: role });
      sessions[role] = await sessionOf(userId);
    }
    sessions.owner = await sessionOf(world.own.owner);
  });
  afterAll(() => world?.close());

  /** Sends a request with a session. `csrf` is the token of a form. */
  function send(
    page: AppPage,
    path: string,
    { session, csrf }: { readonly session?: string | undefined; readonly csrf?: string } = {},
  ): Promise<LightMyRequestResponse> {
    const { query, fields = {} } = rowOf(page);
    const cookies = [
      `orgctx_form=${formKey}`,
      ...(session === undefined ? [] : [`orgctx_session=${session}`]),
    ];
    const isPost = page.method === 'POST';
    return world.server.inject({
      method: page.method,
      url: query === undefined || isPost ? path : `${path}?${query}`,
      headers: {
        cookie: cookies.join('; '),
        accept: 'text/html',
        ...(isPost && { ...ownForm, 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(isPost && { payload: new URLSearchParams({ ...fields, csrf: csrf ?? '' }).toString() }),
    });
  }

  /** Returns the token of the owner's form that is sent to `path`. */
  function tokenFor(path: string): string {
    const session = { userId: world.own.owner, hash: '', email: '' };
    return tokens.issue({ formKey, session }, formPurpose(path));
  }

  const rowOf = (page: AppPage): PageRow => pageRows[nameOfPage(page)] ?? {};
  const idOf = (page: AppPage, which: 'own' | 'foreign'): string =>
    world[which].names[rowOf(page).names ?? 'repository'];

  it('are exactly those of the list, and the matrix has a row for each', () => {
    const served = describeRoutes(world.server)
      .filter(({ path, method }) => path.startsWith('/app/') && !['HEAD', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path.replace('/app/:orgSlug', '')}`);
    expect(served.toSorted()).toEqual(appPages.map(nameOfPage).toSorted());
    expect(Object.keys(pageRows).toSorted()).toEqual(served.toSorted());
  });

  it.each(appPages.map((page) => [nameOfPage(page), page] as const))(
    '%s needs a session',
    async (_, page) => {
      const path = pagePath(page, world.own.slug, idOf(page, 'own'));
      for (const session of [undefined, 'x'.repeat(43)]) {
        const answer = await send(page, path, { session });
        if (page.method === 'POST')
          expect([answer.statusCode, answer.body]).toEqual([401, expect.stringContaining('Sign in')]);
        else
          expect([answer.statusCode, answer.headers.location]).toEqual([
            303,
            expect.stringContaining('/.auth/sign-in?'),
          ]);
        expect(leaksOf(world.own, answer, [path, encodeURIComponent(path), idOf(page, 'own')])).toEqual([]);
      }
      const withKey = await world.send(world.own.apiKey, { method: page.method, url: path });
      expect([401, 303, 403, 415]).toContain(withKey.statusCode);
    },
  );

  it.each(appPages.map((page) => [nameOfPage(page), page] as const))(
    '%s answers 404 for a foreign organization like for an unknown one',
    async (_, page) => {
      const before = await rowsOf(world.database, world.foreign);
      const answers = new Set<string>();
      for (const slug of [world.foreign.slug, nowhere]) {
        for (const id of [idOf(page, 'own'), idOf(page, 'foreign')]) {
          const path = pagePath(page, slug, id);
          const answer = await send(page, path, { session: sessions.owner, csrf: 'x' });
          expect(leaksOf(world.foreign, answer, [slug, id])).toEqual([]);
          answers.add(observable(answer, [slug, id]));
        }
      }
      expect([...answers]).toEqual([expect.stringMatching(/^\[404,/)]);
      expect(await rowsOf(world.database, world.foreign)).toEqual(before);
    },
  );

  it.each(appPages.map((page) => [nameOfPage(page), page] as const))(
    '%s admits exactly the roles that the list names, and refuses a form without its token',
    async (_, page) => {
      const path = pagePath(page, world.own.slug, idOf(page, 'own'));
      for (const role of ['member', 'admin', 'owner'] as const) {
        const answer = await send(page, path, { session: sessions[role] });
        const may = rank[role] >= rank[page.role];
        const { ofOwner = false, status = 200 } = rowOf(page);
        const ofAnother = ofOwner && role !== 'owner';
        const allowed = page.method === 'POST' ? 403 : ofAnother ? 404 : status;
        expect([role, answer.statusCode]).toEqual([role, may ? allowed : 403]);
        expect(answer.body.includes('This needs the role')).toBe(!may);
        if (may && page.method === 'POST') expect(answer.body).toContain('This form has expired');
        expect(leaksOf(world.foreign, answer, [])).toEqual([]);
      }
    },
  );

  it.each(
    appPages
      .filter((page) => pageRows[nameOfPage(page)]?.names !== undefined && page.method === 'GET')
      .map((page) => [nameOfPage(page), page] as const),
  )('%s answers 404 for what another organization has like for what nobody has', async (_, page) => {
    const foreign = idOf(page, 'foreign');
    const answers = new Set<string>();
    for (const id of [foreign, unknownLike(foreign)]) {
      const answer = await send(page, pagePath(page, world.own.slug, id), { session: sessions.owner });
      expect(leaksOf(world.foreign, answer, [id])).toEqual([]);
      answers.add(observable(answer, [id, encodeURIComponent(id)]));
    }
    expect([...answers]).toEqual([expect.stringMatching(/^\[404,/)]);
  });

  it.each(
    appPages
      .filter(({ method }) => method === 'POST')
      .toSorted((a, b) => Number(removes(a)) - Number(removes(b)))
      .map((page) => [nameOfPage(page), page] as const),
  )('%s accepts its form, but only of the person and for what the organization has', async (_, page) => {
    const own = pagePath(page, world.own.slug, idOf(page, 'own'));
    const before = await rowsOf(world.database, world.foreign);
    if (rowOf(page).names !== undefined) {
      const foreign = pagePath(page, world.own.slug, idOf(page, 'foreign'));
      const refused = await send(page, foreign, { session: sessions.owner, csrf: tokenFor(foreign) });
      expect([refused.statusCode, refused.body]).toEqual([404, refused.body]);
      expect(leaksOf(world.foreign, refused, [idOf(page, 'foreign')])).toEqual([]);
    }
    const csrf = tokenFor(own);
    expect((await send(page, own, { session: sessions.member, csrf })).statusCode).toBe(403);
    const answer = await send(page, own, { session: sessions.owner, csrf });
    expect([answer.statusCode, answer.body]).toEqual([rowOf(page).status ?? 303, answer.body]);
    expect(await rowsOf(world.database, world.foreign)).toEqual(before);
  });

  it('keeps no form that another site sent without a session', async () => {
    const answer = await world.server.inject({
      method: 'POST',
      url: `/app/${world.own.slug}/repositories/add`,
      headers: {
        cookie: `orgctx_form=${formKey}`,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'source=https://evil.example/kept.git',
    });
    expect([answer.statusCode, answer.body]).toEqual([403, expect.not.stringContaining('kept.git')]);
  });

  it('offers no entry to send whose action or token is not of this service and person', async () => {
    const email = 'page-admin@example.com';
    await world.database.queries
      .updateTable('users')
      .set({ password_hash: passwordHash(password) })
      .where('email', '=', email)
      .execute();
    const csrf = tokens.issue({ formKey, session: undefined }, signInPurpose);
    for (const [action, token] of [
      ['https://evil.example/', 'x'],
      ['//evil.example/', 'x'],
      [`/app/${world.own.slug}/repositories/add`, 'x'],
      [`/app/${world.own.slug}/repositories/add`, csrf],
    ]) {
      const entry = JSON.stringify({ action, body: `source=kept&csrf=${token}` });
      const fields = {
        email,
        password,
        csrf,
        returnTo: '/',
        entry: Buffer.from(entry).toString('base64url'),
      };
      const answer = await world.server.inject({
        method: 'POST',
        url: '/.auth/sign-in',
        headers: {
          ...ownForm,
          cookie: `orgctx_form=${formKey}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams(fields).toString(),
      });
      expect([action, answer.statusCode, answer.headers.location]).toEqual([action, 303, '/']);
    }
  });
});

const formKey = 'f'.repeat(43);
const tokens = formTokens(createSealer(testAuthSecret, 'orgctx/forms/v1'));
