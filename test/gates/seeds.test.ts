import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRandom } from '../support/connectors/random.ts';
import { projectRoot } from '../support/run/gates.ts';
import { describeFailures, readVitestReport } from '../support/run/test-totals.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const support = join(projectRoot, 'test/support');

const planted = `
const { default: fc } = await import(${JSON.stringify(join(projectRoot, 'node_modules/fast-check/lib/fast-check.js'))});
const { testSeed } = await import(${JSON.stringify(join(support, 'run/seed.ts'))});
const { createRandom } = await import(${JSON.stringify(join(support, 'connectors/random.ts'))});
it('own', () => expect(createRandom(testSeed()).below(1_000_000)).toBe(-1));
it('property', () => fc.assert(fc.property(fc.nat(), (n) => n < 0)));
it('plain', () => expect(1).toBe(2));
`;

/** Runs random tests that fail; returns the lines of their failures. */
function failures(env: Readonly<Record<string, string>>): readonly string[] {
  const root = temporaryFolder();
  const file = join(root, 'report.json');
  const setupFiles = [join(support, 'run/seeded-tests.ts')];
  const config = {
    root,
    test: { globals: true, setupFiles, projects: [{ extends: true, test: { name: 'long' } }] },
  };
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  writeFileSync(join(root, 'random.test.mjs'), planted);
  const args = ['run', '--root', root, '--reporter=json', `--outputFile=${file}`];
  spawnSync(join(projectRoot, 'node_modules/.bin/vitest'), args, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  });
  return describeFailures(readVitestReport(readFileSync(file, 'utf8')));
}

it('a failed random test says how to repeat it in its last line, and repeats so', () => {
  const [own, property, plain] = failures({ ORGCTX_TEST_SEED: '123' });
  const repeat = 'Seed 123: ORGCTX_TEST_SEED=123 npx vitest run --project=long random.test.mjs';
  expect([own?.split('\n').at(-1), property?.split('\n').at(-1)]).toEqual([repeat, repeat]);
  expect(property).toContain('seed: 123');
  expect(plain).not.toContain('Seed');
  expect(own).toContain(`expected ${createRandom(123).below(1_000_000)} to be -1`);
});

it('the seed is fixed in `npm test`, and a new one in `npm run test:long`', () => {
  const seedIn = (env: Readonly<Record<string, string>>) => /Seed (\d+)/.exec(failures(env)[0] ?? '')?.[1];
  expect(seedIn({})).toBe('7');
  expect(seedIn({ ORGCTX_TEST_LONG: 'true' })).not.toBe('7');
});
