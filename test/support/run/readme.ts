import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './gates.ts';

/** A page for operators: README.md or a page of docs/. */
export interface Page {
  /** Path from the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** Returns README.md, then every page of docs/ in the order of their names. */
export function readPages(): readonly Page[] {
  const names = readdirSync(join(projectRoot, 'docs')).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...names.toSorted().map((name) => `docs/${name}`)];
  return paths.map((path) => ({ path, text: readPage(path) }));
}

export function readPage(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** Returns the fenced blocks of a language, in order. */
export function codeBlocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text]) =>
    name === language && text !== undefined ? [text] : [],
  );
}

/**
 * Returns the rows of the only table whose head begins with the cell `first`, without the head and without backquotes.
 */
export function tableRows(markdown: string, first: string): readonly (readonly string[])[] {
  const tables = allTableRows(markdown, first);
  const [only] = tables;
  if (only === undefined || tables.length > 1) throw new Error(`${tables.length} tables begin with ${first}`);
  return only;
}

/** Returns the rows of each table whose head begins with the cell `first`. */
export function allTableRows(markdown: string, first: string): readonly (readonly (readonly string[])[])[] {
  const lines = markdown.split('\n');
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| ${first} |`)) return [];
    const body = lines.slice(at + 2);
    const end = body.findIndex((row) => !row.startsWith('|'));
    return [body.slice(0, end < 0 ? undefined : end).map(cellsOf)];
  });
}

function cellsOf(row: string): readonly string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));
}

/** Returns every use of `orgctx` in shell blocks, unit files and inline code, as the words after the program's name. */
export function orgctxCommands(markdown: string): readonly (readonly string[])[] {
  const inline = [...markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(orgctx [^`]+)`/g)];
  const units = codeBlocks(markdown, 'ini').flatMap((text) =>
    [...text.matchAll(/^ExecStart=\S*\/(orgctx .*)$/gm)].map(([, command]) => command ?? ''),
  );
  return [
    ...codeBlocks(markdown, 'sh').flatMap((text) => text.split('\n')),
    ...units,
    ...inline.map(([, code]) => code ?? ''),
  ]
    .map((line) => /^(?:.* && )?(?:npx )?orgctx (.+)$/.exec(line)?.[1])
    .filter((rest) => rest !== undefined)
    .map(shellWords);
}

/** Returns the names of the variables that shell blocks export and unit files set. */
export function variablesSet(markdown: string): readonly string[] {
  const lines = [...codeBlocks(markdown, 'sh'), ...codeBlocks(markdown, 'ini')].flatMap((text) =>
    text.split('\n'),
  );
  return lines
    .filter((line) => /^(?:export |Environment=)/.test(line))
    .flatMap((line) => [...line.matchAll(/(?:^export |^Environment=| )([A-Z][A-Z0-9_]*)=/g)])
    .map(([, name = '']) => name);
}

/** Splits a line into words as a shell does, up to a comment, a pipe or a redirection. */
export function shellWords(text: string): readonly string[] {
  const [command = ''] = text.split(/ (?:[#|<>]|&&)/, 1);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Returns the paths that the links of a page lead to inside the project, from its root and without their fragments. */
export function linkedPaths({ path, text }: Page): readonly string[] {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => join(folder, target.replace(/#.*$/, '')));
}
