import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './gates.ts';

export function readReadme(): string {
  return readFileSync(join(projectRoot, 'README.md'), 'utf8');
}

/** The fenced blocks of a language, in order. */
export function codeBlocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text]) =>
    name === language && text !== undefined ? [text] : [],
  );
}

/** The rows of the table whose head begins with the cell `first`, without the head; the cells without backquotes. */
export function tableRows(markdown: string, first: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  if (head < 0) throw new Error(`no table begins with ${first}`);
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  return body.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Every use of `orgctx` in shell blocks and in inline code, as the words after the program's name. */
export function orgctxCommands(markdown: string): readonly (readonly string[])[] {
  const inline = [...markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(orgctx [^`]+)`/g)];
  return [
    ...codeBlocks(markdown, 'sh').flatMap((text) => text.split('\n')),
    ...inline.map(([, code]) => code ?? ''),
  ]
    .map((line) => /^(?:.* && )?(?:npx )?orgctx (.+)$/.exec(line)?.[1])
    .filter((rest) => rest !== undefined)
    .map(shellWords);
}

/** Words as a shell reads them, up to a comment, a pipe or a redirection. */
function shellWords(text: string): readonly string[] {
  const [command = ''] = text.split(/ (?:[#|<>]|&&)/, 1);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
