import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../../support/http/chromium.ts';
import { password } from '../../support/identity/oauth-http.ts';
import { type ExampleService, openExampleService } from '../../support/program/example-service.ts';

/**
 * `node test/e2e/pages/screenshots.ts FOLDER [PART]`: photographs the pages, light and dark, 360 and 1280 pixels wide,
 * and combines the four pictures of each into one in `FOLDER/sheets`. `PART` limits it to the pages whose name contains
 * it.
 */
const [given, part = ''] = process.argv.slice(2);
if (given === undefined) throw new Error('usage: node test/e2e/pages/screenshots.ts FOLDER [PART]');
const folder = resolve(given);

const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

/** Higher pages are cut, so that the pictures can be read. */
const maxHeight = 2_400;

async function shoot(page: Page, name: string): Promise<void> {
  if (!name.includes(part)) return;
  for (const { width, colorScheme } of views) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const scroll = 'document.documentElement.scrollHeight';
    const height = Math.min(maxHeight, Number(await page.evaluate(scroll)));
    await page.screenshot({
      path: join(folder, `${name}-${width}-${colorScheme}.png`),
      fullPage: true,
      clip: { x: 0, y: 0, width, height },
    });
  }
  process.stdout.write(`${name}\n`);
}

/** Puts the pictures of each page side by side. */
async function combine(context: BrowserContext): Promise<void> {
  mkdirSync(join(folder, 'sheets'), { recursive: true });
  const names = new Set(
    readdirSync(folder).flatMap((file) => /^(.+)-1280-light\.png$/.exec(file)?.[1] ?? []),
  );
  const page = await context.newPage();
  await page.setViewportSize({ width: 2_000, height: 800 });
  for (const name of names) {
    const pictures = views.map(({ width, colorScheme }) => {
      const data = readFileSync(join(folder, `${name}-${width}-${colorScheme}.png`)).toString('base64');
      return `<img width="${width === 1_280 ? 700 : 280}" src="data:image/png;base64,${data}">`;
    });
    await page.setContent(
      `<body style="margin:0;display:flex;align-items:start;gap:8px">${pictures.join('')}`,
    );
    await page.screenshot({ path: join(folder, 'sheets', `${name}.png`), fullPage: true });
  }
  await page.close();
}

async function shootAll(service: ExampleService, context: BrowserContext): Promise<void> {
  const { baseUrl, orgSlug, signInUrl, repository } = service.result;
  const page = await context.newPage();
  const show = async (name: string, path: string): Promise<void> => {
    await page.goto(`${baseUrl}${path}`);
    await shoot(page, name);
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  await show('sign-in', '/.auth/sign-in');
  await press('Sign in');
  await shoot(page, 'sign-in-errors');
  await page.goto(signInUrl ?? '');
  await shoot(page, 'first-set-up');
  const email = page.locator('input[name=email]');
  if ((await email.count()) > 0) await email.fill('owner@example.com');
  await page.locator('input[name=password]').fill(password);
  await page.locator('main button').first().click();
  await page.waitForURL((url) => !url.pathname.startsWith('/.auth/link'));

  const app = `/app/${orgSlug}`;
  const below = (path: string): string => `${app}${path}`;
  const repositoryPath = below(`/repositories/${repository.id}`);
  const file = (path: string, more = '') => `${repositoryPath}/file?path=${encodeURIComponent(path)}${more}`;
  const connection = below(`/connections/${service.connectionId}`);
  const pages: readonly (readonly [string, string])[] = [
    ['home', below('')],
    ['repositories', below('/repositories')],
    ['repositories-none', below('/repositories?name=zzz')],
    ['repository', repositoryPath],
    ['repository-add', below('/repositories/add')],
    ['repository-edit', `${repositoryPath}/edit`],
    ['repository-remove', `${repositoryPath}/remove`],
    ['folder', `${repositoryPath}/tree`],
    ['folder-deep', `${repositoryPath}/tree?path=src/foundation/jobs`],
    ['file', file('src/foundation/jobs/worker/worker.ts', '&lines=30-36')],
    ['file-python', file('scripts/deploy.py')],
    ['file-gone', file('src/gone.ts')],
    ['search-empty', below('/search')],
    ['search', below('/search?q=lease')],
    ['search-none', below('/search?q=zzzzzz')],
    ['search-wrong', below('/search?q=(lease')],
    ['entities', below('/entities')],
    ['entities-found', below('/entities?q=lease')],
    ['entity-none', below('/entities/label:c1:none')],
    ['connect', below('/connect')],
    ['ask', below('/ask')],
    ['connections', below('/connections')],
    ['connection-new', below('/connections/new')],
    ['connection', connection],
    ['connection-remove', `${connection}/remove`],
    ['wizard-register', `${connection}/register`],
    ['wizard-authorize', `${connection}/authorize`],
    ['wizard-repository', `${connection}/repository`],
    ['wizard-scope', `${connection}/scope`],
    ['wizard-pull-request', `${connection}/pull-request`],
    ['keys-none', below('/settings/keys')],
    ['members', below('/settings/members')],
    ['invitations', below('/settings/invitations')],
    ['git-hosts', below('/settings/git-hosts')],
    ['git-host-add', below('/settings/git-hosts/add?kind=github')],
    ['audit', below('/settings/audit')],
    ['system', below('/system')],
    ['account', '/.auth/account'],
    ['password', '/.auth/account/password'],
    ['device', '/.auth/device'],
    ['unknown', '/nothing'],
  ];
  for (const [name, path] of pages) if (name.includes(part)) await show(name, path);
  await page.goto(`${baseUrl}${below('/entities?q=lease')}`);
  await page.locator('main table a, main .rows a').first().click();
  await shoot(page, 'entity');
  await page.goto(`${baseUrl}${below('/settings/keys')}`);
  await page.locator('input[name=name]').fill('continuous integration');
  await press('Create the key');
  await shoot(page, 'keys-created');
  for (const [name, path] of [
    ['members-asked', '/settings/members'],
    ['git-hosts-asked', '/settings/git-hosts'],
  ] as const) {
    await page.goto(`${baseUrl}${below(path)}`);
    await page.locator('summary', { hasText: 'Remove' }).first().click();
    await shoot(page, name);
  }
  await page.goto(`${baseUrl}${below('/settings/git-hosts')}`);
  await page
    .getByRole('link', { name: /^Change/ })
    .first()
    .click();
  await shoot(page, 'git-host-change');
  await page.goto(`${baseUrl}${below('/settings/invitations')}`);
  await page.locator('input[name=email]').fill('new@example.com');
  await page.locator('main form button.primary').click();
  await shoot(page, 'invitation-created');
  await consent(service, page);
  await show('clients', below('/settings/clients'));
  await conversation(page, `${baseUrl}${app}`);
  await hardNames(service, page);
  await errors(service, context);
}

/** Shows a conversation with two answers, and the list of conversations. */
async function conversation(page: Page, app: string): Promise<void> {
  const ask = async (prompt: string) => {
    await page.locator('#prompt').fill(prompt);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.answer').last().waitFor();
  };
  await page.goto(`${app}/ask`);
  await ask('How does the queue renew the lease of a job, and what happens when it expires?');
  await ask('And what calls it?');
  await page.locator('#answer-2').waitFor();
  await shoot(page, 'ask-thread');
  await page.goto(`${app}/ask`);
  await ask('איפה מתחדשת החכירה של renewLease? 👩‍👩‍👧');
  await shoot(page, 'ask-right-to-left');
  await page.goto(`${app}/ask`);
  await shoot(page, 'ask-conversations');
}

/** Shows names that are long, right-to-left, or contain emoji. */
async function hardNames({ rest, result }: ExampleService, page: Page): Promise<void> {
  const app = `${result.baseUrl}/app/${result.orgSlug}`;
  const hard = 'תקריות של החנות 🚀 والمتجر';
  await rest('POST', '/connections', { kind: 'oncall', name: hard });
  await rest('POST', '/connections', { kind: 'tracker', name: 'x'.repeat(100) });
  for (const name of [hard, 'a-key-without-any-space-'.repeat(4)]) {
    await page.goto(`${app}/settings/keys`);
    await page.locator('input[name=name]').fill(name);
    await page.getByRole('button', { name: 'Create the key' }).click();
  }
  for (const [name, path] of [
    ['hard-names-keys', '/settings/keys'],
    ['hard-names-connections', '/connections'],
    ['hard-names-home', ''],
  ] as const) {
    await page.goto(`${app}${path}`);
    await shoot(page, name);
  }
  await page.getByRole('link', { name: hard }).first().click();
  await shoot(page, 'hard-names-connection');
}

/** Shows a page of each kind of error. */
async function errors({ result }: ExampleService, context: BrowserContext): Promise<void> {
  const { baseUrl, orgSlug, repository } = result;
  const app = `${baseUrl}/app/${orgSlug}`;
  const page = await context.newPage();
  const send = () => page.locator('main form button').first().click();
  await page.goto(`${app}/repositories/add`);
  await send();
  await shoot(page, 'error-field');
  await page.goto(`${app}/repositories/add`);
  await page.locator('main input[name=csrf]').evaluate((input) => input.setAttribute('value', 'x'));
  await send();
  await shoot(page, 'error-form-expired');
  await page.goto(`${app}/ask`);
  await page.locator('#prompt').fill('x'.repeat(300_000));
  await send();
  await shoot(page, 'error-too-large');
  await page.goto(`${app}/repositories?name=mobile`);
  await page.getByRole('link', { name: 'mobile/app' }).click();
  await page.goto(`${page.url()}/tree`);
  await shoot(page, 'error-not-indexed');
  await page.goto(`${app}/repositories/${repository.id}/file?path=a&lines=x`);
  await shoot(page, 'error-address');
  await page.goto(`${app}/repositories/none`);
  await shoot(page, 'error-not-found');
  await page.goto(`${app}/repositories/add`);
  await page.getByLabel('Address').fill('https://git.example.com/team/kept.git');
  await context.clearCookies({ name: 'orgctx_session' });
  await send();
  await shoot(page, 'error-session-ended');
  for (let attempt = 0; attempt < 30 && !(await page.getByText('Too many').count()); attempt += 1) {
    await page.goto(`${baseUrl}/.auth/sign-in`);
    await page.locator('input[name=email]').fill('nobody@example.com');
    await page.locator('input[name=password]').fill(`wrong ${attempt}`);
    await send();
  }
  await shoot(page, 'error-too-many');
}

/** Shows the consent page of a client, and allows it. Nothing listens at its redirect address. */
async function consent({ result }: ExampleService, page: Page): Promise<void> {
  const redirectUri = 'http://127.0.0.1:9/callback';
  const registered = await fetch(`${result.baseUrl}/.auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Editor',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'mcp',
    state: 's',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  await page.goto(`${result.baseUrl}/.auth/authorize?${query}`);
  await shoot(page, 'consent');
  await page.locator('input[name=organization]').first().check();
  await page.locator('button[value=allow]').click();
  await page.waitForURL((url) => !url.pathname.includes('interaction')).catch(() => undefined);
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'README.txt'), `Written by ${basename(import.meta.filename)}.\n`);
const browser = await openBrowser();
try {
  await using service = await openExampleService();
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  await shootAll(service, context);
  await combine(context);
} finally {
  await browser.close();
}
