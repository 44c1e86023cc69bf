import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { oncall as oncallConnector } from '../../../src/features/connectors/oncall/connector.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { tracker as trackerConnector } from '../../../src/features/connectors/tracker/connector.ts';
import { findUser } from '../../../src/features/identity/people/user-store.ts';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { startOncall } from '../../standins/oncall/oncall.ts';
import { startTracker } from '../../standins/tracker/tracker.ts';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';
import { hasBrowser, type Person, signIn, useBrowser } from '../../support/http/chromium.ts';
import { openPerson, password } from '../../support/http/pages.ts';
import { expectAccessible } from '../../support/http/violations.ts';

const email = 'ada@example.com';

interface App {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A provider with more things to choose than a page of the wizard shows. */
interface Provider {
  readonly connector: Connector;
  readonly settings: Readonly<Record<string, string>>;
  addApp(redirectUri: string): App;
  /** Names of two things that can be chosen. */
  readonly choices: readonly [string, string];
  /** What no real provider would accept. */
  strays(): readonly string[];
  close(): Promise<void>;
}

const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1).padStart(2, '0'));

async function openTracker(): Promise<Provider> {
  const tracker = await startTracker();
  for (const number of numbers) tracker.workspace.add('Team', { key: `T${number}`, name: `Team ${number}` });
  return { ...tracker, connector: trackerConnector, choices: ['Team 03', 'Team 57'] };
}

async function openOncall(): Promise<Provider> {
  const oncall = await startOncall();
  for (const number of numbers) oncall.us.account.addService(`Service ${number}`);
  const addApp = (redirectUri: string) => oncall.addApp('us', redirectUri);
  return { ...oncall, addApp, connector: oncallConnector, choices: ['Service 03', 'Service 57'] };
}

/** The service with the stand-ins of a provider and a Git host; a real Chromium renders its pages over HTTP. */
describe.skipIf(!hasBrowser()).each([
  { open: openTracker, kind: 'tracker', product: 'Linear', sessionEnds: 'Register' },
  { open: openOncall, kind: 'oncall', product: 'PagerDuty', sessionEnds: 'Scope' },
] as const)('the wizard of the $kind connector in a browser', ({ open, kind, product, sessionEnds }) => {
  let provider: Provider;
  let test: ConnectorSetupTest;
  let app: App;
  const browser = useBrowser(() => test.baseUrl);

  beforeEach(async () => {
    provider = await open();
    const { connector, settings } = provider;
    test = await openConnectorSetup({ connector, settings });
    app = provider.addApp(`${test.baseUrl}/api/v1/integrations/${kind}/callback`);
    await openPerson(test.database, email, [{ orgSlug: 'acme', role: 'admin' }]);
  });
  afterEach(async () => {
    await test?.[Symbol.asyncDispose]();
    await provider?.close();
  });

  /** Opens a page with a session, without the sign-in page, which takes a second for its password. */
  async function opened(person: Person, path: string): Promise<Page> {
    const { queries } = test.database;
    const user = await findUser(queries, email);
    if (user === undefined) throw new Error(`${email} does not exist`);
    const { token } = await createSession(queries, { userId: user.id }, systemClock);
    await person.context.addCookies([{ name: 'orgctx_session', value: token, url: test.baseUrl }]);
    const page = await person.newPage();
    await page.goto(`${test.baseUrl}/app/acme${path}`);
    return page;
  }

  const step = (page: Page, name: string) =>
    page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  async function fillRegister(page: Page): Promise<void> {
    await step(page, 'Register');
    expect(await page.getByText(`/api/v1/integrations/${kind}/callback`).count()).toBe(1);
    expect(await page.getByText(`/api/v1/webhook/${kind}`).count()).toBe(1);
    await page.getByLabel('Client id').fill(app.clientId);
    await fillSecrets(page);
  }

  async function fillSecrets(page: Page): Promise<void> {
    await page.getByLabel('Client secret').fill(app.clientSecret);
    if (kind === 'tracker') await page.getByLabel('Signing secret of webhooks').fill('webhook-secret');
  }

  async function merge(): Promise<void> {
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
  }

  /** Ticks the first thing that is not chosen yet, and returns how the configuration file names it. */
  async function chooseNext(page: Page): Promise<string> {
    const box = page.locator('input[name=chosen]:not(:checked)').first();
    const [, reference] = z
      .tuple([z.string(), z.string(), z.string()])
      .parse(JSON.parse(await box.inputValue()));
    await box.check();
    return reference;
  }

  function expectConfigured(references: readonly string[]): void {
    const config = test.repository.bare.read('main', `${kind}/config.yaml`)?.toString();
    for (const reference of references) expect(config).toContain(reference);
    expect(provider.strays()).toEqual([]);
  }

  it('leads to Connected with script, and every step is accessible', async () => {
    const page = await opened(await browser.newPerson(), '/connections');
    await page.getByRole('link', { name: 'Add a connection' }).click();
    await page.getByLabel('Name').fill('scripted');
    await expectAccessible(page);
    await press(page, 'Continue');
    await fillRegister(page);
    await expectAccessible(page);
    await press(page, 'Save and continue');
    await step(page, 'Authorize');
    await expectAccessible(page);
    await press(page, `Authorize at ${product}`);
    await step(page, 'Repository');
    await page.getByLabel('octo-org/context').check();
    await expectAccessible(page);
    await press(page, 'Save and continue');
    await step(page, 'Scope');
    const first = await chooseNext(page);
    await expectAccessible(page);
    await press(page, 'Save and show more');
    await page.getByText('Chosen (1)').waitFor();
    const second = await chooseNext(page);
    await press(page, 'Save and continue');
    await step(page, 'Pull request');
    await press(page, 'Open the pull request');
    await page.getByText('Merge the pull request').waitFor();
    await expectAccessible(page);
    await merge();
    await page.getByText('Connected.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Open the connection' }).click();
    await page.getByRole('heading', { level: 1, name: 'scripted' }).waitFor();
    await expectAccessible(page);
    expectConfigured([first, second]);
    await page.getByRole('link', { name: 'Remove', exact: true }).click();
    await expectAccessible(page);
    await press(page, 'Remove the connection');
    await page.getByRole('link', { name: 'Add a connection' }).waitFor();
    expect(await page.getByText('scripted').count()).toBe(0);
  });

  it(`leads to Connected without script, although the session ends at the step ${sessionEnds}`, async () => {
    const person = await browser.newPerson({ javaScriptEnabled: false });
    const page = await opened(person, '/connections/new');
    await page.getByLabel('Name').fill('plain');
    await press(page, 'Continue');

    /** Sends the form of a step; at one step the session has ended before. */
    async function send(name: string): Promise<void> {
      if (name !== sessionEnds) return press(page, 'Save and continue');
      await test.database.queries.deleteFrom('sessions').execute();
      await press(page, 'Save and continue');
      await page.getByText('What you entered is kept').waitFor();
      person.expectError(/status of 401/);
      await signIn(page, { email, password });
      await page.getByRole('heading', { name: 'Signed in again' }).waitFor();
      if (name === 'Register') await fillSecrets(page);
      await press(page, 'Send what you entered');
    }

    await fillRegister(page);
    await send('Register');
    await press(page, `Authorize at ${product}`);
    await step(page, 'Repository');
    await page.getByLabel('octo-org/context').check();
    await send('Repository');
    const [one, other] = provider.choices;
    await page.getByLabel('Part of the name').fill(one);
    await page.getByLabel('Part of the name').press('Enter');
    await page.getByText(`Found for “${one}”`).waitFor();
    const first = await chooseNext(page);
    await page.getByLabel('Part of the name').fill(other);
    await press(page, 'Search');
    await page.getByText(`Found for “${other}”`).waitFor();
    const second = await chooseNext(page);
    await send('Scope');
    await press(page, 'Open the pull request');
    await page.getByText('Merge the pull request').waitFor();
    await merge();
    await page.reload();
    await page.getByText('Connected.', { exact: false }).waitFor();
    expectConfigured([first, second]);
  });
});
