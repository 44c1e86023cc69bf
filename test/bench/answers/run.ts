import { execFileSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { plainAnswer, shortPlace } from '../../../src/cli/ask/citation.ts';
import { ask } from '../../../src/features/advisor/ask.ts';
import { asking, openAdvisor } from '../../support/advisor/opened-advisor.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { questions } from './questions.ts';

/**
 * Prints the answers to the written questions about some repositories, to be judged by a person:
 * `node test/bench/answers/run.ts <folder or bare repository>…`, with `--only=<words>` those that contain the words. Code
 * search, history and graph are the product's own.
 */
async function main(folders: readonly string[], only: string): Promise<void> {
  const { deps, projecting, close } = await openAdvisor();
  const names: string[] = [];
  for (const folder of folders) {
    const parent = basename(dirname(folder)).split('+')[1] ?? '';
    const name = basename(folder) === 'repo' ? parent : basename(folder);
    const copy = join(temporaryFolder(), name);
    execFileSync('git', ['clone', '--quiet', '--shared', folder, copy]);
    await projecting.add(copy);
    names.push(name);
  }
  for (const { about, prompt } of questions) {
    if (!names.includes(about) || !prompt.includes(only)) continue;
    const started = performance.now();
    const { answer, citations } = await ask(deps, projecting.scope, { prompt }, asking);
    const took = Math.round(performance.now() - started);
    const places = citations.map((one) => `  [${one.n}] ${shortPlace(one, true)}`);
    console.log(
      [`## ${about}: ${prompt} (${took} ms)`, '', plainAnswer(answer), '', ...places, ''].join('\n'),
    );
  }
  await close();
}

const given = process.argv.slice(2);
await main(
  given.filter((one) => !one.startsWith('--only=')),
  given.find((one) => one.startsWith('--only='))?.slice('--only='.length) ?? '',
);
