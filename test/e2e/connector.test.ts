import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Githost, type HostedRepository, startGithost } from '../standins/githost/githost.ts';
import { startTracker, type Tracker } from '../standins/tracker/tracker.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, type RunningQuickstart, startQuickstart } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ExampleWorkspace, fillWorkspace } from '../support/tracker/example-workspace.ts';

const webhookSecret = 'tracker-webhook-secret';
const hostToken = 'bot-token-0123456789';

/** The built service with the stand-ins of the tracker and of a Git host, used by commands as a script does. */
describe('orgctx connector against a running service', () => {
  let tracker: Tracker;
  let example: ExampleWorkspace;
  let githost: Githost;
  let repository: HostedRepository;
  let service: RunningQuickstart;
  let env: Readonly<Record<string, string>>;
  let folder: string;

  beforeAll(async () => {
    folder = temporaryFolder();
    tracker = await startTracker();
    example = fillWorkspace(tracker.workspace);
    githost = await startGithost({ flavour: 'gitea' });
    repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'Ours\n' } });
    githost.addUser('bot', hostToken);
    repository.access.set('bot', 'admin');
    env = { ...tracker.settings, OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host };
    const source = createRepository({ 'a.ts': 'export const a = 1;\n' });
    service = await startQuickstart([source.folder], { env });
  });
  afterAll(async () => {
    await service?.stop();
    await githost?.close();
    await tracker?.close();
  });

  const run = async (words: readonly string[], input = '') => {
    const { baseUrl, orgSlug, apiKey } = service.result;
    const remote = { ORGCTX_URL: baseUrl, ORGCTX_ORG: orgSlug, ORGCTX_API_KEY: apiKey ?? '' };
    const options = { env: { ...env, ...remote }, cwd: folder, input, timeoutMs: 120_000 };
    const { code, stdout, stderr } = await orgctx(words, options);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  const json = async (...words: readonly string[]) => JSON.parse(await run([...words, '--json']));

  it('goes from a draft to mirrored files, reports its health, and is removed', async () => {
    const host = ['githost', 'add', 'gitea', '--host-url', githost.origin, '--token-file', '-'];
    await run(host, hostToken);
    const { baseUrl, dataDir } = service.result;
    const app = tracker.addApp(`${baseUrl}/api/v1/integrations/tracker/callback`);
    writeFileSync(join(folder, 'client'), app.clientSecret);
    writeFileSync(join(folder, 'hook'), webhookSecret);
    const files = ['--client-secret-file', 'client', '--webhook-secret-file', 'hook'];
    const add = ['connector', 'add', 'tracker', '--no-input', '--client-id', app.clientId, ...files];
    const started = await json(...add);
    expect(started).toMatchObject({ connection: { state: 'draft', webhookSecretConfigured: true } });
    const callback = await fetch(await tracker.visit(started.authorizationUrl));
    expect(callback.status).toBe(200);

    const where = ['--githost', 'gitea', '--repository', 'octo-org/context', '--team', 'ENG'];
    const waiting = json('connector', 'resume', 'tracker', '--no-input', ...where, '--wait');
    await expect.poll(() => repository.pulls.length).toBe(1);
    githost.merge(repository, 1);
    const { connection } = await waiting;
    expect(connection).toMatchObject({ state: 'connected', lastSyncAt: expect.any(String) });
    const file = 'tracker/issues/ENG/ENG-1.md';
    await expect
      .poll(() => repository.bare.read('main', file)?.toString() ?? '')
      .toContain('Ranking is slow');

    tracker.webhooks.webhook = { url: connection.webhookUrl, secret: webhookSecret };
    tracker.workspace.update(example.issue, { title: 'Ranking is fast' });
    await expect
      .poll(() => repository.bare.read('main', file)?.toString() ?? '')
      .toContain('Ranking is fast');
    const status = await run(['connector', 'status', 'tracker']);
    expect(status).toMatch(/state +Connected\n[^]*mirrored +\d+ records, \d+ pending, 0 failed/);
    expect(status).toMatch(/webhooks +last accepted just now, last rejected never/);
    expect(await run(['connector', 'list'])).toMatch(/^NAME +ID +KIND +STATE[^]*\ntracker +\S+ +tracker/);

    const examined = await json('doctor', 'connector', connection.id.slice(0, 13), '--data-dir', dataDir);
    const byId = examined.checks.map(({ id, status: each }: Record<string, string>) => `${id} ${each}`);
    expect(byId).toEqual([
      'state pass',
      'credentials pass',
      'write-access pass',
      'pull-request pass',
      'scope pass',
      'webhook-address warning',
      'deliveries-arrive pass',
      'deliveries-accepted pass',
      'jobs pass',
    ]);
    const { evidence } = examined.checks.find(({ id }: { id: string }) => id === 'webhook-address');
    expect(evidence).toEqual({ webhookUrl: connection.webhookUrl });

    await run(['connector', 'remove', 'tracker', '--yes']);
    await expect.poll(() => repository.hooks.filter(({ url }) => url.endsWith(connection.id))).toEqual([]);
    expect(repository.bare.read('main', file)?.toString()).toContain('Ranking is fast');
    expect(tracker.strays()).toEqual([]);
  });
});
