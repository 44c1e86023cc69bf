import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/command-line.ts';
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

/** A command line whose `fail` throws what it is given. */
function failing(error: unknown): CommandTable {
  const load = () => defineCommand({ run: () => Promise.reject(error) });
  return { fail: { summary: 'fails', load } };
}

const echo: CommandTable = {
  echo: {
    summary: 'says what it was given',
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
    summary: 'leads on',
    load: () =>
      defineGroup({
        inner: { summary: 'inside', load: () => defineCommand({ run: async () => undefined }) },
      }),
  },
};

describe('a command line', () => {
  it('hands a command its arguments and flags, read and typed', async () => {
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

  it('gives absent and empty flags as absent', async () => {
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

  it('takes the common flags before and after the command', async () => {
    for (const words of [
      ['--json', 'echo', 'hello'],
      ['echo', '--json', 'hello'],
    ]) {
      const { stdout } = await runCli(words, { commands: echo });
      expect(stdout.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stdout).args.word).toBe('hello');
    }
  });

  it('takes a word after -- for an argument, whatever it looks like', async () => {
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
    [['group', 'outer'], /unknown command 'outer'/],
    [['group'], /A command is missing.*[\s\S]*inner/],
    [[], /A command is missing.*[\s\S]*echo/],
  ])('answers %j with exit 2 and what to do', async (words, message) => {
    const { code, stdout, stderr } = await runCli(words, { commands: echo });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  it('does not repeat a faulty value, which may be a misplaced secret', async () => {
    const { stderr } = await runCli(['echo', 'x', '--count', 'hush'], { commands: echo });
    expect(stderr).not.toContain('hush');
  });

  it.each([['--help'], ['echo', '--help'], ['help', 'echo'], ['group', '-h']])(
    'prints help on stdout: %j',
    async (...words) => {
      const { code, stdout, stderr } = await runCli(words, { commands: echo });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: orgctx/);
    },
  );

  it('loads no command but the one that is named', async () => {
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
    ['nothing there', 1, new NotFound('no')],
    ['a conflict', 1, new Conflict('conflict', 'no')],
    ['a fault of ours', 1, new TypeError('x is not a function')],
    ['what is no error at all', 1, 'text'],
  ])('%s is %i', async (_, code, error) => {
    if (error instanceof AbortSignal) await pause(10);
    const thrown = error instanceof AbortSignal ? error.reason : error;
    expect((await runCli(['fail'], { commands: failing(thrown) })).code).toBe(code);
  });

  it('may come with a result', async () => {
    const load = () =>
      defineCommand({ run: async () => ({ json: { ok: false }, text: 'bad', exitCode: 1 }) });
    const outcome = await runCli(['check', '--json'], { commands: { check: { summary: 'checks', load } } });
    expect(outcome).toEqual({ code: 1, stdout: '{"ok":false}\n', stderr: '' });
  });

  it('are 130 when the work threw anything because it was interrupted', async () => {
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

  it('are 0 when a command finishes in order after the interruption', async () => {
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
  const faults = new ConfigError([
    { name: 'PORT', message: 'must be a whole number' },
    { name: 'HOST', message: 'must be a host' },
  ]);

  it('is told with each fault on a line of its own', async () => {
    const { stderr } = await runCli(['fail'], { commands: failing(faults) });
    expect(stderr).toBe(
      'error: 2 settings are wrong:\n  PORT must be a whole number\n  HOST must be a host\n',
    );
  });

  it('is one JSON value on stderr with --json, and nothing is on stdout', async () => {
    const { stdout, stderr } = await runCli(['fail', '--json'], { commands: failing(faults) });
    expect(stdout).toBe('');
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_configured',
      exitCode: 3,
      faults: [{ name: 'PORT' }, { name: 'HOST' }],
    });
  });

  it('shows its stack and causes with --verbose only, and never its detail', async () => {
    const error = new NotFound('gone', { cause: new Error('deep down'), detail: { key: 'hush' } });
    const plain = await runCli(['fail'], { commands: failing(error) });
    expect(plain.stderr).toBe('error: gone\n');
    const verbose = await runCli(['fail', '--verbose'], { commands: failing(error) });
    expect(verbose.stderr).toMatch(/at .*run-command-line\.test\.ts[\s\S]*caused by: Error: deep down/);
    expect(verbose.stderr).not.toContain('hush');
  });

  it('cannot move the cursor or recolour the terminal', async () => {
    const { stderr } = await runCli(['fail'], { commands: failing(new NotFound('a\u001b[2Jb\u202ec')) });
    expect(stderr).toBe('error: a[2Jbc\n');
  });
});

describe('colour', () => {
  const red = '\u001b[31mhello\u001b[39m\n';

  it('is on at a terminal and off everywhere else', async () => {
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
