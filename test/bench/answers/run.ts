import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { formatStart } from '../../../src/cli/ask/citation.ts';
import { ask } from '../../../src/features/advisor/ask.ts';
import { asking, openAdvisor } from '../../support/advisor/opened-advisor.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { questions as ownQuestions } from './questions.ts';

const withoutStyle = { style: (_: unknown, text: string) => text };
const written = z.array(z.object({ about: z.string(), prompt: z.string() }));

/**
 * Prints the answers to the written questions about some repositories, as a terminal shows them, to be judged by a person:
 * `node test/bench/answers/run.ts <folder or bare repository>…`. `--only WORDS` asks those that contain the words,
 * `--questions FILE` those of a JSON file: `[{ "about": "<name of the folder>", "prompt": "…" }]`. Code search, history
 * and graph are the product's own.
 */
async function main(): Promise<void> {
  const options = { only: { type: 'string', default: '' }, questions: { type: 'string' } } as const;
  const { values, positionals: folders } = parseArgs({ allowPositionals: true, options });
  const { only, questions: file } = values;
  const questions = file === undefined ? ownQuestions : written.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { deps, projecting, compact, close } = await openAdvisor();
  const names: string[] = [];
  for (const folder of folders) {
    const parent = basename(dirname(folder)).split('+')[1] ?? '';
    const name = basename(folder) === 'repo' ? parent : basename(folder);
    const copy = join(temporaryFolder(), name);
    execFileSync('git', ['clone', '--quiet', '--shared', folder, copy]);
    const { state, error } = await projecting.add(copy);
    if (state !== 'indexed') throw new Error(`${folder} was not indexed: ${error?.message ?? state}`);
    names.push(name);
  }
  await compact();
  for (const { about, prompt } of questions) {
    if (!names.includes(about) || !prompt.includes(only)) continue;
    const started = performance.now();
    const { answer, citations } = await ask(deps, projecting.scope, { prompt }, asking);
    const took = Math.round(performance.now() - started);
    const { text } = formatStart(answer, citations, withoutStyle);
    console.log([`## ${about}: ${prompt} (${took} ms)`, '', text, ''].join('\n'));
  }
  await close();
}

await main();
