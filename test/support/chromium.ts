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

/** The real programs: Debian's /usr/bin/chromium is a script that adds flags of the desktop. */
const binaries = [
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** One step of a page (milliseconds). A start takes about a second; on a busy machine everything takes longer. */
const stepMs = 20_000;

/** `describe.skipIf(!hasBrowser())`: a skipped test is named by `npm test`, and a failure where everything is required. */
export function hasBrowser(): boolean {
  return findBrowser() !== undefined;
}

/** One person at one browser: cookies of their own, shared by all of their tabs. */
export interface Person {
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  /**
   * What went wrong in any tab so far: errors on the console (violations of the content security policy are some),
   * uncaught errors, and requests other than navigations to another origin than the page's. Of pages of a client that
   * the browser came back to, nothing: see `useBrowser`.
   */
  readonly faults: readonly string[];
  /** Takes faults that a test means to cause off the list; the rest fails the test at its end. */
  expectFault(pattern: RegExp): void;
}

export interface TestBrowser {
  /** Gone at the end of the test. */
  newPerson(options?: BrowserContextOptions): Promise<Person>;
}

/**
 * One headless Chromium for a `describe`. After each test every person is gone, and a fault of a page that nobody
 * expected fails the test. Of a test that failed, what its pages showed is kept in a folder that the output names.
 *
 * `judged`: the origin whose pages must be without fault, asked whenever there is one; without it all are.
 */
export function useBrowser(judged?: () => string): TestBrowser {
  let browser: Browser | undefined;
  let people: OpenPerson[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async ({ task }) => {
    const leaving = people;
    people = [];
    const faults = leaving.flatMap((person) => person.faults);
    if (task.result?.state === 'fail' || faults.length > 0) await keepPages(task.name, leaving);
    for (const { context } of leaving) await context.close();
    expect(faults, 'faults of the pages').toEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    async newPerson(options) {
      if (browser === undefined) throw new Error('people come once the suite has begun');
      const person = await openPerson(browser, options, judged);
      people.push(person);
      return person;
    },
  };
}

/** For programs outside a test suite; whoever opens it closes it. */
async function openBrowser(): Promise<Browser> {
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
  readonly faults: string[];
}

async function openPerson(
  browser: Browser,
  options: BrowserContextOptions = {},
  judged?: () => string,
): Promise<OpenPerson> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepMs);
  context.setDefaultNavigationTimeout(stepMs);
  const faults: string[] = [];
  const note = (page: string, fault: string): void => {
    if (judged === undefined || new URL(page).origin === judged()) faults.push(`${fault} (${page})`);
  };
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    note(message.page()?.url() ?? 'about:blank', `${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (fault) => note(fault.page()?.url() ?? 'about:blank', fault.error().message));
  context.on('request', (request) => {
    if (request.isNavigationRequest() || request.url().startsWith('data:')) return;
    const page = request.frame().url();
    if (new URL(request.url()).origin !== new URL(page).origin) note(page, `request to ${request.url()}`);
  });
  return {
    context,
    faults,
    newPage: () => context.newPage(),
    expectFault(pattern) {
      const expected = faults.filter((fault) => pattern.test(fault));
      expect(expected.length, `faults like ${pattern}, of ${JSON.stringify(faults)}`).toBeGreaterThan(0);
      for (const fault of expected) faults.splice(faults.indexOf(fault), 1);
    },
  };
}

async function keepPages(test: string, people: readonly OpenPerson[]): Promise<void> {
  const pages = people.flatMap((person) => person.context.pages());
  if (pages.length === 0) return;
  // Outlives the test on purpose: somebody is to look at it.
  const folder = mkdtempSync(join(tmpdir(), 'orgctx-pages-'));
  for (const [index, page] of pages.entries()) {
    await page.screenshot({ path: join(folder, `${index}.png`), fullPage: true }).catch(() => undefined);
    const html = await page.content().catch(() => '');
    writeFileSync(join(folder, `${index}.html`), `<!-- ${page.url()} -->\n${html}`);
  }
  writeFileSync(join(folder, 'faults.txt'), people.flatMap((person) => person.faults).join('\n'));
  console.warn(`"${test}": the pages are in ${folder}`);
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Fills in the sign-in page that the tab shows and sends it. */
export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.locator('input[name=email]').fill(email);
  const field = page.locator('input[name=password]');
  await field.fill(password);
  await field.press('Enter');
}

/**
 * From an authorization in the tab to its end: signs in where the page asks for it, chooses the organization (its
 * slug) and allows. Returns once the browser has left the interaction: at the client, or at the end of a device's.
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

/** On the page that asks for consent; nothing is sent yet. */
export async function chooseOrganization(page: Page, slug: string): Promise<void> {
  await page.locator(`input[name=organization][value="${slug}"]`).check();
}

/** Presses a button of the page that asks for consent, and waits until the browser is past that page. */
export async function decide(page: Page, decision: 'allow' | 'deny'): Promise<void> {
  const interaction = page.url();
  await page.locator(`button[name=decision][value=${decision}]`).click();
  await page.waitForURL((url) => url.href !== interaction);
}

/** Types the code that a device shows into the device page, which the tab stands at. */
export async function enterUserCode(page: Page, userCode: string): Promise<void> {
  const field = page.locator('input[name=user_code]');
  await field.fill(userCode);
  await field.press('Enter');
}
