import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Gate, type GateResult, runGate, runGates, summaryOf } from '../support/run/gates.ts';

const script = (name: string, code: string, after?: string): Gate => ({
  name,
  command: ['node', '--eval', code],
  ...(after === undefined ? {} : { after }),
});

async function outcomes(gates: readonly Gate[]): Promise<Record<string, GateResult>> {
  const reported: string[] = [];
  const results = await runGates(gates, tmpdir(), ({ name }) => reported.push(name));
  expect(reported.toSorted()).toEqual(gates.map(({ name }) => name).toSorted());
  return Object.fromEntries(results.map((result) => [result.name, result]));
}

describe('running gates', () => {
  it('passes a gate by its exit code and keeps the output of both streams', async () => {
    const { good, bad } = await outcomes([
      script('good', "console.log('fine')"),
      script('bad', "console.log('out'); console.error('because'); process.exitCode = 2"),
    ]);
    expect(good).toMatchObject({ passed: true, output: 'fine\n' });
    expect(bad).toMatchObject({ passed: false });
    expect(bad?.output).toContain('out');
    expect(bad?.output).toContain('because');
  });

  it('fails a gate whose tool cannot be started, and one that is killed', async () => {
    const { missing, killed } = await outcomes([
      { name: 'missing', command: ['no-such-tool-anywhere'] },
      script('killed', "process.kill(process.pid, 'SIGKILL')"),
    ]);
    expect(missing).toMatchObject({
      passed: false,
      output: expect.stringContaining('no-such-tool-anywhere'),
    });
    expect(killed).toMatchObject({ passed: false, output: 'ended by SIGKILL\n' });
  });

  it('says that a gate was stopped by its time limit, also if it then exits with a code', async () => {
    const stubborn = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => undefined, 1000)";
    const { passed, output } = await runGate({ ...script('slow', stubborn), timeoutMs: 1500 }, tmpdir());
    expect({ passed, output }).toEqual({
      passed: false,
      output: 'stopped after 0.025 minutes; is the machine busy?\n',
    });
  });

  it('names the failed gates, and the command that repairs one', () => {
    const result = { passed: false, milliseconds: 0, output: '' };
    const good = { ...result, name: 'types', passed: true };
    const failed = [
      { ...result, name: 'lint' },
      { ...result, name: 'format', repair: 'npm run format' },
    ];
    expect(summaryOf([good, ...failed])).toBe(
      '1 gates passed, 2 failed: lint, format (npm run format repairs it)',
    );
    expect(summaryOf([good])).toBe('1 gates passed');
  });

  it('runs a gate only after its dependency, and fails it if the dependency failed', async () => {
    const { ground, house, lost } = await outcomes([
      script('ground', 'setTimeout(() => console.log(Date.now()), 200)'),
      script('house', 'console.log(Date.now())', 'ground'),
      script('swamp', 'process.exitCode = 1'),
      script('lost', '', 'swamp'),
    ]);
    expect(Number(house?.output)).toBeGreaterThanOrEqual(Number(ground?.output));
    expect(lost).toMatchObject({ passed: false, output: 'not run: swamp failed\n' });
  });
});
