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
}

/** Opens the grammars with the tags queries of their packages. */
export async function openTags(): Promise<ReadonlyMap<string, Tags>> {
  await Parser.init();
  const opened = new Map<string, Tags>();
  for (const [name, { grammar, query }] of languages) {
    const loaded = await Grammar.load(require.resolve(`${grammar.package}/${grammar.file}`));
    const parser = new Parser();
    parser.setLanguage(loaded);
    opened.set(name, { parser, query: new Query(loaded, tagsOf(grammar.package) ?? query) });
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
    const tree = parser.parse(text)!;
    for (const { node, name } of query.captures(tree.rootNode)) {
      if (name === 'name') names += text.slice(node.startIndex, node.endIndex).length;
    }
    tree.delete();
  }
  return names;
}
