import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Node, Parser } from 'web-tree-sitter';
import { readExtents } from '../../src/backends/languages/lexical/read-extents.ts';
import { loadGrammar } from '../../src/backends/languages/parse/load-grammar.ts';
import { languageOf, languages, maxFileBytes } from '../../src/backends/languages/port.ts';

/**
 * `node test/bench/lexical.ts [--differences COUNT] FOLDER...`: the share of characters that are code, comment or string
 * both for us and for the grammar, by language, without blanks and without files that the grammar cannot read; and the
 * throughput. `--differences` prints the first places where they differ:
 * 0 is code, 1 a comment, 2 a string.
 */
const { values, positionals: folders } = parseArgs({
  options: { differences: { type: 'string', default: '0' } },
  allowPositionals: true,
});
if (folders.length === 0) {
  console.error('usage: node test/bench/lexical.ts [--differences COUNT] FOLDER...');
  process.exit(2);
}

const literal =
  /string(?!_declar)|^(?:char(?:acter)?(?:_literal)?|rune_literal|regex|heredoc_body|nowdoc_body|template_literal_type|subshell|jsx_text|html_character_reference|uninterpreted|delimited_symbol|symbol_array|shell_command_expression)$/;
/** Nodes that are called strings but contain code between the strings. */
const container = /^(?:concatenated_string|chained_string|string_type|stringized.*)$/;
const codeInLiteral =
  /^(?:heredoc_end|template_type)$|interpolat(?:ion|ed_(?:expression|identifier))|substitution|expansion|^(?:variable_name|member_access_expression|subscript_expression|dynamic_variable_name|simple_expansion)$/;

/** The letters before a string are code for us; a grammar does not read the bodies of macros. */
const prefix = /[A-Za-z@$]{1,4}(?=["'])/y;
const ignored = 3;

type Kind = 0 | 1 | 2 | typeof ignored;
const kinds = { comment: 1, string: 2 } as const;

await Parser.init();
const parsers = new Map<string, Parser>();
const rows = new Map<string, { files: number; same: number; all: number; ms: number; characters: number }>();
let left = Number(values.differences);

for (const folder of folders)
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path);
    if (/(?:^|\/)(?:\.git|node_modules)\//.test(path) || !lstatSync(file).isFile()) continue;
    const language = languages.get(languageOf(path));
    if (language === undefined || language.around !== undefined || language.lexical === undefined) continue;
    const bytes = readFileSync(file);
    if (bytes.length <= maxFileBytes && !bytes.includes(0))
      await compare(file, language.name, bytes.toString('utf8'));
  }
for (const [language, { files, same, all, ms, characters }] of [...rows].toSorted(([a], [b]) =>
  a.localeCompare(b),
))
  console.log(
    `${language.padEnd(12)} ${(same / all).toFixed(5)} of ${all} characters in ${files} files; ${(characters / ms / 1000).toFixed(0)} MB/s`,
  );

async function compare(path: string, language: string, text: string): Promise<void> {
  const parser = parsers.get(language) ?? (await open(language));
  parsers.set(language, parser);
  const tree = parser.parse(text)!;
  const expected = new Uint8Array(text.length);
  const isRead = !tree.rootNode.hasError;
  if (isRead) fill(tree.rootNode, text, expected);
  tree.delete();
  if (!isRead) return;
  const row = rows.get(language) ?? { files: 0, same: 0, all: 0, ms: 0, characters: 0 };
  rows.set(language, row);
  const started = performance.now();
  const extents = readExtents(text, language);
  row.ms += performance.now() - started;
  row.characters += text.length;
  row.files++;
  const found = new Uint8Array(text.length);
  for (const { kind, start, end } of extents) found.fill(kinds[kind], start, end);
  let first = -1;
  for (let at = 0; at < text.length; at++) {
    if (expected[at] === ignored || /\s/.test(text[at]!)) continue;
    row.all++;
    if (found[at] === expected[at]) row.same++;
    else if (first < 0) first = at;
  }
  if (first >= 0 && left-- > 0)
    show(path, text, first, `${found[first]} of us, ${expected[first]} of the grammar`);
}

function show(path: string, text: string, at: number, kind: string): void {
  const line = text.slice(0, at).split('\n').length;
  console.log(`${path}:${line}: ${kind}: ${text.slice(at, at + 80).split('\n', 1)[0]}`);
}

async function open(language: string): Promise<Parser> {
  const parser = new Parser();
  parser.setLanguage(loadGrammar(languages.get(language)!));
  return parser;
}

/** Marks what a node and those inside of it are. */
function fill(root: Node, text: string, into: Uint8Array): void {
  const stack: { node: Node; around: Kind }[] = [{ node: root, around: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, around } = next;
    const kind = kindOf(node, around);
    if (kind !== around) into.fill(kind, node.startIndex, node.endIndex);
    prefix.lastIndex = node.startIndex;
    if (kind === 2 && around !== 2 && prefix.test(text))
      into.fill(ignored, node.startIndex, prefix.lastIndex);
    if (kind === 1 || kind === ignored) continue;
    for (const child of node.namedChildren) if (child !== null) stack.push({ node: child, around: kind });
  }
}

function kindOf({ type, isNamed }: Node, around: Kind): Kind {
  if (!isNamed || container.test(type)) return around;
  if (/comment|^hash_bang_line$/.test(type)) return kinds.comment;
  if (type === 'preproc_arg') return ignored;
  if (literal.test(type)) return kinds.string;
  return around === kinds.string && codeInLiteral.test(type) ? 0 : around;
}
