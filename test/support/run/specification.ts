import { declaresTest } from './test-titles.ts';

/** Items of the road map that a line without a test may name. */
const plannedItems = [
  'durable core',
  'authorization server',
  'code search',
  'graph and advisor',
  'Git host and tracker',
  'oncall',
  'pages and wizard',
  'operations',
];

/** The tree that a map describes: reads a file (`undefined` if there is none) and lists the files of a folder. */
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

/** Returns the errors of the specification map (test/specification.md), one sentence each. */
export function checkSpecificationMap(document: string, tree: TestTree): readonly string[] {
  const rows = readRows(document);
  if (rows.length === 0) return ['the map has no rows'];
  return [
    ...checkCounts(document, rows),
    ...checkLineNames(rows),
    ...rows.flatMap((row) => checkRow(row, tree).map((error) => `${row.line}: ${error}`)),
  ];
}

/** Compares the rows of each section with the counts in the head of the map, so that no row is lost unnoticed. */
function checkCounts(document: string, rows: readonly Row[]): readonly string[] {
  const [head = ''] = document.split(/^## /m, 1);
  const declared = cellsOf(head).flatMap(([section = '', count = '']) =>
    /^\d+$/.test(count) ? [{ section, count: Number(count) }] : [],
  );
  const sections = new Set([
    ...declared.map(({ section }) => section),
    ...rows.map(({ section }) => section),
  ]);
  return [...sections].flatMap((section) => {
    const min = declared.find((one) => one.section === section)?.count;
    const found = rows.filter((row) => row.section === section).length;
    if (min === undefined) return [`the head does not give the number of rows of "${section}"`];
    return found < min ? [`"${section}" has ${found} rows of ${min}`] : [];
  });
}

function checkLineNames(rows: readonly Row[]): readonly string[] {
  const lines = rows.map(({ line }) => line);
  return lines.filter((line, index) => lines.indexOf(line) !== index).map((line) => `${line}: occurs twice`);
}

function checkRow({ says, proofs }: Row, tree: TestTree): readonly string[] {
  if (says === '') return ['has no text'];
  if (proofs.length === 0) return ['has neither a test nor a planned item'];
  return proofs.flatMap((proof) => checkProof(proof, tree));
}

/** Checks a proof: `file`: full name of a test, or: comes with: an item of the road map. */
function checkProof(proof: string, tree: TestTree): readonly string[] {
  const item = /^comes with: (.+)$/u.exec(proof)?.[1];
  if (item !== undefined)
    return plannedItems.includes(item) ? [] : [`"${item}" is not an item of the road map`];
  const [, file, name] = /^`([^`]+)`: (.+)$/u.exec(proof) ?? [];
  if (file === undefined || name === undefined) return [`"${proof}" names neither a test nor a planned item`];
  const source = tree.readFile(file);
  if (source === undefined) return [`there is no file ${file}`];
  if (!isRun(file, tree)) return [`${file} is not a test file, and no test file beside it imports it`];
  return declaresTest(source, name) ? [] : [`${file} has no test "${name}"`];
}

/** Returns whether a test file imports the file. A suite that several test files share lies beside one of them. */
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

/** Returns the cells of the rows of every table in a Markdown text, without the header rows. */
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
