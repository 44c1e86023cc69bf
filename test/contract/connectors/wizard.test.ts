import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';
import { type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, password } from '../../support/http/pages.ts';

let test: ConnectorSetupTest;

beforeEach(async () => {
  test = await openConnectorSetup();
  await openPerson(test.database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
  await openPerson(test.database, 'bea@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
});
afterEach(() => test[Symbol.asyncDispose]());

async function signedIn(email = 'ada@example.com'): Promise<PageVisitor> {
  const visitor = pageVisitor(test.http.server);
  await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
  return visitor;
}

/** Submits the form of a step. Returns where it leads, or its page. */
async function save(
  visitor: PageVisitor,
  path: string,
  fields: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly status: number; readonly location: string; readonly body: string }> {
  const page = await visitor.get(path);
  expect([path, page.statusCode]).toEqual([path, 200]);
  const answer = await visitor.submit(page, fields, path.split('?', 1)[0]);
  return {
    status: answer.statusCode,
    location: answer.headers.location ?? '',
    body: answer.body,
  };
}

/** Creates a draft and returns the path of its pages. */
async function draft(visitor: PageVisitor, name = 'boxes'): Promise<string> {
  const { location } = await save(visitor, '/app/acme/connections/new', { kind: 'toy', name });
  return location.replace(/\/setup$/, '');
}

/** Follows the redirect of the provider to the callback, and returns its path. */
async function atProvider(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual' });
  const { pathname, search } = new URL(answer.headers.get('location') ?? '');
  return pathname + search;
}

async function authorized(visitor: PageVisitor, name?: string): Promise<string> {
  const path = await draft(visitor, name);
  const { location } = await save(visitor, `${path}/authorize`);
  await visitor.get(await atProvider(location));
  return path;
}

async function withRepository(visitor: PageVisitor, name?: string): Promise<string> {
  const path = await authorized(visitor, name);
  const saved = await save(visitor, `${path}/repository`, { repository: 'octo-org/context', branch: '' });
  expect(saved).toMatchObject({ status: 303, location: `${path}/scope` });
  return path;
}

const red = JSON.stringify(['box', 'red', 'red']);
const blue = JSON.stringify(['box', 'blue', 'blue']);

describe('the wizard of a connection', () => {
  it('leads from a draft to Connected, and each step remembers what was chosen', async () => {
    const visitor = await signedIn();
    const path = await draft(visitor);
    expect((await visitor.get(`${path}/setup`)).headers.location).toBe(`${path}/authorize`);
    const away = await save(visitor, `${path}/authorize`);
    const back = await visitor.get(await atProvider(away.location));
    expect([back.statusCode, back.headers.location]).toEqual([303, `${path}/setup`]);
    expect((await visitor.get(`${path}/setup`)).headers.location).toBe(`${path}/repository`);

    const repository = await save(visitor, `${path}/repository`, { repository: 'octo-org/context' });
    expect(repository).toMatchObject({ status: 303, location: `${path}/scope` });
    expect((await visitor.get(`${path}/repository`)).body).toMatch(/value="octo-org\/context" checked/);
    const scope = await save(visitor, `${path}/scope`, { chosen: red, to: 'continue' });
    expect(scope).toMatchObject({ status: 303, location: `${path}/pull-request` });
    const opened = await save(visitor, `${path}/pull-request`);
    expect(opened).toMatchObject({ status: 303, location: `${path}/pull-request` });
    const waiting = await visitor.get(`${path}/pull-request`);
    expect(waiting.body).toContain('data-live');
    expect(waiting.body).toContain('#1');
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    expect((await visitor.get(`${path}/pull-request`)).body).toContain('>Connected<');
    const detail = (await visitor.get(path)).body;
    for (const text of ['Box One', 'octo-org/context', 'red', '#1', 'Sync now'])
      expect(detail).toContain(text);
    const policy = (await visitor.get(path)).headers['content-security-policy'];
    expect(policy).toContain("form-action 'self';");
  });

  it('opens the first step that is not done in place of one that cannot be done yet', async () => {
    const visitor = await signedIn();
    const path = await draft(visitor);
    for (const step of ['repository', 'scope', 'pull-request'])
      expect((await visitor.get(`${path}/${step}`)).headers.location).toBe(`${path}/setup`);
  });

  it('binds the state of an authorization to the browser session that started it', async () => {
    const [ada, bea] = [await signedIn(), await signedIn('bea@example.com')];
    const path = await draft(ada);
    const callback = await atProvider((await save(ada, `${path}/authorize`)).location);
    expect((await pageVisitor(test.http.server).get(callback)).statusCode).toBe(400);
    expect((await bea.get(callback)).statusCode).toBe(400);
    expect((await ada.get(callback)).statusCode).toBe(303);
    expect((await ada.get(callback)).statusCode).toBe(400);
  });

  it('makes one connection of a form that is sent twice', async () => {
    const visitor = await signedIn();
    const page = await visitor.get('/app/acme/connections/new');
    const form = { kind: 'toy', name: 'twice' };
    const path = '/app/acme/connections/new';
    const answers = await Promise.all([visitor.submit(page, form, path), visitor.submit(page, form, path)]);
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
    const { body } = await test.rest('GET', '/connections');
    expect(body['items']).toHaveLength(1);
  });

  it('opens one pull request if its form is sent twice', async () => {
    const visitor = await signedIn();
    const path = await withRepository(visitor);
    await save(visitor, `${path}/scope`, { chosen: red, to: 'continue' });
    const page = await visitor.get(`${path}/pull-request`);
    for (const _ of [1, 2])
      expect((await visitor.submit(page, {}, `${path}/pull-request`)).statusCode).toBe(303);
    expect(test.repository.pulls).toHaveLength(1);
  });

  it('shows what the present scope names as chosen, so that adding to it drops nothing', async () => {
    const visitor = await signedIn();
    const path = await withRepository(visitor);
    await save(visitor, `${path}/scope`, { chosen: red, to: 'continue' });
    // A scope that was set over REST or the command line leaves no choices.
    await test.database.queries.deleteFrom('connection_choices').execute();
    const { body } = await visitor.get(`${path}/scope`);
    expect(body).toContain('Chosen (1)');
    expect(body.match(/name="chosen" value="[^"]*red[^"]*" checked/g)).toHaveLength(1);
    expect(body).toMatch(/name="chosen" value="[^"]*blue[^"]*"\/>/);
    const none = await save(visitor, `${path}/scope`, { chosen: undefined, to: 'continue' });
    expect([none.status, none.body]).toEqual([400, expect.stringContaining('Choose at least one item')]);
  });

  it('keeps the choices of the person who saved first, and tells the other one', async () => {
    const [ada, bea] = [await signedIn(), await signedIn('bea@example.com')];
    const path = await withRepository(ada);
    const opened = await bea.get(`${path}/scope`);
    await save(ada, `${path}/scope`, { chosen: red, to: 'more' });
    const refused = await bea.submit(opened, { chosen: blue, to: 'continue' }, `${path}/scope`);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('ada@example.com changed these settings');
    expect(refused.body).toContain('Chosen (1)');
    const again = await bea.submit(refused, { chosen: blue, to: 'more' }, `${path}/scope`);
    expect(again.statusCode).toBe(303);
  });

  it('refuses a form of an earlier page that the back button shows, and shows the present choices', async () => {
    const visitor = await signedIn();
    const path = await authorized(visitor);
    const former = await visitor.get(`${path}/repository`);
    const fields = { repository: 'octo-org/context', branch: '' };
    expect((await visitor.submit(former, fields, `${path}/repository`)).statusCode).toBe(303);
    const stale = await visitor.submit(former, fields, `${path}/repository`);
    expect([stale.statusCode, stale.body]).toEqual([
      400,
      expect.stringContaining('check them, then save again'),
    ]);
    expect((await visitor.submit(stale, fields, `${path}/repository`)).statusCode).toBe(303);
  });

  it('keeps what was chosen over searches and pages', async () => {
    test.provider.boxes = Array.from({ length: 120 }, (_, index) => `box-${index}`);
    const visitor = await signedIn();
    const path = await withRepository(visitor);
    const value = (name: string): string => JSON.stringify(['box', name, name]);
    const more = await save(visitor, `${path}/scope`, { chosen: value('box-3'), to: 'more' });
    expect(more.location).toBe(`${path}/scope?cursor=50`);
    const second = await visitor.get(more.location);
    expect(second.body).toContain('Chosen (1)');
    expect(second.body).toContain('box-99');
    expect(second.body).not.toContain('box-100');
    const fields = { to: 'search', q: 'box-11' };
    const shown = new URLSearchParams([
      ...Object.entries({ ...fieldsOf(second.body), ...fields }),
      ['chosen', value('box-3')],
      ['chosen', value('box-77')],
    ]).toString();
    const searched = await visitor.post(`${path}/scope`, shown);
    expect(searched.headers.location).toBe(`${path}/scope?q=box-11`);
    const found = await visitor.get(`${path}/scope?q=box-11`);
    expect(found.body).toContain('Chosen (2)');
    expect(found.body).toContain('box-119');
    const done = await visitor.post(
      `${path}/scope`,
      new URLSearchParams([
        ...Object.entries({ ...fieldsOf(found.body), to: 'continue' }),
        ['shown', value('box-3')],
        ['shown', value('box-77')],
        ['chosen', value('box-77')],
      ]).toString(),
    );
    expect(done.headers.location).toBe(`${path}/pull-request`);
    const { body } = await test.rest('GET', '/connections');
    expect(body['items']).toMatchObject([{ binding: { scope: { boxes: ['box-77'] } } }]);
  });

  it('shows a refused scope at its form, with the reason of the connector', async () => {
    const visitor = await signedIn();
    const path = await withRepository(visitor);
    const empty = await save(visitor, `${path}/scope`, { to: 'continue' });
    expect([empty.status, empty.body]).toEqual([400, expect.stringContaining('scope.boxes')]);
  });

  it('saves the app of a connection, and starts at it only where the deployment has none', async () => {
    const visitor = await signedIn();
    const provided = await draft(visitor);
    expect((await visitor.get(`${provided}/authorize`)).body).not.toContain('Register');
    await test[Symbol.asyncDispose]();
    test = await openConnectorSetup({ withoutApp: true });
    await openPerson(test.database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
    const owner = await signedIn();
    const path = await draft(owner);
    expect((await owner.get(`${path}/setup`)).headers.location).toBe(`${path}/register`);
    const refused = await save(owner, `${path}/authorize`);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.stringContaining('Save the client id and secret'),
    ]);
    const page = await owner.get(`${path}/register`);
    for (const text of [`${test.baseUrl}/api/v1/integrations/toy/callback`, 'only this machine can reach it'])
      expect(page.body).toContain(text);
    const secret = test.provider.clientSecret;
    const saved = await save(owner, `${path}/register`, {
      clientId: test.provider.clientId,
      clientSecret: secret,
    });
    expect(saved).toMatchObject({ status: 303, location: `${path}/authorize` });
    expect((await owner.get(`${path}/register`)).body).not.toContain(secret);
  });

  it('keeps what was entered when the session ends in the middle', async () => {
    const visitor = await signedIn();
    const path = await withRepository(visitor);
    const page = await visitor.get(`${path}/scope`);
    await test.database.queries.deleteFrom('sessions').execute();
    const ended = await visitor.submit(page, { chosen: red, to: 'continue' }, `${path}/scope`);
    expect(ended.statusCode).toBe(401);
    const again = await visitor.submit(ended, { email: 'ada@example.com', password }, '/.auth/sign-in');
    const sent = await visitor.submit(again, {}, `${path}/scope`);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `${path}/pull-request`]);
  });
});

/** Returns the hidden fields of the scope form that occur once. */
function fieldsOf(html: string): Record<string, string> {
  const names = ['csrf', 'revision', 'next'];
  const form = html.slice(html.lastIndexOf('name="csrf"') - 40);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
