import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGithost } from '../standins/githost/githost.ts';
import { startOncall } from '../standins/oncall/oncall.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, startQuickstart } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fileWith, say, until } from './steps.ts';

/**
 * `npm run demo:oncall`: connects the built service to stand-ins of the oncall provider and of a Git host, all on this
 * host, and shows how an incident gets from the provider into Git and into an answer. Exits with 1 if a step fails.
 */
const hostToken = 'bot-token-0123456789';

async function run(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const folder = temporaryFolder();
  const oncall = opened.use(await startOncall());
  const githost = await startGithost({ flavour: 'gitea' });
  opened.defer(() => githost.close());
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'Our context\n' } });
  githost.addUser('bot', hostToken);
  repository.access.set('bot', 'admin');
  const { account, subscriptions } = oncall.us;
  const shop = account.addService('Shop', { description: 'The web shop' });

  const env = { ...oncall.settings, OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host };
  const { folder: source } = createRepository({ 'src/cart.ts': 'export const total = () => 0;\n' });
  const service = await startQuickstart([source], { env });
  opened.defer(async () => void (await service.stop()));
  const { baseUrl, orgSlug, apiKey } = service.result;
  say(`The service listens at ${baseUrl}, the oncall provider at ${oncall.settings['ONCALL_API_URL_US']}.`);

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
  const app = oncall.addApp('us', `${baseUrl}/api/v1/integrations/oncall/callback`);
  writeFileSync(join(folder, 'client'), app.clientSecret);
  const add = ['connector', 'add', 'oncall', '--no-input', '--client-id', app.clientId];
  const draft = JSON.parse(await command([...add, '--client-secret-file', 'client', '--json'])) as {
    readonly connection: { readonly id: string };
    readonly authorizationUrl: string;
  };
  const { id } = draft.connection;
  say(`Draft ${id}. A person authorizes it at ${new URL(draft.authorizationUrl).origin}.`);
  await (await fetch(draft.authorizationUrl)).text();
  const subscription = await until('the webhook subscription', () => subscriptions.all[0]);
  say(`Webhook subscription ${subscription.id} sends to ${subscription.url}.`);

  const before = account.incidents.trigger(shop, { title: 'Checkout returns 500', quiet: true });
  const where = ['--githost', 'gitea', '--repository', 'octo-org/context', '--service', shop.id];
  await command(['connector', 'resume', 'oncall', '--no-input', ...where, '--json']);
  githost.merge(repository, 1);
  say('The pull request with oncall/config.yaml is merged.');
  await until('Connected', async () => ((await status(id)) === 'connected' ? true : undefined));
  const path = `oncall/incidents/${new Date(before.createdAt).toISOString().slice(0, 7).replace('-', '/')}/${before.id}.md`;
  await until(path, () => fileWith(repository, path, 'Checkout returns 500'));
  say(`Connected. ${path} is in Git.`);

  account.incidents.acknowledge(before);
  account.incidents.annotate(before, 'The cart total was empty. Reverted in src/cart.ts.');
  const text = await until('the note', () => fileWith(repository, path, 'src/cart.ts'));
  say(`An event changed the file:\n\n${text}`);

  const question = `What happened to incident ${before.id} and what changed before?`;
  const answer = await until('an answer that names the incident', async () => {
    const given = await command(['ask', question]);
    return given.includes('“Checkout returns 500”') && given.includes('(acknowledged)') ? given : undefined;
  });
  say(`$ orgctx ask "${question}"\n${answer.split('\n').slice(0, 10).join('\n')}\n…`);
  const others = oncall.rest.writes.filter((call) => !call.includes('/webhook_subscriptions'));
  if (others.length > 0) throw new Error(`the provider was written to: ${others.join(', ')}`);
  say('Nothing was written to the provider but its webhook subscription.');
}

await run();
