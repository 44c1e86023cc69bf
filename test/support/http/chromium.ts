import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Paths of Chromium. The real program comes first: Debian's /usr/bin/chromium is a script that adds desktop flags. */
const binaries = [
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * Maximum time of one step in a page, in milliseconds. A start takes about a second; on a busy machine all takes
 * longer.
 */
const stepTimeoutMs = 20_000;

/**
 * For `describe.skipIf(!hasBrowser())`: `npm test` names skipped tests, and fails on them where everything is required.
 */
export function hasBrowser(): boolean {
  return findBrowser() !== undefined;
}

/** A person with a separate browser context: all tabs share its cookies. */
export interface Person {
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  /**
   * Errors of all tabs so far: console errors (including violations of the content security policy), uncaught errors,
   * and requests to other origins except navigations. Pages of other origins may be excluded: see `useBrowser`.
   */
  readonly errors: readonly string[];
  /** Removes expected errors from the list; the remaining ones fail the test at its end. */
  expectError(pattern: RegExp): void;
}

export interface TestBrowser {
  /** Opens a person; closed at the end of the test. */
  newPerson(options?: BrowserContextOptions): Promise<Person>;
}

/**
 * Runs one headless Chromium for a `describe`. After each test it closes every person, and an unexpected error of a
 * page fails the test. For a failed test it saves the pages in a folder that the output names.
 *
 * @param checkedOrigin returns the origin whose pages must have no errors. Default: all origins.
 */
export function useBrowser(checkedOrigin?: () => string): TestBrowser {
  let browser: Browser | undefined;
  let people: OpenPerson[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async ({ task }) => {
    const leaving = people;
    people = [];
    const errors = leaving.flatMap((person) => person.errors);
    if (task.result?.state === 'fail' || errors.length > 0) await savePages(task.name, leaving);
    for (const { context } of leaving) await context.close();
    expect(errors, 'errors of the pages').toEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    async newPerson(options) {
      if (browser === undefined) throw new Error('newPerson() must be called inside a test or hook');
      const person = await openPerson(browser, options, checkedOrigin);
      people.push(person);
      return person;
    },
  };
}

/** Starts Chromium; the caller must close it. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(`this host has no Chromium (${binaries.join(', ')})`);
  // Chromium's own sandbox refuses to run as root, as in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, timeout: 60_000 });
}

function findBrowser(): string | undefined {
  return binaries.find((path) => existsSync(path));
}

interface OpenPerson extends Person {
  readonly errors: string[];
}

async function openPerson(
  browser: Browser,
  options: BrowserContextOptions = {},
  checkedOrigin?: () => string,
): Promise<OpenPerson> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepTimeoutMs);
  context.setDefaultNavigationTimeout(stepTimeoutMs);
  const errors: string[] = [];
  const note = (page: string, error: string): void => {
    if (checkedOrigin === undefined || new URL(page).origin === checkedOrigin())
      errors.push(`${error} (${page})`);
  };
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    note(message.page()?.url() ?? 'about:blank', `${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => note(error.page()?.url() ?? 'about:blank', error.error().message));
  context.on('request', (request) => {
    if (request.isNavigationRequest() || request.url().startsWith('data:')) return;
    const page = request.frame().url();
    if (new URL(request.url()).origin !== new URL(page).origin) note(page, `request to ${request.url()}`);
  });
  return {
    context,
    errors,
    newPage: () => context.newPage(),
    expectError(pattern) {
      const expected = errors.filter((error) => pattern.test(error));
      expect(expected.length, `errors like ${pattern}, of ${JSON.stringify(errors)}`).toBeGreaterThan(0);
      for (const error of expected) errors.splice(errors.indexOf(error), 1);
    },
  };
}

async function savePages(test: string, people: readonly OpenPerson[]): Promise<void> {
  const pages = people.flatMap((person) => person.context.pages());
  if (pages.length === 0) return;
  // Not deleted after the test, so that the developer can inspect it.
  const folder = mkdtempSync(join(tmpdir(), 'orgctx-pages-'));
  for (const [index, page] of pages.entries()) {
    await page.screenshot({ path: join(folder, `${index}.png`), fullPage: true }).catch(() => undefined);
    const html = await page.content().catch(() => '');
    writeFileSync(join(folder, `${index}.html`), `<!-- ${page.url()} -->\n${html}`);
  }
  writeFileSync(join(folder, 'errors.txt'), people.flatMap((person) => person.errors).join('\n'));
  console.warn(`"${test}": the pages are in ${folder}`);
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Fills in and submits the sign-in page in the tab. */
export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.locator('input[name=email]').fill(email);
  const field = page.locator('input[name=password]');
  await field.fill(password);
  await field.press('Enter');
}

/**
 * Completes an authorization in the tab: signs in if the page asks for it, chooses the organization (by its slug) and
 * allows. Returns once the browser has left the interaction: at the client, or on the final page of a device.
 */
export async function signInAndAllow(
  page: Page,
  { organization, ...credentials }: Credentials & { readonly organization: string },
): Promise<void> {
  const consent = page.locator('button[name=decision][value=allow]');
  const password = page.locator('input[name=password]');
  await consent.or(password).first().waitFor();
  if (await password.isVisible()) await signIn(page, credentials);
  await consent.waitFor();
  await chooseOrganization(page, organization);
  await decide(page, 'allow');
}

/** Selects an organization on the consent page without submitting it. */
export async function chooseOrganization(page: Page, slug: string): Promise<void> {
  await page.locator(`input[name=organization][value="${slug}"]`).check();
}

/** Clicks a button of the consent page and waits until the browser has left the page. */
export async function decide(page: Page, decision: 'allow' | 'deny'): Promise<void> {
  const interaction = page.url();
  await page.locator(`button[name=decision][value=${decision}]`).click();
  await page.waitForURL((url) => url.href !== interaction);
}

/** Enters the code of a device on the device page in the tab. */
export async function enterUserCode(page: Page, userCode: string): Promise<void> {
  const field = page.locator('input[name=user_code]');
  await field.fill(userCode);
  await field.press('Enter');
}
