import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { admitCaller } from '../../features/identity/access/admit-caller.ts';
import { inspectOneTimeLink } from '../../features/identity/sign-in/one-time-link.ts';
import { verifyPassword } from '../../features/identity/sign-in/password.ts';
import type { Database, DatabaseOptions } from '../../foundation/db/database.ts';
import { openDatabase } from '../../foundation/db/open-database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { commands } from '../commands.ts';
import { runCommandLine } from '../frame/run-command-line.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describeEachDatabase('orgctx admin', (open, dialect) => {
  let dataDir: string;
  let options: DatabaseOptions;

  beforeEach(async () => {
    dataDir = temporaryFolder();
    // On SQLite the first command creates the database; on Postgres it migrates an empty one.
    options =
      dialect === 'sqlite'
        ? { dialect, file: join(dataDir, 'orgctx.db') }
        : (await open({ empty: true })).options;
  });

  const run = async (words: readonly string[], input = ''): Promise<Ran> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await runCommandLine(['admin', ...words], {
      commands,
      streams: { stdin: Readable.from(input === '' ? [] : [input]), stdout, stderr },
      env: {
        DATA_DIR: dataDir,
        SERVICE_PUBLIC_APP_URL: 'http://127.0.0.1:3000',
        ...(options.dialect === 'postgres' && { DATABASE_URL: options.url, AUTH_SECRET: 'x'.repeat(40) }),
      },
      cwd: dataDir,
      homeDir: dataDir,
      signal: new AbortController().signal,
    });
    stdout.end();
    stderr.end();
    return { code, out: await text(stdout), err: await text(stderr) };
  };
  const json = async <T>(words: readonly string[], input?: string): Promise<T> => {
    const { code, out, err } = await run([...words, '--json'], input);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  };
  const onDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase(options, silentLog);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  const entry = (apiKey: string): Promise<string> =>
    onDatabase(async ({ queries }) => {
      const request = { authorization: `Bearer ${apiKey}`, orgSlug: 'acme', scope: 'api' } as const;
      return (await admitCaller({ queries, clock: systemClock }, request)).role;
    }).catch((error: unknown) => (error as { code: string }).code);

  const ada = ['--email', 'ada@example.com'];
  const create = ['create', ...ada, '--org', 'acme'];
  const createKey = async (): Promise<{ id: string; prefix: string; apiKey: string }> =>
    json(['key', 'create', ...ada, '--name', 'laptop', '--expires-in', '90d']);

  it('creates an owner on an empty host and prints a valid link', async () => {
    const result = await json<{ link: string }>([...create, '--org-name', 'Acme Inc.']);
    expect(result).toEqual({
      user: { id: expect.any(String), email: 'ada@example.com', role: 'owner' },
      organization: { id: expect.any(String), slug: 'acme', name: 'Acme Inc.' },
      existing: false,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/\.auth\/link\/[\w-]{43}$/),
    });
    const token = result.link.split('/').at(-1) ?? '';
    const { state } = await onDatabase(({ queries }) => inspectOneTimeLink(queries, token, systemClock));
    expect(state).toBe('valid');
  });

  // Only SQLite has a file that a command creates.
  if (dialect === 'sqlite')
    it('asks on a terminal before it creates a database', async () => {
      const file = join(dataDir, 'orgctx.db');
      const typed = async (reply: string) => {
        const given = { env: { DATA_DIR: dataDir }, terminal: true, typed: reply };
        const { code, stdout, stderr } = await runCli(['admin', ...create], given);
        return { code, text: stdout + stderr, exists: existsSync(file) };
      };
      const question = `There is no database at ${file}. Create a new one? [y/N]`;
      for (const reply of ['n', '']) {
        const refused = await typed(reply);
        expect(refused).toMatchObject({ code: 2, exists: false, text: expect.stringContaining(question) });
        expect(refused.text).toContain('--data-dir (DATA_DIR)');
      }
      const agreed = await typed('yes');
      expect(agreed).toMatchObject({ code: 0, exists: true });
      expect(agreed.text).toContain(`Created a new database at ${file}`);
      expect((await typed('n')).code).toBe(0);
    });

  it('reports that an account already existed, because an invited address is not verified', async () => {
    const first = await run([...create, '--password-stdin'], 'correct horse battery\n');
    expect(first.code).toBe(0);
    const isNew = `Created a new database at ${join(dataDir, 'orgctx.db')}; no server uses it yet.\n`;
    expect(first.err).toBe(dialect === 'sqlite' ? isNew : '');
    const { code, err } = await run(['create', ...ada, '--org', 'globex']);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^ada@example\.com has had an account here since \d{4}-\d\d-\d\d, with a password, as a member of 1 other organization\. /,
    );
    expect(err).toContain('orgctx admin link --email ada@example.com');
    expect(await json(['create', ...ada, '--org', 'globex'])).toMatchObject({ existing: true });
  });

  it('reads a password from stdin, without its final line break', async () => {
    expect(await json([...create, '--password-stdin'], 'correct horse battery\n')).not.toHaveProperty('link');
    const { password_hash: hash } = await onDatabase(({ queries }) =>
      queries.selectFrom('users').select('password_hash').executeTakeFirstOrThrow(),
    );
    expect(verifyPassword('correct horse battery', hash ?? '')).toBe(true);
  });

  it('creates a key that works until its user is disabled, removed, or the key revoked', async () => {
    await json(create);
    await json(['create', '--email', 'bob@example.com', '--org', 'acme', '--role', 'owner']);
    const key = await createKey();
    expect(key).toEqual({
      id: expect.any(String),
      prefix: key.apiKey.slice(0, 12),
      apiKey: expect.stringMatching(/^ock_[\w-]{43}$/),
    });
    expect(await entry(key.apiKey)).toBe('owner');
    await json(['user', 'disable', ...ada]);
    expect(await entry(key.apiKey)).toBe('invalid_token');
    await json(['user', 'enable', ...ada]);
    expect(await entry(key.apiKey)).toBe('owner');
    await json(['member', 'remove', ...ada, '--org', 'acme']);
    expect(await entry(key.apiKey)).toBe('forbidden');
    await json(['key', 'revoke', key.id]);
    expect(await entry(key.apiKey)).toBe('invalid_token');
    const other = await createKey();
    expect(await json(['key', 'revoke', `${other.prefix}…`])).toEqual({ id: other.id, revoked: true });
    expect(await entry(other.apiKey)).toBe('invalid_token');
  });

  it('records each change in the audit log with the host as the actor', async () => {
    await json(create);
    await json(['create', '--email', 'bob@example.com', '--org', 'acme', '--role', 'member']);
    const { id } = await createKey();
    await json(['key', 'revoke', id]);
    await json(['user', 'disable', ...ada]);
    await json(['user', 'enable', ...ada]);
    await json(['member', 'remove', '--email', 'bob@example.com', '--org', 'acme']);
    const rows = await onDatabase(({ queries }) =>
      queries.selectFrom('audit_events').select(['action', 'actor']).orderBy('created_at').execute(),
    );
    expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set(['host']));
    expect(new Set(rows.map(({ action }) => action))).toEqual(
      new Set([
        'user.created',
        'organization.created',
        'member.added',
        'sign-in-link.created',
        'api-key.created',
        'api-key.revoked',
        'user.disabled',
        'user.enabled',
        'member.removed',
      ]),
    );
  });

  it('prints only the key to stdout, for use in scripts', async () => {
    await json(create);
    const { out, err } = await run(['key', 'create', ...ada, '--name', 'ci']);
    expect(out).toMatch(/^ock_[\w-]{43}\n$/);
    expect(err).toMatch(/^Key [\da-f-]{36} \(ock_/);
    expect(err).not.toContain(out.trim());
  });

  it('prints a new link on request, alone on stdout', async () => {
    await json(create);
    expect((await json<{ link: string }>(['link', ...ada])).link).toContain('/.auth/link/');
    const { out, err } = await run(['link', ...ada]);
    expect(out).toMatch(/^http:\S+\/\.auth\/link\/[\w-]{43}\n$/);
    expect(err).toBe(
      'One-time link for ada@example.com, valid for 30 minutes; send it over a private channel:\n',
    );
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['a missing flag', ['create', ...ada], 2, /--org/],
    ['a bad slug', ['create', ...ada, '--org', 'Acme!'], 2, /lower-case letters/],
    ['a reserved slug', ['create', ...ada, '--org', 'mcp'], 2, /reserved/],
    ['a bad address', ['create', '--email', 'ada', '--org', 'acme'], 2, /ada@example\.com/],
    ['a bad role', [...create, '--role', 'root'], 2, /owner, admin, member/],
    ['a bad duration', ['key', 'create', ...ada, '--name', 'x', '--expires-in', '1y'], 2, /such as 90d/],
    [
      'an unknown user',
      ['link', '--email', 'eve@example.com'],
      1,
      /There is no user eve@example\.com\. .*"orgctx admin create --email eve@example\.com --org <slug>"/,
    ],
    [
      'an unknown user to disable',
      ['user', 'disable', '--email', 'eve@example.com'],
      1,
      /There is no user eve@example\.com\. .*"orgctx member list" lists the members of an organization\.\s*$/,
    ],
    ['an unknown key', ['key', 'revoke', 'nonsense'], 1, /no API key/],
    ['an unknown organization', ['member', 'remove', ...ada, '--org', 'none'], 1, /no organization none/],
    ['the last owner', ['member', 'remove', ...ada, '--org', 'acme'], 1, /keep at least one owner/],
    ['a password too short', [...create, '--password-stdin'], 2, /at least 12 characters/],
  ])('refuses %s and names the fix', async (_what, words, code, message) => {
    await json(create);
    const ran = await run(words, 'short\n');
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toMatch(message);
  });

  it.each([
    ['link', ['link']],
    ['key', ['key', 'create', '--name', 'x']],
  ])('creates no %s for a disabled user', async (_what, words) => {
    await json(create);
    await json(['user', 'disable', ...ada]);
    const { code, err } = await run([...words, ...ada]);
    expect(code).toBe(1);
    expect(err).toContain('orgctx admin user enable --email ada@example.com');
  });

  it('refuses a password that is too long', async () => {
    const { code, err } = await run([...create, '--password-stdin'], 'x'.repeat(5000));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('longer than 4096 bytes') });
  });
});
