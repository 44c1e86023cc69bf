import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Gate, type GateResult, runGates } from '../support/run/gates.ts';

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
