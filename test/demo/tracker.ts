import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGithost } from '../standins/githost/githost.ts';
import { startTracker } from '../standins/tracker/tracker.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, startQuickstart } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fileWith, say, until } from './steps.ts';

/**
 * `npm run demo:tracker`: connects the built service to stand-ins of the tracker and of a Git host, all on this host,
 * and shows how an issue gets from the tracker into Git and into an answer. Exits with 1 if a step fails.
 */
const hostToken = 'bot-token-0123456789';

async function run(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const folder = temporaryFolder();
  const tracker = opened.use(await startTracker());
  const { workspace } = tracker;
  const githost = await startGithost({ flavour: 'gitea' });
  opened.defer(() => githost.close());
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'Our context\n' } });
  githost.addUser('bot', hostToken);
  repository.access.set('bot', 'admin');
  const team = workspace.add('Team', { key: 'SHOP', name: 'Shop' });
  const issue = workspace.add('Issue', { title: 'The cart total is wrong', teamId: team.id });

  const env = { ...tracker.settings, OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host };
  const { folder: source } = createRepository({ 'src/cart.ts': 'export const total = () => 0;\n' });
  const service = await startQuickstart([source], { env });
  opened.defer(async () => void (await service.stop()));
  const { baseUrl, orgSlug, apiKey } = service.result;
  say(`The service listens at ${baseUrl}, the tracker at ${tracker.settings.TRACKER_API_URL}.`);

  const command = async (words: readonly string[], input = ''): Promise<string> => {
    const remote = { ORGCTX_URL: baseUrl, ORGCTX_ORG: orgSlug, ORGCTX_API_KEY: apiKey ?? '' };
    const { code, stdout, stderr } = await orgctx(words, { env: { ...env, ...remote }, cwd: folder, input });
    if (code !== 0) throw new Error(`orgctx ${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  const status = async (id: string): Promise<string> => {
    const shown = JSON.parse(await command(['connector', 'status', id, '--json'])) as { state: string };
    return shown.state;
  };

  await command(['githost', 'add', 'gitea', '--host-url', githost.origin, '--token-file', '-'], hostToken);
  const app = tracker.addApp(`${baseUrl}/api/v1/integrations/tracker/callback`);
  const secret = randomBytes(24).toString('hex');
  tracker.webhooks.webhook = { url: `${baseUrl}/api/v1/webhook/tracker`, secret };
  writeFileSync(join(folder, 'client'), app.clientSecret);
  writeFileSync(join(folder, 'webhook'), secret);
  const secrets = ['--client-secret-file', 'client', '--webhook-secret-file', 'webhook'];
  const add = ['connector', 'add', 'tracker', '--no-input', '--client-id', app.clientId, ...secrets];
  const draft = JSON.parse(await command([...add, '--json'])) as {
    readonly connection: { readonly id: string };
    readonly authorizationUrl: string;
  };
  const { id } = draft.connection;
  say(`Draft ${id}. A person authorizes it at ${new URL(draft.authorizationUrl).origin}.`);
  await (await fetch(draft.authorizationUrl)).text();

  const where = ['--githost', 'gitea', '--repository', 'octo-org/context', '--team', 'SHOP'];
  await command(['connector', 'resume', 'tracker', '--no-input', ...where, '--json']);
  githost.merge(repository, 1);
  say('The pull request with tracker/config.yaml is merged.');
  await until('Connected', async () => ((await status(id)) === 'connected' ? true : undefined));
  const path = `tracker/issues/SHOP/${String(issue['identifier'])}.md`;
  await until(path, () => fileWith(repository, path, 'The cart total is wrong'));
  say(`Connected. ${path} is in Git.`);

  const commits = (): number => Number(repository.bare.git('rev-list', '--count', 'main'));
  const before = commits();
  workspace.add('Comment', {
    issueId: issue.id,
    userId: workspace.viewer.id,
    body: 'src/cart.ts ignores the discount.',
  });
  const text = await until('the comment', () => fileWith(repository, path, 'ignores the discount'));
  say(`An event changed the file, in ${commits() - before} commit:\n\n${text}`);

  const question = `What is known about ${String(issue['identifier'])}?`;
  const answer = await until('an answer that cites the issue', async () => {
    const given = await command(['ask', question]);
    return given.includes(path) ? given : undefined;
  });
  say(`$ orgctx ask "${question}"\n${answer}`);
}

await run();
