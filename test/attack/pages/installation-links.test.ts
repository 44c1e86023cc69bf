import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import { requireGithost } from '../../../src/features/githosts/githost-store.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import { installUrlOf } from '../../../src/features/githosts/install-githost.ts';
import { listAudit } from '../../../src/features/identity/audit/audit-store.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { type Githost, startGithost } from '../../standins/githost/githost.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { testGithosts } from '../../support/git/test-githosts.ts';
import { openTestKeyring, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../support/http/pages.ts';

const setup = '/api/v1/integrations/githost/setup';
const actor = { kind: 'host' } as const;
const { signal } = new AbortController();

describe('a link that installs the App of a Git host', () => {
  let host: Githost;
  let database: TestDatabase;
  let githosts: GithostsDeps;
  let http: TestHttp;
  let attacker: OrgScope;
  let id: string;
  let now: number;

  beforeEach(async () => {
    host = await startGithost({ flavour: 'github' });
    const { app, privateKey } = host.addApp({ setupUrl: `${publicOrigin}${setup}` });
    database = await openTestDatabase('sqlite');
    now = Date.now();
    const settings = { url: host.origin, apiUrl: host.apiUrl, appId: String(app.id), privateKey };
    githosts = testGithosts(database, await openTestKeyring(database), {
      operatorOrigins: [host.origin],
      deployment: { kind: 'github', settings },
      clock: () => now,
    });
    http = await openTestPages(database, { githosts });
    attacker = await seedOrganization(database, 'evil');
    id = (await add(attacker)).id;
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
    await host.close();
  });

  const add = (scope: OrgScope) =>
    addGithost(githosts, scope, actor, { kind: 'github', name: 'app', fields: {} }, signal);
  const connection = (scope = attacker, of = id) => requireGithost(database.queries, scope, of);
  const actions = async (scope = attacker) =>
    (await listAudit(database.queries, scope, { limit: 50 })).items.map(({ action }) => action);
  const link = (scope = attacker, of = id) => installUrlOf(githosts, scope, actor, of, signal);

  /** Follows a link as a person who installs the App in the account `login`; returns the path of the redirect. */
  async function follow(url: string, login = 'victim-org'): Promise<string> {
    host.installer = login;
    const { headers } = await fetch(url, { redirect: 'manual' });
    return (headers.get('location') ?? '').slice(publicOrigin.length);
  }

  async function signedIn(email: string): Promise<PageVisitor> {
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    return visitor;
  }

  it('claims an installation of an own App that was made before the link', async () => {
    const { app, privateKey } = host.addApp();
    const installed = host.install(app, 'own-org');
    installed.updatedAt = Date.now() - 3_600_000;
    const fields = { url: host.origin, appId: String(app.id), privateKey };
    const own = await addGithost(githosts, attacker, actor, { kind: 'github', name: 'own', fields }, signal);
    const state = new URL(await link(attacker, own.id)).searchParams.get('state') ?? '';
    const visitor = pageVisitor(http.server);
    const page = await visitor.get(`${setup}?installation_id=${installed.id}&state=${state}`);
    expect(page.body).toContain('Give organization evil access to account own-org?');
    await visitor.submit(page, { decision: 'allow' });
    expect(await connection(attacker, own.id)).toMatchObject({ state: 'connected' });
  });

  it('that GitHub leaves out after an update only has an installation that is connected read again', async () => {
    const redirect = await follow(await link());
    const victim = pageVisitor(http.server);
    const jobs = () => database.queries.selectFrom('jobs').select(['task', 'key']).execute();
    const installation = new URL(redirect, publicOrigin).searchParams.get('installation_id') ?? '';
    const update = (of: string) => victim.get(`${setup}?installation_id=${of}&setup_action=update`);
    const texts: string[] = [];
    for (const of of [installation, '999999', "1' or '1'='1"]) {
      const page = await update(of);
      expect(page.statusCode).toBe(200);
      texts.push(page.body);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).not.toContain('victim-org');
    expect(await jobs()).toEqual([]);
    expect(await connection()).toMatchObject({ state: 'pending', account: undefined });
    await victim.submit(await victim.get(redirect), { decision: 'allow' });
    await database.queries.deleteFrom('jobs').execute();
    expect((await update(installation)).body).toBe(texts[0]);
    expect(await jobs()).toEqual([{ task: 'githost-check', key: id }]);
    expect((await victim.get(`${setup}?installation_id=${installation}`)).statusCode).toBe(400);
  });

  it('that somebody sent asks who gets access to what, as often as it is opened, and claims nothing', async () => {
    const redirect = await follow(await link());
    const victim = pageVisitor(http.server);
    for (const visitor of [victim, victim, pageVisitor(http.server)]) {
      const page = await visitor.get(redirect);
      expect(page.statusCode).toBe(200);
      expect(page.body).toContain('Give organization evil access to account victim-org?');
      expect(page.body).toMatch(/<button[^>]*name="decision"[^>]*value="allow"/);
      expect(page.body).toMatch(/<button[^>]*name="decision"[^>]*value="deny"/);
    }
    expect(await connection()).toMatchObject({ state: 'pending', account: undefined });
    expect(await actions()).not.toContain('githost.installed');
  });

  it('gives access after the person allowed it, once', async () => {
    const redirect = await follow(await link());
    const victim = pageVisitor(http.server);
    const page = await victim.get(redirect);
    expect((await victim.submit(page, { decision: 'maybe' })).statusCode).toBe(400);
    const allowed = await victim.submit(page, { decision: 'allow' });
    expect([allowed.statusCode, allowed.body]).toEqual([
      200,
      expect.stringContaining('You can close this window.<'),
    ]);
    expect(await connection()).toMatchObject({ state: 'connected', account: { name: 'victim-org' } });
    expect(await actions()).toContain('githost.installed');
    expect((await victim.submit(page, { decision: 'allow' })).statusCode).toBe(400);
    expect((await victim.get(redirect)).statusCode).toBe(400);
  });

  it('gives no access after the person denied it, and is spent', async () => {
    const redirect = await follow(await link());
    const victim = pageVisitor(http.server);
    const page = await victim.get(redirect);
    expect((await victim.submit(page, { decision: 'deny' })).statusCode).toBe(200);
    expect((await victim.submit(page, { decision: 'allow' })).statusCode).toBe(400);
    expect((await victim.get(redirect)).statusCode).toBe(400);
    expect(await connection()).toMatchObject({ state: 'pending', account: undefined });
    expect(await actions()).toContain('githost.install-denied');
  });

  it('takes a decision only from its own form, in the same browser, about the same installation', async () => {
    const redirect = await follow(await link());
    const other = host.install([...host.model.apps.values()][0] as never, 'other-org');
    const victim = pageVisitor(http.server);
    const page = await victim.get(redirect);
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
    const decision = { decision: 'allow', csrf };
    const elsewhere = redirect.replace(/installation_id=\d+/, `installation_id=${other.id}`);
    const refused = [
      await victim.post(redirect, decision, {
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      }),
      await victim.post(redirect, { decision: 'allow' }),
      await victim.post(elsewhere, decision),
      await pageVisitor(http.server).post(redirect, decision),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403]);
    expect(await connection()).toMatchObject({ state: 'pending' });
    expect((await victim.submit(page, { decision: 'allow' })).statusCode).toBe(200);
  });

  it('asks about one installation only, and names the account of no other', async () => {
    const redirect = await follow(await link());
    const other = host.install([...host.model.apps.values()][0] as never, 'other-org');
    const page = await pageVisitor(http.server).get(redirect);
    expect(page.body).toContain('victim-org');
    const elsewhere = redirect.replace(/installation_id=\d+/, `installation_id=${other.id}`);
    const refused = await pageVisitor(http.server).get(elsewhere);
    expect([refused.statusCode, refused.body]).toEqual([409, expect.not.stringContaining('other-org')]);
    expect(refused.body).toContain('Ask for a new link');
    expect(await actions()).toContain('githost.install-refused');
    const victim = pageVisitor(http.server);
    const again = await victim.get(redirect);
    expect((await victim.submit(again, { decision: 'allow' })).statusCode).toBe(200);
  });

  it('is refused after 10 minutes, also between the question and the decision', async () => {
    const redirect = await follow(await link());
    const victim = pageVisitor(http.server);
    const page = await victim.get(redirect);
    now += 10 * 60_000 + 1;
    expect((await victim.submit(page, { decision: 'allow' })).statusCode).toBe(400);
    expect((await victim.get(redirect)).statusCode).toBe(400);
  });

  it('tells the account of no installation that its organization could not claim, and counts the tries', async () => {
    const initech = await seedOrganization(database, 'initech');
    const ours = await add(initech);
    const [redirect, guessing] = [
      await follow(await link(initech, ours.id), 'acme-org'),
      await follow(await link(), 'evil-org'),
    ];
    const visitor = pageVisitor(http.server);
    const page = await visitor.get(redirect);
    const [claimed] = /installation_id=\d+/.exec(redirect) ?? [''];
    const guess = guessing.replace(/installation_id=\d+/, claimed);
    // While a person decides, nobody else can claim the installation or read its account.
    const refused = await pageVisitor(http.server).get(guess);
    expect([refused.statusCode, refused.body]).toEqual([409, expect.not.stringContaining('acme-org')]);
    expect(await actions()).toContain('githost.install-refused');
    expect((await visitor.submit(page, { decision: 'allow' })).statusCode).toBe(200);
    for (let tries = 0; tries < 9; tries += 1) await pageVisitor(http.server).get(guess);
    expect((await pageVisitor(http.server).get(guessing)).statusCode).toBe(429);
  });

  it('that a page issued works in the same browser session only', async () => {
    for (const name of ['ada', 'eve'])
      await openPerson(database, `${name}@example.com`, [{ orgSlug: 'evil', role: 'admin' }]);
    const [ada, again, eve] = [
      await signedIn('ada@example.com'),
      await signedIn('ada@example.com'),
      await signedIn('eve@example.com'),
    ];
    const hosts = '/app/evil/settings/git-hosts';
    const button = `${hosts}/${id}/install`;
    const sent = await ada.submit(await ada.get(hosts), {}, button);
    const redirect = await follow(sent.headers.location ?? '');
    for (const other of [again, eve, pageVisitor(http.server)]) {
      expect((await other.get(redirect)).statusCode).toBe(400);
    }
    const done = await ada.get(redirect);
    expect([done.statusCode, done.headers.location]).toEqual([303, hosts]);
    expect(await connection()).toMatchObject({ state: 'connected', account: { name: 'victim-org' } });
    expect((await ada.get(redirect)).statusCode).toBe(400);
  });
});
