import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { sectionPaths } from '../../../src/surfaces/pages/app/app-page.ts';
import { hasBrowser, type Person, signIn, useBrowser } from '../../support/http/chromium.ts';
import {
  files,
  hostileName,
  type OrganizationPages,
  openOrganizationPages,
} from '../../support/http/organization-pages.ts';
import { expectAccessible, violations } from '../../support/http/violations.ts';
import { password } from '../../support/identity/oauth-http.ts';

/** Maximum size of a page with its stylesheet and script, in bytes. */
const maxWeight = 60 * 1024;

/** Number of sections that an owner sees. */
const sections = Object.keys(sectionPaths).length;

describe.skipIf(!hasBrowser())('the pages of an organization in a browser', () => {
  const browser = useBrowser();
  let world: OrganizationPages;

  beforeAll(async () => {
    world = await openOrganizationPages();
  });
  afterAll(() => world?.close());

  const at = (below: string): string => `${world.service.baseUrl}/app/acme${below}`;
  const cited = (): string => {
    const query = new URLSearchParams({
      path: 'src/lease.ts',
      lines: '301-301',
      commit: world.repository.indexedCommit ?? '',
    });
    return `/repositories/${world.repository.id}/file?${query}#L301`;
  };

  /** Opens a tab with a session of Ann, without the sign-in page, which takes a second for its password. */
  async function withSession(person: Person, below?: string): Promise<Page> {
    const { queries } = world.database;
    const { token } = await createSession(queries, { userId: world.service.people.ann.userId }, systemClock);
    await person.context.addCookies([{ name: 'orgctx_session', value: token, url: world.service.baseUrl }]);
    const page = await person.newPage();
    if (below !== undefined) await page.goto(at(below));
    return page;
  }

  async function signedIn(person: Person, below = ''): Promise<Page> {
    const page = await person.newPage();
    await page.goto(at(below));
    await signIn(page, { email: world.service.people.ann.email, password });
    await page.waitForURL((url) => url.pathname.startsWith('/app/'));
    return page;
  }

  const pages: Readonly<Record<string, () => string>> = {
    home: () => '',
    repositories: () => '/repositories',
    'repositories, filtered to none': () => '/repositories?name=none&state=cloning',
    'add a repository': () => '/repositories/add',
    repository: () => `/repositories/${world.repository.id}`,
    'change a repository': () => `/repositories/${world.repository.id}/edit`,
    'remove a repository': () => `/repositories/${world.repository.id}/remove`,
    folder: () => `/repositories/${world.repository.id}/tree`,
    file: cited,
    'file with dense code': () => `/repositories/${world.repository.id}/file?path=src/dense.ts&lines=300`,
    'file that is gone': () =>
      `/repositories/${world.repository.id}/file?path=src/gone.ts&commit=${'a'.repeat(40)}`,
    search: () => '/search',
    'search with results': () => '/search?q=lease',
    'search without results': () => '/search?q=zzzzzz',
    'search with a wrong query': () => '/search?q=(lease',
    'entities by name': () => '/entities?q=renew',
    entity: () => `/entities/${encodeURIComponent(world.symbol)}`,
    'entity with a hostile name': () => `/entities/${encodeURIComponent('label:c1:hostile')}`,
    'unknown entity': () => '/entities/label:c1:none',
    'connect a client': () => '/connect',
    system: () => '/system',
    ask: () => '/ask',
    connections: () => '/connections',
    'add a connection': () => '/connections/new',
    keys: () => '/settings/keys',
    clients: () => '/settings/clients',
    members: () => '/settings/members',
    invitations: () => '/settings/invitations',
    'Git hosts': () => '/settings/git-hosts',
    'connect a Git host': () => '/settings/git-hosts/add?kind=github',
    audit: () => '/settings/audit',
  };

  it.each(Object.entries(pages))('%s is accessible and small', async (_, path) => {
    const person = await browser.newPerson();
    const page = await withSession(person);
    let weight = 0;
    page.on('response', (response) => {
      void response.body().then(
        (body) => (weight += body.length),
        () => undefined,
      );
    });
    const status = (await page.goto(at(path()), { waitUntil: 'load' }))?.status() ?? 0;
    if (status >= 400) person.expectError(new RegExp(`status of ${status}`));
    expect(await page.locator('h1').count()).toBe(1);
    await expectAccessible(page);
    expect(weight).toBeGreaterThan(10_000);
    expect(weight).toBeLessThan(maxWeight);
  });

  it('all open without script', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await withSession(person);
    for (const [which, path] of Object.entries(pages)) {
      const status = (await page.goto(at(path())))?.status() ?? 0;
      expect([which, status]).toEqual([which, expect.toBeOneOf([200, 400, 404])]);
      if (status >= 400) person.expectError(new RegExp(`status of ${status}`));
      expect([which, await page.locator('nav[aria-label=Sections] a').count()]).toEqual([which, sections]);
    }
  });

  it('leads from a citation through the sign-in to the marked line, and from there to the references', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await signedIn(person, cited());
    expect(await page.locator('tr.marked').innerText()).toContain('export function renewLease');
    expect(await page.locator('tr.marked b').allInnerTexts()).toEqual(['export', 'function', 'void']);
    expect(page.url()).toContain('commit=');
    await page.locator('#definitions ~ ul >> text=references').click();
    expect(await page.locator('h1').innerText()).toContain('renewLease');
    expect(await page.locator('table').innerText()).toContain('src/use.ts');
    expect(await page.locator('svg desc').textContent()).toContain('src/use.ts');
    await page.locator('table a', { hasText: 'src/use.ts' }).click();
    expect(await page.locator('h1').innerText()).toContain('src/use.ts');
  });

  it('shows markup, right-to-left text and emoji of names as they are', async () => {
    const page = await withSession(
      await browser.newPerson(),
      `/entities/${encodeURIComponent('label:c1:hostile')}`,
    );
    expect(await page.locator('h1 bdi').textContent()).toBe(hostileName);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  });

  it('finds code, narrows the search down and opens the line', async () => {
    const page = await withSession(await browser.newPerson({ javaScriptEnabled: false }), '/search');
    await page.locator('input[name=q]').fill('renewLease');
    await page.keyboard.press('Enter');
    expect(await page.locator('#found').innerText()).toBe('2 matching files');
    expect(await page.locator('mark').first().innerText()).toBe('renewLease');
    await page.locator('input[name=q]').fill('lease');
    await page.keyboard.press('Enter');
    await page.locator('.facet a', { hasText: 'Markdown' }).click();
    expect(await page.locator('input[name=q]').inputValue()).toBe('lang:Markdown lease');
    expect(await page.locator('#found').innerText()).toBe('1 matching file');
    await page.locator('article h3 a').click();
    expect(await page.locator('tr.marked').innerText()).toContain(files['README.md']?.split('\n')[2] ?? '');
  });

  it('adds a repository, keeps what was entered wrongly, and removes it again', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await withSession(person, '/repositories/add');
    await page.locator('input[name=source]').fill('https://git.example.com/team/new.git');
    await page.locator('input[name=name]').fill('not a name!');
    await page.locator('button.primary').click();
    await page.locator('[role=alert]').waitFor();
    person.expectError(/status of 400/);
    expect(await page.locator('input[name=source]').inputValue()).toBe(
      'https://git.example.com/team/new.git',
    );
    await page.locator('input[name=name]').fill('team/new');
    await page.locator('button.primary').click();
    expect(await page.locator('h1').innerText()).toBe('team/new');
    expect(await page.locator('#state').innerText()).toContain('queued');
    await page.locator('a', { hasText: 'Remove' }).click();
    await page.locator('button.danger').click();
    await page.waitForURL(at('/repositories'));
    expect(await page.locator('tr', { hasText: 'team/new' }).innerText()).toContain('removing');
  });

  it('keeps what was entered through the end of the session', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await signedIn(person, '/repositories/add');
    await page.locator('input[name=source]').fill('https://git.example.com/team/kept.git');
    await page.locator('input[name=name]').fill('team/kept');
    await world.database.queries.deleteFrom('sessions').execute();
    await page.locator('button.primary').click();
    expect(await page.locator('main').innerText()).toContain('What you entered is kept');
    person.expectError(/status of 401/);
    await signIn(page, { email: world.service.people.ann.email, password: 'wrong' });
    await page.locator('[role=alert]').waitFor();
    person.expectError(/status of 403/);
    await signIn(page, { email: world.service.people.ann.email, password });
    await page.locator('button', { hasText: 'Send what you entered' }).click();
    expect(await page.locator('h1').innerText()).toBe('team/kept');
  });

  it('does not show what one person entered to another who signs in', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await signedIn(person, '/repositories/add');
    await page.locator('input[name=source]').fill('https://git.example.com/team/private.git');
    await world.database.queries.deleteFrom('sessions').execute();
    await page.locator('button.primary').click();
    await signIn(page, { email: world.service.people.bob.email, password });
    await page.waitForURL(at('/repositories/add'));
    expect(await page.content()).not.toContain('private.git');
    person.expectError(/status of 40[13]/);
  });

  it('copies a configuration, and shows changes of a state without a reload', async () => {
    const person = await browser.newPerson();
    await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await withSession(person, '/connect');
    await page.locator('button[aria-label="Copy the address"]').click();
    await page.locator('text=Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${world.service.baseUrl}/mcp`);
    const { id } = world.repository;
    const update = (state: 'indexing' | 'indexed') =>
      world.database.queries.updateTable('repositories').set({ state }).where('id', '=', id).execute();
    await update('indexing');
    await page.goto(at(`/repositories/${id}`));
    expect(await page.locator('#state .badge').innerText()).toBe('indexing');
    await update('indexed');
    await expect.poll(() => page.locator('#state .badge').innerText()).toBe('indexed');
  });

  it('has a header of one line on a telephone, whose menu opens with the keyboard and without script', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await withSession(person);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(at(''));
    expect((await page.locator('header').boundingBox())?.height).toBeLessThan(60);
    const search = page.getByRole('link', { name: 'Search', exact: true });
    expect(await search.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).focus();
    await page.keyboard.press('Enter');
    await search.waitFor();
    await page.keyboard.press('Escape');
    expect(await search.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await search.waitFor();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/search'));
  });

  it('has an accessible menu', async () => {
    const page = await withSession(await browser.newPerson(), '');
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('can be used with the keyboard alone', async () => {
    const page = await withSession(await browser.newPerson(), '');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
  });
});
