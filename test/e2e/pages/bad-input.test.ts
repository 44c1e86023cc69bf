import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { hasBrowser, type Person, signIn, useBrowser } from '../../support/http/chromium.ts';
import { type OrganizationPages, openOrganizationPages } from '../../support/http/organization-pages.ts';
import { expectAccessible } from '../../support/http/violations.ts';
import { password } from '../../support/identity/oauth-http.ts';

/** Double submits, the back button, lost sessions and failing networks. */
describe.skipIf(!hasBrowser())('a page of an organization', () => {
  const browser = useBrowser();
  let world: OrganizationPages;

  beforeAll(async () => {
    world = await openOrganizationPages();
  });
  afterAll(() => world?.close());

  const at = (below: string): string => `${world.service.baseUrl}/app/acme${below}`;

  async function opened(person: Person, below: string): Promise<Page> {
    const { token } = await createSession(
      world.database.queries,
      { userId: world.service.people.ann.userId },
      systemClock,
    );
    await person.context.addCookies([{ name: 'orgctx_session', value: token, url: world.service.baseUrl }]);
    const page = await person.newPage();
    await page.goto(at(below));
    return page;
  }

  const repositoriesNamed = async (name: string): Promise<number> =>
    (await world.database.queries.selectFrom('repositories').where('name', '=', name).select('id').execute())
      .length;

  it('sends a form once on a slow network, however often its button is clicked', async () => {
    const page = await opened(await browser.newPerson(), '/repositories/add');
    const held = Promise.withResolvers<void>();
    let sent = 0;
    await page.route('**/repositories/add', async (route: Route) => {
      sent += 1;
      await held.promise;
      await route.continue();
    });
    await page.locator('input[name=source]').fill('https://git.example.com/team/slow.git');
    const button = page.locator('button.primary');
    await button.scrollIntoViewIfNeeded();
    const place = await button.boundingBox();
    const [x, y] = [(place?.x ?? 0) + 5, (place?.y ?? 0) + 5];
    // A locator would wait for the response.
    await page.mouse.click(x, y);
    await expect.poll(() => sent).toBe(1);
    await page.mouse.click(x, y);
    held.resolve();
    await page.waitForURL(/\/repositories\/[\da-f-]{36}$/);
    expect([sent, await repositoriesNamed('team/slow')]).toEqual([1, 1]);
  });

  it('can be read and used before its script has arrived', async () => {
    const person = await browser.newPerson();
    const page = await opened(person, '/connect');
    let release = (): void => undefined;
    await page.route('**/*.js', async (route: Route) => {
      await new Promise<void>((resolve) => (release = resolve));
      await route.continue().catch(() => undefined);
    });
    await page.goto(at('/search'), { waitUntil: 'commit' });
    await page.locator('input[name=q]').fill('renewLease');
    await page.keyboard.press('Enter');
    await page.getByText('matching files').waitFor();
    release();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('is not shown by the back button after a sign-out', async () => {
    const page = await opened(await browser.newPerson(), '/settings/members');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-in/);
    await page.goBack();
    await page.waitForURL(/sign-in/);
    expect(await page.content()).not.toContain('bob@example.com');
  });

  it('shows the saved repository after the back button, and saves it again', async () => {
    const path = `/repositories/${world.repository.id}/edit`;
    const page = await opened(await browser.newPerson(), path);
    await page.getByLabel('Name').fill('team/renamed');
    await page.getByRole('button', { name: 'Save and sync' }).click();
    await page.waitForURL(at(`/repositories/${world.repository.id}`));
    expect(await page.locator('h1').innerText()).toBe('team/renamed');
    await page.goBack();
    await page.getByLabel('Name').fill('team/service');
    await page.getByRole('button', { name: 'Save and sync' }).click();
    await page.waitForURL(at(`/repositories/${world.repository.id}`));
    expect(await page.locator('h1').innerText()).toBe('team/service');
  });

  it('says that cookies are needed if the browser keeps none', async () => {
    const person = await browser.newPerson();
    const page = await person.newPage();
    await page.goto(`${world.service.baseUrl}/.auth/sign-in`);
    await person.context.clearCookies();
    await signIn(page, { email: world.service.people.ann.email, password });
    await page.getByText('Allow cookies').waitFor();
    person.expectError(/status of 403/);
    await page.getByRole('link', { name: 'Open the page again' }).click();
    await signIn(page, { email: world.service.people.ann.email, password });
    await page.waitForURL(/\/app\/acme/);
  });

  it('leads from a cited file that is gone to what is there now', async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const gone = new URLSearchParams({ path: 'src/gone.ts', commit: 'a'.repeat(40), lines: '3-4' });
    const page = await opened(person, `/repositories/${world.repository.id}/file?${gone}`);
    person.expectError(/status of 404/);
    expect(await page.locator('main').innerText()).toContain('src/gone.ts is not in team/service');
    await page.getByRole('link', { name: 'Open its folder at the indexed commit' }).click();
    await page.getByRole('link', { name: 'lease.ts' }).click();
    expect(await page.locator('h1').innerText()).toBe('lease.ts');
  });

  it('refuses names of 500 characters at their field, keeps them, and still fits a telephone', async () => {
    const name = 'long'.repeat(125);
    const person = await browser.newPerson();
    const page = await opened(person, '/settings/keys');
    for (const [path, field] of [
      ['/settings/keys', 'name'],
      ['/connections/new', 'name'],
      ['/repositories/add', 'name'],
    ] as const) {
      await page.goto(at(path));
      const source = page.locator('input[name=source]');
      if ((await source.count()) > 0) await source.fill('https://git.example.com/team/long.git');
      await page.locator(`input[name=${field}]`).fill(name);
      await page.locator('button.primary').last().click();
      await page.locator('[role=alert]').waitFor();
      person.expectError(/status of 400/);
      expect(await page.locator(`input[name=${field}]`).inputValue()).toBe(name);
      await expectAccessible(page);
    }
    await page.goto(at('/ask'));
    await page.locator('#prompt').fill(`Where is ${name}?`);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.answer').waitFor();
    await expectAccessible(page);
  });
});
