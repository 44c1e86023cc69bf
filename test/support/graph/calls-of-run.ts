import { certaintyOf } from '../../../src/features/knowledge/certainty.ts';
import { resolveFile } from '../../../src/features/knowledge/symbols/resolve/resolve-file.ts';
import { type Files, type Resolving, tableOf } from './resolving.ts';

/** Returns the files that calls of `run` in the first file lead to, with the certainty of the calls, each once. */
export async function callsOfRun(parse: Resolving['parse'], files: Files): Promise<string[]> {
  const parsed = await parse(files);
  const found = resolveFile(tableOf(parsed, files), parsed[0]!)
    .uses.filter(({ use }) => use.name.toLowerCase() === 'run')
    .flatMap((each) => each.targets.map(({ path }) => `${certaintyOf(each)} ${path}`));
  return [...new Set(found)];
}
