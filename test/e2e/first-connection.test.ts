import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Githost, type HostedRepository, startGithost } from '../standins/githost/githost.ts';
import { startOncall } from '../standins/oncall/oncall.ts';
import { startTracker } from '../standins/tracker/tracker.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { program, type RunningQuickstart, startQuickstart } from '../support/program/program.ts';
import { codeBlocks, readPage } from '../support/run/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fillWorkspace } from '../support/tracker/example-workspace.ts';

const hostToken = 'bot-token-0123456789';
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

type Kind = 'tracker' | 'oncall';
type Flavour = 'github' | 'gitea';

const marks: Readonly<Record<Kind | Flavour, RegExp>> = {
  tracker: /tracker|linear/,
  oncall: /oncall|pagerduty/,
  github: /githost add github|hook\.txt$/m,
  gitea: /gitea|token\.txt/,
};

/** Returns the commands of the page, line by line, without those of the other connector and Git host. */
function commandsFor(kind: Kind, flavour: Flavour): readonly string[] {
  const blocks = codeBlocks(readPage('docs/first-connection.md'), 'sh');
  const isOf = (mark: Kind | Flavour, line: string) => marks[mark].test(line);
  const lines = blocks.flatMap((block) => {
    const others = [
      kind === 'tracker' ? 'oncall' : 'tracker',
      flavour === 'github' ? 'gitea' : 'github',
    ] as const;
    // `(oncall for PagerDuty.)`: some commands are written for one connector.
    const isShared = /^orgctx (?:connector (?:status|remove)|doctor)/.test(block);
    if (!isShared && others.some((other) => isOf(other, block) && !isOf(kind, block))) return [];
    return block.trimEnd().split('\n');
  });
  return lines.map((line) =>
    line
      .replace(/^(orgctx (?:connector (?:status|remove)|doctor connector)) tracker/, `$1 ${kind}`)
      .replace('--githost github', `--githost ${flavour}`),
  );
}

/** A shell in which the page is followed, with the built program as `orgctx`. */
function openShell({ result }: RunningQuickstart, env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'orgctx'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(bin, 'orgctx'), 0o755);
  const variables = {
    ...env,
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: temporaryFolder(),
    NO_COLOR: '1',
    DATA_DIR: result.dataDir,
    ORGCTX_URL: result.baseUrl,
    ORGCTX_ORG: result.orgSlug,
    ORGCTX_API_KEY: result.apiKey ?? '',
  };
  const run = async (line: string, input = ''): Promise<{ code: number | null; output: string }> => {
    const shell = spawn('bash', ['-c', line], { cwd: folder, env: variables, timeout: 180_000 });
    // Most commands end without reading it.
    shell.stdin.on('error', () => undefined).end(input);
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const code = await new Promise<number | null>((resolve) => shell.once('close', resolve));
    return { code, output };
  };
  return { folder, run };
}

/** Opens the address that a command printed, as a browser does, and presses Allow if the page asks. */
async function visit(url: string): Promise<void> {
  const page = await fetch(url);
  const text = await page.text();
  expect(page.status, text).toBe(200);
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1];
  if (csrf === undefined) return;
  const cookie = page.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const answer = await fetch(page.url, {
    method: 'POST',
    headers: { cookie: cookie.join('; '), origin: new URL(page.url).origin },
    body: new URLSearchParams({ csrf, decision: 'allow' }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

/** The Git host of the page, with what its screens give out. */
async function openGithost(flavour: Flavour) {
  const githost = await startGithost({ flavour });
  opened.push(githost);
  const repository = githost.addRepository('acme/context', {
    private: true,
    files: { 'README.md': 'Ours\n' },
  });
  githost.addUser('bot', hostToken);
  repository.access.set('bot', 'admin');
  return { githost, repository };
}

async function openProvider(kind: Kind) {
  if (kind === 'tracker') {
    const tracker = await startTracker();
    opened.push(tracker);
    const { issue } = fillWorkspace(tracker.workspace);
    return {
      settings: tracker.settings,
      register: (redirectUri: string) => tracker.addApp(redirectUri),
      scope: 'ENG',
      entity: () => issue.id,
      edit: () => tracker.workspace.update(issue, { title: 'Edited by hand' }),
      deliverTo: (url: string, secret: string) => {
        tracker.webhooks.webhook = { url, secret };
      },
    };
  }
  const oncall = await startOncall();
  opened.push(oncall);
  const shop = oncall.us.account.addService('Shop');
  const incident = oncall.us.account.incidents.trigger(shop, { title: 'Down', quiet: true });
  return {
    settings: oncall.settings,
    register: (redirectUri: string) => oncall.addApp('us', redirectUri),
    scope: shop.id,
    entity: () => incident.id,
    edit: () => oncall.us.account.incidents.annotate(incident, 'Edited by hand'),
    deliverTo: () => undefined,
  };
}

/** Does what a person does at the Git host meanwhile: merges the pull request when it is open. */
async function merged(githost: Githost, repository: HostedRepository): Promise<void> {
  await expect.poll(() => repository.pulls.length).toBe(1);
  githost.merge(repository, 1);
}

describe('the page of the first connection, followed from its first to its last line', () => {
  it.each([
    ['tracker', 'github'],
    ['oncall', 'gitea'],
  ] as const)('connects %s to %s', { timeout: 600_000 }, async (kind, flavour) => {
    const provider = await openProvider(kind);
    const { githost, repository } = await openGithost(flavour);
    const host = flavour === 'github' ? { GITHOST_KIND: 'github', GITHOST_URL: githost.origin } : {};
    const env = { ...provider.settings, ...host, OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host };
    const source = createRepository({ 'a.ts': 'export const a = 1;\n' });
    const service = await startQuickstart([source.folder], { env });
    opened.push({ close: () => service.stop() });
    const { baseUrl } = service.result;
    const { folder, run } = openShell(service, env);
    const { app, privateKey } = githost.addApp({ setupUrl: `${baseUrl}/api/v1/integrations/githost/setup` });
    githost.installer = 'acme';
    writeFileSync(join(folder, 'app.pem'), privateKey);
    let clientId = '';
    const secrets: Record<string, string> = { 'token.txt': hostToken, 'linear-hook.txt': 'linear-secret' };
    /** What a person does and sees after a command, by its beginning. */
    const then: Readonly<Record<string, (output: string) => Promise<void> | void>> = {
      'orgctx connector add': (output) => {
        expect(output).toContain('OAuth is not configured');
        const addressOf = (what: string) => new RegExp(`${what} ([^\\s,]+)`).exec(output)?.[1] ?? '';
        const registered = provider.register(addressOf('redirect URI'));
        ({ clientId } = registered);
        for (const name of ['linear-client.txt', 'pagerduty-client.txt'])
          secrets[name] = registered.clientSecret;
        provider.deliverTo(addressOf('webhook URL'), 'linear-secret');
      },
      'orgctx githost list': (output) => expect(output).toContain('connected'),
      'orgctx connector status': async (output) => {
        expect(output).toMatch(/mirrored +[1-9]\d* records, \d+ pending, 0 failed/);
        provider.edit();
        const paths = () => repository.bare.git('grep', '--files-with-matches', 'Edited by hand', 'main');
        await expect.poll(() => attempt(paths)).toMatch(/issues|incidents/);
      },
      'orgctx connector record': () => {
        const trace = readFileSync(join(folder, 'trace.jsonl'), 'utf8');
        expect(trace).toContain(provider.entity());
        expect(trace).not.toContain('Edited by hand');
      },
      'orgctx audit': (output) => expect(output).toContain('connection.removed'),
    };
    const followed: string[] = [];
    for (const line of commandsFor(kind, flavour)) {
      const command = line
        .replace('12345', String(app.id))
        .replace('https://git.example.com', githost.origin)
        .replace('CLIENT_ID', clientId)
        .replace(/(?<=--team )ENG|(?<=--service )PABC123/, provider.scope)
        .replace(/(?<=--entity \w+:)\S+/, provider.entity());
      const typed = /^cat > (\S+)$/.exec(line)?.[1];
      const person = line.includes('--repository') ? merged(githost, repository) : Promise.resolve();
      const { code, output } = await run(command, typed && `${secrets[typed]}\n`);
      await person;
      expect([command, code, output]).toEqual([command, line.includes('connector add') ? 2 : 0, output]);
      const link = /https?:\/\/\S*(?:installations\/new|authorize)\?\S+/.exec(output)?.[0];
      if (link !== undefined) await visit(link);
      const [begin, check] = Object.entries(then).find(([words]) => line.startsWith(words)) ?? [];
      if (begin !== undefined) followed.push(begin);
      await check?.(output);
    }
    expect(new Set(followed)).toEqual(new Set(Object.keys(then)));
  });
});

function attempt(run: () => string): string {
  try {
    return run();
  } catch {
    return '';
  }
}
