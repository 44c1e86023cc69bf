import { writesTest } from './test-titles.ts';

/** What brings a line of the specification that no test proves yet. */
const roadItems = [
  'durable core',
  'authorization server',
  'code search',
  'graph and advisor',
  'Git host and tracker',
  'oncall',
  'pages and wizard',
  'operations',
];

/** The tree that a map speaks of: the text of a file, `undefined` where there is none, and the files of a folder. */
export interface TestTree {
  readonly readFile: (path: string) => string | undefined;
  readonly listFolder: (path: string) => readonly string[];
}

interface Row {
  readonly section: string;
  readonly line: string;
  readonly says: string;
  readonly proofs: readonly string[];
}

/** What is wrong with the map of the specification (test/specification.md), a sentence a fault. */
export function checkSpecificationMap(document: string, tree: TestTree): readonly string[] {
  const rows = readRows(document);
  if (rows.length === 0) return ['the map has no rows'];
  return [
    ...checkCounts(document, rows),
    ...checkLineNames(rows),
    ...rows.flatMap((row) => checkRow(row, tree).map((fault) => `${row.line}: ${fault}`)),
  ];
}

/** Nothing is lost from the map unnoticed: its head says how many rows each section has. */
function checkCounts(document: string, rows: readonly Row[]): readonly string[] {
  const [head = ''] = document.split(/^## /m, 1);
  const promised = cellsOf(head).flatMap(([section = '', count = '']) =>
    /^\d+$/.test(count) ? [{ section, count: Number(count) }] : [],
  );
  const sections = new Set([
    ...promised.map(({ section }) => section),
    ...rows.map(({ section }) => section),
  ]);
  return [...sections].flatMap((section) => {
    const least = promised.find((one) => one.section === section)?.count;
    const found = rows.filter((row) => row.section === section).length;
    if (least === undefined) return [`the head does not say how many rows "${section}" has`];
    return found < least ? [`"${section}" has ${found} rows of ${least}`] : [];
  });
}

function checkLineNames(rows: readonly Row[]): readonly string[] {
  const lines = rows.map(({ line }) => line);
  return lines
    .filter((line, index) => lines.indexOf(line) !== index)
    .map((line) => `${line}: stands there twice`);
}

function checkRow({ says, proofs }: Row, tree: TestTree): readonly string[] {
  if (says === '') return ['does not say what it is about'];
  if (proofs.length === 0) return ['has neither a test nor what brings it'];
  return proofs.flatMap((proof) => checkProof(proof, tree));
}

/** `file`: full name of a test · comes with: an item of the road */
function checkProof(proof: string, tree: TestTree): readonly string[] {
  const item = /^comes with: (.+)$/u.exec(proof)?.[1];
  if (item !== undefined) return roadItems.includes(item) ? [] : [`"${item}" is no item of the road`];
  const [, file, name] = /^`([^`]+)`: (.+)$/u.exec(proof) ?? [];
  if (file === undefined || name === undefined) return [`"${proof}" names neither a test nor what brings it`];
  const source = tree.readFile(file);
  if (source === undefined) return [`there is no file ${file}`];
  if (!isRun(file, tree)) return [`${file} is no test file, and none beside it runs it`];
  return writesTest(source, name) ? [] : [`${file} has no test "${name}"`];
}

/** A suite that several test files share lies beside one that imports it. */
function isRun(file: string, { readFile, listFolder }: TestTree): boolean {
  if (file.endsWith('.test.ts')) return true;
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/u.exec(file) ?? [];
  return listFolder(folder).some(
    (other) => other.endsWith('.test.ts') && readFile(`${folder}/${other}`)?.includes(`'./${name}'`),
  );
}

function readRows(document: string): readonly Row[] {
  return document
    .split(/^## /m)
    .slice(1)
    .flatMap((text) => {
      const [section = ''] = text.split('\n', 1);
      return cellsOf(text).map(
        ([line = '', says = '', proofs = '']): Row => ({
          section: section.trim(),
          line,
          says,
          proofs: proofs === '' ? [] : proofs.split('<br>').map((proof) => proof.trim()),
        }),
      );
    });
}

/** The cells of the rows of every table in a Markdown text, without the rows that head it. */
function cellsOf(markdown: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .split(/(?<!\\)\|/u)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|')),
    );
}

function isRule(line: string): boolean {
  return /^\|[\s:|-]+\|$/u.test(line) && line.includes('---');
}
