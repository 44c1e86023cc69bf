import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Language as Grammar, Parser, Query } from 'web-tree-sitter';
import type { SourceText } from '../../../src/backends/languages/port.ts';
import { languages } from '../../../src/backends/languages/port.ts';

const require = createRequire(import.meta.url);

interface Tags {
  readonly parser: Parser;
  readonly query: Query;
  /** True if the package of the grammar has a tags query. */
  readonly isOwn: boolean;
}

/** Opens the grammars with the tags queries of their packages. */
export async function openTags(): Promise<ReadonlyMap<string, Tags>> {
  await Parser.init();
  const opened = new Map<string, Tags>();
  for (const [name, { grammar, query }] of languages) {
    const loaded = await Grammar.load(require.resolve(`${grammar.package}/${grammar.file}`));
    const parser = new Parser();
    parser.setLanguage(loaded);
    const own = tagsOf(grammar.package);
    opened.set(name, { parser, query: new Query(loaded, own ?? query), isOwn: own !== undefined });
  }
  return opened;
}

function tagsOf(name: string): string | undefined {
  const read = (from: string): string =>
    readFileSync(join(require.resolve(`${from}/package.json`), '../queries/tags.scm'), 'utf8')
      // The directives for doc comments fail in web-tree-sitter when a comment is long.
      .replaceAll(/\(#(?:strip|select-adjacent)![^)]*\)/g, '');
  try {
    return name === 'tree-sitter-typescript' ? read('tree-sitter-javascript') + read(name) : read(name);
  } catch {
    return undefined;
  }
}

/** Parses files and reads the names that the tags queries find. Returns their total length, so that none is skipped. */
export function readTags(tags: ReadonlyMap<string, Tags>, files: readonly SourceText[]): number {
  let names = 0;
  for (const { language, text } of files) {
    const { parser, query } = tags.get(language)!;
    const tree = parser.parse(codeOf(language, text))!;
    for (const { node, name } of query.captures(tree.rootNode)) {
      if (name === 'name') names += text.slice(node.startIndex, node.endIndex).length;
    }
    tree.delete();
  }
  return names;
}

/** Returns lines and names of the definitions that the tags query finds; `undefined` if the grammar has none. */
export function tagsIn(
  tags: ReadonlyMap<string, Tags>,
  { language, text }: SourceText,
): ReadonlySet<string> | undefined {
  const { parser, query, isOwn } = tags.get(language)!;
  if (!isOwn) return undefined;
  const code = codeOf(language, text);
  const tree = parser.parse(code)!;
  const places = new Set<string>();
  for (const { captures } of query.matches(tree.rootNode)) {
    if (!captures.some(({ name }) => name.startsWith('definition.'))) continue;
    const name = captures.find((each) => each.name === 'name')?.node;
    if (name !== undefined)
      places.add(`${name.startPosition.row + 1} ${code.slice(name.startIndex, name.endIndex)}`);
  }
  tree.delete();
  return places;
}

function codeOf(language: string, text: string): string {
  return languages.get(language)?.codeIn?.(text).text ?? text;
}
