import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectorSetupTest, openConnectorSetup } from '../support/connectors/connector-setup.ts';
import { hasBrowser, signIn, useBrowser } from '../support/http/chromium.ts';
import { openPerson, password } from '../support/http/pages.ts';
import { expectAccessible } from '../support/http/violations.ts';

const email = 'ada@example.com';

/** The service with the stand-ins of a provider and a Git host; a real Chromium renders its pages over HTTP. */
describe.skipIf(!hasBrowser())('the wizard in a browser', () => {
  let test: ConnectorSetupTest;
  const browser = useBrowser(() => test.baseUrl);

  beforeEach(async () => {
    test = await openConnectorSetup({ withoutApp: true });
    test.provider.boxes = Array.from({ length: 60 }, (_, index) => `box-${index}`);
    await openPerson(test.database, email, [{ orgSlug: 'acme', role: 'admin' }]);
  });
  afterEach(() => test[Symbol.asyncDispose]());

  async function opened(javaScriptEnabled: boolean): Promise<Page> {
    const person = await browser.newPerson({ javaScriptEnabled });
    const page = await person.newPage();
    await page.goto(`${test.baseUrl}/app/acme/connections`);
    await signIn(page, { email, password });
    await page.getByRole('link', { name: 'Add a connection' }).waitFor();
    return page;
  }

  const step = (page: Page, title: string) =>
    page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  /** Checks a page; that needs scripts. */
  const check = (page: Page, script: boolean) => script && expectAccessible(page);

  it.each([
    ['with', true],
    ['without', false],
  ])('leads to Connected %s script', async (_, script) => {
    const page = await opened(script);
    await check(page, script);
    await page.getByRole('link', { name: 'Add a connection' }).click();
    await page.getByLabel('Name').fill(`boxes ${script}`);
    await check(page, script);
    await press(page, 'Continue');
    await step(page, 'Register');
    expect(await page.getByText('/api/v1/integrations/toy/callback').count()).toBe(1);
    await page.getByLabel('Client id').fill(test.provider.clientId);
    await page.getByLabel('Client secret').fill(test.provider.clientSecret);
    await check(page, script);
    await press(page, 'Save and continue');
    await step(page, 'Authorize');
    await check(page, script);
    await press(page, 'Authorize at Toy');
    await step(page, 'Repository');
    await page.getByLabel('octo-org/context').check();
    await check(page, script);
    await press(page, 'Save and continue');
    await step(page, 'Scope');
    await page.getByLabel('box-3', { exact: true }).check();
    await check(page, script);
    await press(page, 'Save and show more');
    await page.getByLabel('box-55', { exact: true }).check();
    await page.getByLabel('Part of the name').fill('box-7');
    await page.getByLabel('Part of the name').press('Enter');
    await page.getByLabel('box-7', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await press(page, 'Save and continue');
    await step(page, 'Pull request');
    await press(page, 'Open the pull request');
    await page.getByText('Merge the pull request').waitFor();
    await check(page, script);
    test.githost.merge(test.repository, test.repository.pulls.length);
    await test.githost.hooks.settled();
    await test.runJobs();
    if (!script) await page.reload();
    await page.getByText('Connected.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { level: 1, name: `boxes ${script}` }).waitFor();
    expect(await page.locator('[aria-labelledby=scope] code').textContent()).toContain('box-55');
    await check(page, script);
    await page.getByRole('link', { name: 'Remove', exact: true }).click();
    await check(page, script);
    await press(page, 'Remove the connection');
    await page.getByRole('link', { name: 'Add a connection' }).waitFor();
    expect(await page.getByText(`boxes ${script}`).count()).toBe(0);
  });
});
