import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { ConfigError, NotConfigured } from '../../foundation/config/config-error.ts';
import {
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  Unauthenticated,
} from '../../foundation/kernel/errors.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { type CommandTable, defineCommand, defineGroup } from './command.ts';
import { Interrupted, OutputClosed } from './interrupted.ts';
import { choice, integer, requiredText, text, toggle } from './parameters.ts';
import { UsageError } from './usage-error.ts';

/** Commands with one command, `fail`, that throws `error`. */
function failing(error: unknown): CommandTable {
  const load = () => defineCommand({ run: () => Promise.reject(error) });
  return { fail: { summary: 'fails', load } };
}

const echo: CommandTable = {
  echo: {
    summary: 'prints its arguments',
    load: () =>
      defineCommand({
        args: { word: requiredText('word', 'a word'), next: text('next', 'another word') },
        flags: {
          dataDir: text('folder', 'a folder'),
          count: integer('n', 'how many', [1, 200]),
          colour: choice(['red', 'green'], 'which'),
          noWorker: toggle('without'),
        },
        examples: ['orgctx echo hello'],
        run: async (input, { terminal }) => {
          terminal.note('noted');
          return { json: input, text: terminal.out.style('red', input.args.word) };
        },
      }),
  },
  group: {
    summary: 'groups commands',
    load: () =>
      defineGroup({
        inner: { summary: 'inside', load: () => defineCommand({ run: async () => undefined }) },
      }),
  },
};

describe('a command line', () => {
  it('passes a command its arguments and flags, parsed and typed', async () => {
    const words = [
      'echo',
      'hello',
      'again',
      '--data-dir',
      '/d',
      '--count=7',
      '--colour',
      'red',
      '--no-worker',
    ];
    const { code, stdout } = await runCli([...words, '--json'], {
      commands: echo,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      args: { word: 'hello', next: 'again' },
      flags: { dataDir: '/d', count: 7, colour: 'red', noWorker: true },
    });
  });

  it('passes a flag that the command above has, too, wherever it stands', async () => {
    const flags = { dataDir: text('folder', 'a folder') };
    const run = async ({ flags: given }: { readonly flags: unknown }) => ({ json: given, text: '' });
    const inner = { summary: 'inside', load: () => defineCommand({ flags, run }) };
    const outer = () => defineCommand({ flags, run, subcommands: { inner } });
    const commands: CommandTable = { outer: { summary: 'outside', load: outer } };
    for (const words of [
      ['outer', 'inner', '--data-dir', '/d'],
      ['outer', '--data-dir', '/d', 'inner'],
    ]) {
      const { stdout } = await runCli([...words, '--json'], { commands });
      expect(JSON.parse(stdout)).toEqual({ dataDir: '/d' });
    }
  });

  it('treats empty flags as absent', async () => {
    const { stdout } = await runCli(['echo', 'hello', '--data-dir', '', '--json'], { commands: echo });
    expect(JSON.parse(stdout).flags).toEqual({ noWorker: false });
  });

  it('puts the result on stdout and everything else on stderr', async () => {
    expect(await runCli(['echo', 'hello'], { commands: echo })).toEqual({
      code: 0,
      stdout: 'hello\n',
      stderr: 'noted\n',
    });
  });

  it('accepts the common flags before and after the command', async () => {
    for (const words of [
      ['--json', 'echo', 'hello'],
      ['echo', '--json', 'hello'],
    ]) {
      const { stdout } = await runCli(words, { commands: echo });
      expect(stdout.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stdout).args.word).toBe('hello');
    }
  });

  it('treats any word after -- as an argument', async () => {
    const { stdout, code } = await runCli(['echo', '--', '--json'], { commands: echo });
    expect({ stdout, code }).toEqual({ stdout: '--json\n', code: 0 });
  });

  it.each([
    [['ecko', 'x'], /unknown command 'ecko'.*\n.*Did you mean echo/],
    [['echo', 'x', '--cuont', '1'], /unknown option '--cuont'.*\n.*Did you mean --count/],
    [['echo'], /missing required argument 'word'/],
    [['echo', ''], /<word> must not be empty/],
    [['echo', 'x', '--count', '201'], /--count must be a whole number from 1 to 200/],
    [['echo', 'x', '--count', '1e2'], /--count must be a whole number/],
    [['echo', 'x', '--count'], /argument missing/],
    [['echo', 'x', '--colour', 'blue'], /--colour must be one of red, green/],
    [['group', 'outer'], /unknown command 'outer'\nRun "orgctx group --help" for a list/],
    [['group'], /A command is missing.*[\s\S]*inner/],
    [['nope'], /unknown command 'nope'\nRun "orgctx --help" for a list/],
    [['help', 'nope'], /unknown command 'nope'\nRun "orgctx --help" for a list/],
    [['help', 'ecko'], /unknown command 'ecko'.*\n.*Did you mean echo/],
    [['ecko', '--help'], /unknown command 'ecko'.*\n.*Did you mean echo/],
    [['help', 'group', 'outer'], /unknown command 'outer'\nRun "orgctx group --help"/],
    [['--no-color', 'group', 'outer', '--help'], /unknown command 'outer'\nRun "orgctx group --help"/],
    [['echo', 'x', '--version'], /unknown option '--version'/],
  ])('exits with 2 and says what to do for %j', async (words, message) => {
    const { code, stdout, stderr } = await runCli(words, { commands: echo });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  it('names commands as they are typed under npx, except in JSON', async () => {
    const env = { npm_command: 'exec' };
    expect((await runCli(['nope'], { commands: echo, env })).stderr).toContain('Run "npx orgctx --help"');
    const { stderr } = await runCli(['nope', '--json'], { commands: echo, env });
    expect(JSON.parse(stderr).error.hint).toContain('Run "orgctx --help"');
  });

  it('does not repeat an invalid value, which may be a misplaced secret', async () => {
    const { stderr } = await runCli(['echo', 'x', '--count', 'hush'], { commands: echo });
    expect(stderr).not.toContain('hush');
  });

  it.each([[], ['--no-color'], ['--help'], ['help'], ['echo', '--help'], ['help', 'echo'], ['group', '-h']])(
    'prints help on stdout: %j',
    async (...words) => {
      const { code, stdout, stderr } = await runCli(words, { commands: echo });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: orgctx/);
    },
  );

  it('shows the commands of the program in groups', async () => {
    const load = () => defineCommand({ run: async () => undefined });
    const { stdout } = await runCli([], {
      commands: {
        one: { group: 'First', summary: 'does one', load },
        two: { group: 'Second', summary: 'does two', load },
      },
    });
    expect(stdout).toMatch(/\nFirst:\n {2}one +does one\n\nSecond:\n {2}two +does two\n/);
  });

  it.each([['-v'], ['--version'], ['--no-color', '-v'], ['version']])(
    'prints the version: %j',
    async (...words) => {
      const { code, stdout } = await runCli(words);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^orgctx \d+\.\d+\.\d+\S*\n$/),
      });
    },
  );

  it('loads only the command that is named', async () => {
    const trap = { summary: 'trap', load: () => Promise.reject(new Error('was loaded')) };
    expect((await runCli(['echo', 'x'], { commands: { ...echo, trap } })).code).toBe(0);
    expect((await runCli(['--help'], { commands: { ...echo, trap } })).stdout).toContain('trap');
    expect((await runCli(['trap'], { commands: { ...echo, trap } })).stderr).toContain('was loaded');
  });
});

describe('exit codes', () => {
  it.each<[string, number, unknown]>([
    ['a usage error', 2, new UsageError('wrong')],
    ['input that a use case refuses', 2, new InvalidInput('wrong')],
    ['a wrong setting', 3, new ConfigError([{ name: 'PORT', message: 'must be a port' }])],
    ['a wrong schema', 3, new NotConfigured('Run orgctx migrate.')],
    ['no credential', 4, new Unauthenticated('unauthenticated', 'no')],
    ['no access', 4, new Forbidden('forbidden', 'no')],
    ['an unresolvable host', 5, new OutboundError('h', 'dns', 'no')],
    ['a refused connection', 5, new OutboundError('h', 'refused', 'no')],
    ['a broken certificate', 5, new OutboundError('h', 'tls', 'no')],
    ['a time-out', 7, new OutboundError('h', 'timeout', 'late')],
    ['a time-out of a signal', 7, AbortSignal.timeout(0)],
    ['an interruption', 130, new Interrupted('Ctrl-C')],
    ['a closed stdout', 0, new OutputClosed()],
    ['a missing object', 1, new NotFound('no')],
    ['a conflict', 1, new Conflict('conflict', 'no')],
    ['an internal error', 1, new TypeError('x is not a function')],
    ['a thrown value that is not an error', 1, 'text'],
  ])('%s is %i', async (_, code, error) => {
    if (error instanceof AbortSignal) await pause(10);
    const thrown = error instanceof AbortSignal ? error.reason : error;
    expect((await runCli(['fail'], { commands: failing(thrown) })).code).toBe(code);
  });

  it('can be combined with a result', async () => {
    const load = () =>
      defineCommand({ run: async () => ({ json: { ok: false }, text: 'bad', exitCode: 1 }) });
    const outcome = await runCli(['check', '--json'], { commands: { check: { summary: 'checks', load } } });
    expect(outcome).toEqual({ code: 1, stdout: '{"ok":false}\n', stderr: '' });
  });

  it('are 130 if the command throws any error after an interruption', async () => {
    const controller = new AbortController();
    const load = () =>
      defineCommand({
        run: async (_, { signal }) => {
          controller.abort(new Interrupted('Ctrl-C'));
          signal.throwIfAborted();
          return undefined;
        },
      });
    const wrapped = { work: { summary: 'works', load } };
    const { code, stderr } = await runCli(['work'], { commands: wrapped, signal: controller.signal });
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'error: Interrupted (Ctrl-C).\n' });
  });

  it('are 0 if a command finishes gracefully after the interruption', async () => {
    const controller = new AbortController();
    controller.abort(new Interrupted('SIGTERM'));
    const load = () => defineCommand({ run: async () => undefined });
    expect(
      (await runCli(['drain'], { commands: { drain: { summary: 'd', load } }, signal: controller.signal }))
        .code,
    ).toBe(0);
  });
});

describe('an error', () => {
  const errors = new ConfigError([
    { name: 'PORT', message: 'must be a whole number' },
    { name: 'HOST', message: 'must be a host' },
  ]);

  it('prints each error on its own line', async () => {
    const { stderr } = await runCli(['fail'], { commands: failing(errors) });
    expect(stderr).toBe(
      'error: 2 settings are invalid:\n  PORT must be a whole number\n  HOST must be a host\n',
    );
  });

  it('escapes characters in JSON that a terminal obeys, without changing the value', async () => {
    const hidden = 'a\u009B2J\u202Eb';
    const { stdout } = await runCli(['echo', hidden, '--json'], { commands: echo });
    const { stderr } = await runCli(['fail', '--json'], { commands: failing(new Conflict('x', hidden)) });
    for (const output of [stdout, stderr]) expect(output).toContain(String.raw`a\u009b2J\u202eb`);
    expect(JSON.parse(stdout).args.word).toBe(hidden);
  });

  it('prints one JSON value to stderr with --json, and nothing to stdout', async () => {
    const { stdout, stderr } = await runCli(['fail', '--json'], { commands: failing(errors) });
    expect(stdout).toBe('');
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_configured',
      exitCode: 3,
      errors: [{ name: 'PORT' }, { name: 'HOST' }],
    });
  });

  it('prints the stack and causes only with --verbose, and never the detail', async () => {
    const error = new NotFound('gone', { cause: new Error('deep down'), detail: { key: 'hush' } });
    const plain = await runCli(['fail'], { commands: failing(error) });
    expect(plain.stderr).toBe('error: gone\n');
    const verbose = await runCli(['fail', '--verbose'], { commands: failing(error) });
    expect(verbose.stderr).toMatch(/at .*run-command-line\.test\.ts[\s\S]*caused by: Error: deep down/);
    expect(verbose.stderr).not.toContain('hush');
  });

  it('prints control characters in visible form', async () => {
    const { stderr } = await runCli(['fail'], { commands: failing(new NotFound('a\u001b[2Jb\u202ec')) });
    expect(stderr).toBe('error: a[2Jbc\n');
  });
});

describe('colour', () => {
  const red = '\u001b[31mhello\u001b[39m\n';

  it('is on for a terminal and off otherwise', async () => {
    expect((await runCli(['echo', 'hello'], { commands: echo, terminal: true })).stdout).toBe(red);
    expect((await runCli(['echo', 'hello'], { commands: echo })).stdout).toBe('hello\n');
  });

  it.each([
    [{ NO_COLOR: '1' }, [], 'hello\n'],
    [{ NO_COLOR: '' }, [], red],
    [{ TERM: 'dumb' }, [], 'hello\n'],
    [{}, ['--no-color'], 'hello\n'],
  ])('%j %j', async (env, words, stdout) => {
    const outcome = await runCli(['echo', 'hello', ...words], {
      commands: echo,
      env,
      terminal: true,
    });
    expect(outcome.stdout).toBe(stdout);
  });
});
