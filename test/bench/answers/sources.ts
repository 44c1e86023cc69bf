import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { definitionExtents, readText } from '../../../src/backends/codesearch/passages/definition-extents.ts';
import {
  type FileClass,
  fileClassOf,
  languageOf,
  maxFileBytes,
  type RankedDefinition,
} from '../../../src/backends/codesearch/port.ts';
import { ParseQueue, sourceLanguages } from '../../../src/backends/languages/port.ts';
import { escapePattern } from '../../../src/foundation/kernel/text/escape-pattern.ts';
import { silentLog } from '../../support/silent-log.ts';
import { CorpusReader } from '../retrieval/corpus.ts';
import type { Source } from './complete-source.ts';
import type { Question } from './questions.ts';
import type { Place } from './score.ts';

/** A file of a repository at HEAD. */
export interface SourceFile {
  readonly repository: string;
  readonly path: string;
  readonly fileClass: FileClass;
  readonly lines: readonly string[];
  /** In line order. */
  readonly definitions: readonly RankedDefinition[];
}

/** Returns the folder of a repository: `owner+name/repo`, `owner+name` or `name` in a folder. */
export function findSource(root: string, name: string, owned: readonly string[]): Source {
  const candidates = [name, ...owned.filter((each) => each.endsWith(`+${name}`))]
    .flatMap((each) => [join(root, each, 'repo'), join(root, each)])
    .map((each) => resolve(each));
  const folder = candidates.find((each) => existsSync(join(each, '.git')) || existsSync(join(each, 'HEAD')));
  if (folder === undefined) throw new Error(`${root} has no repository ${name}.`);
  return { name, folder };
}

/** Reads the files of the repositories at HEAD, with the definitions of the product. */
export async function readSources(sources: readonly Source[]): Promise<readonly SourceFile[]> {
  const files = sources.flatMap(({ name, folder }) => {
    const args = ['-C', folder, 'rev-parse', '--absolute-git-dir'];
    const gitDir = execFileSync('git', args, { encoding: 'utf8' }).trim();
    const read = new CorpusReader(gitDir).at('HEAD', () => true);
    return read.map(({ path, text }) => ({ repository: name, path, text, language: languageOf(path) }));
  });
  const parsable = files.filter(
    ({ language, text }) => sourceLanguages.has(language) && Buffer.byteLength(text) <= maxFileBytes,
  );
  const queue = new ParseQueue({ log: silentLog });
  const parsed = await queue.parseFiles(parsable, new AbortController().signal);
  await queue.close();
  const results = new Map(parsable.map((file, index) => [file, parsed[index]!]));
  return files.map((file) => {
    const { repository, path, language, text } = file;
    const result = results.get(file);
    const lines = text.split('\n');
    const symbols = result === undefined || 'failed' in result ? [] : result.symbols;
    return {
      repository,
      path,
      fileClass: fileClassOf(path, language),
      lines,
      definitions: definitionExtents(readText(lines, language), symbols),
    };
  });
}

/** Returns the lines of each place of a question, in order. @throws if a place does not exist */
export function placesOf({ id, places }: Question, files: readonly SourceFile[]): readonly Place[] {
  return places.map((text) => {
    const [, repository = '', path = '', name = ''] = /^([^/:]+)\/([^:]+):(.+)$/.exec(text) ?? [];
    const file = files.find((each) => each.repository === repository && each.path === path);
    if (file === undefined) throw new Error(`${id}: there is no file ${repository}/${path}.`);
    const ranges = rangesOf(file, name);
    if (ranges.length === 0) throw new Error(`${id}: ${repository}/${path} does not have ${name}.`);
    return { repository, path, ranges, text: file.lines };
  });
}

function rangesOf({ lines, definitions }: SourceFile, name: string): Place['ranges'] {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(name) ?? [];
  if (from !== undefined) {
    const [first, last] = [Number(from), Number(to)];
    return first <= last && last <= lines.length ? [{ first, last }] : [];
  }
  // `Lease.renew`, `Lease#renew`, `Lease::renew`, or the name alone.
  const [, container = '', member = name] = /^(\w+)(?:[.#]|::)(.+)$/.exec(name) ?? [];
  const isNamed = (each: RankedDefinition): boolean =>
    each.name === name || (each.name === member && each.container?.name === container);
  const named = definitions.filter(isNamed);
  if (named.length > 0) return named.map(({ startLine, endLine }) => ({ first: startLine, last: endLine }));
  // Definitions that the product does not know, such as those of macros: the lines that name them.
  const word = new RegExp(`(?<![\\w$])${escapePattern(member)}(?![\\w$])`);
  return lines.flatMap((line, at) => (word.test(line) ? [{ first: at + 1, last: at + 1 }] : []));
}
