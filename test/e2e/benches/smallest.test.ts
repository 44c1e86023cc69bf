import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type BenchInputs, benches } from '../../bench/support/benches.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { compileCache } from '../../support/program/compile-cache.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = fileURLToPath(new URL('../../bench/', import.meta.url));
const jobs = fileURLToPath(new URL('../../../src/foundation/jobs/', import.meta.url));
/** Time after which a bench is killed, in milliseconds. */
const limitMs = 240_000;

/** Creates a repository with the code of the queue of this project, and with changes of two of its files. */
function createInputs(): BenchInputs {
  const paths = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const files = Object.fromEntries(
    paths.map((path) => [`src/${path}`, readFileSync(join(jobs, path), 'utf8')]),
  );
  const repository = createRepository(files);
  for (const [path, text] of Object.entries(files).slice(0, 2)) {
    const name = basename(path, '.ts');
    repository.commit(
      { [path]: `${text}\nexport const ${name.replaceAll('-', '')}Limit = 3;\n` },
      `Limit the ${name} of the queue of jobs`,
    );
  }
  const questions = join(temporaryFolder(), 'questions.json');
  const about = basename(repository.folder);
  const place = `${about}/src/worker/worker.ts:1-1`;
  const question = { id: '1', organization: 'bench', repositories: [about], style: 'plain', kind: 'where' };
  const asked = { question: 'Where is the lease of a job renewed?', places: [place], facts: [['lease']] };
  writeFileSync(questions, JSON.stringify([{ ...question, ...asked }]));
  const places = join(temporaryFolder(), 'places.json');
  writeFileSync(
    places,
    JSON.stringify([{ repository: about, question: asked.question, places: ['worker.ts'] }]),
  );
  return { folder: repository.folder, gitDir: join(repository.folder, '.git'), questions, places };
}

const inputs = createInputs();

for (const [path, { args, needs }] of Object.entries(benches)) {
  const isMissing = needs !== undefined && spawnSync(needs, ['--version']).error !== undefined;
  it.skipIf(isMissing)(`runs ${path} with its smallest input`, async () => {
    const env = { ...process.env, ...compileCache(), ORGCTX_BENCH_SMALLEST: 'true' };
    // A group of its own, so that a bench that hangs ends together with its processes.
    const child = spawn(process.execPath, [join(folder, path), ...args(inputs)], { env, detached: true });
    const killer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitMs);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(killer);
    // An exceeded bound says nothing here. A bench then prints so and exits with 1, which Node also does for an error.
    if (code !== 0) {
      expect(code, output.stderr).toBe(1);
      expect(output.stdout, output.stderr).toMatch(/\b(?:MISSED|exceeded)\b/);
    }
    expect(output.stderr).not.toMatch(/^Node\.js v/m);
    expect(output.stdout).toMatch(/\d/);
  });
}
