import { describe, expect, it } from 'vitest';
import { definitionIn } from './definition.ts';
import { summaryOf } from './doc-comment.ts';
import { splitBlocks } from './split-blocks.ts';

function blocksOf(text: string, language: string) {
  const lines = text.split('\n');
  return splitBlocks(lines, language).map((block) => ({
    name: block.name ?? block.kind,
    text: lines.slice(block.start, block.end),
    summary: summaryOf(lines, block),
  }));
}

describe('definitionIn', () => {
  it.each([
    ['export async function readRow(id: string): Promise<Row> {', 'readRow', 'function'],
    ['export const limit = 5;', 'limit', 'constant'],
    ['  const run = async () => {', 'run', 'constant'],
    ['export interface Row {', 'Row', 'interface'],
    ['export type Id<T> = string & T;', 'Id', 'type'],
    ['  async readRow(id: string): Promise<Row> {', 'readRow', 'method'],
    ['  #fail(error: unknown): void {', 'fail', 'method'],
    ['    def get_adapter(self, url):', 'get_adapter', 'function'],
    ['class HTTPAdapter(BaseAdapter):', 'HTTPAdapter', 'class'],
    ['func (c *Context) Abort() {', 'Abort', 'function'],
    ['type RouterGroup struct {', 'RouterGroup', 'type'],
    ["pub(crate) fn search<'a>(x: &'a str) -> Result<()> {", 'search', 'function'],
    ['impl<T> Iterator for Walk<T> {', 'Iterator', 'implementation'],
    ['  public static final String render(Page page) {', 'render', 'method'],
    ['static int parse_line(const char *line) {', 'parse_line', 'function'],
    ['CREATE TABLE jobs (', 'jobs', 'table'],
    ['resource "aws_s3_bucket" "logs" {', 'aws_s3_bucket', 'resource'],
    ['message SearchRequest {', 'SearchRequest', 'message'],
  ])('knows what is defined by: %s', (line, name, kind) => {
    expect(definitionIn(line)).toEqual({ name, kind });
  });

  it.each([
    '  if (ready) {',
    'return new Map(',
    '  it(`works`, async () => {',
    'object to add to the session',
    'The class of problems that matter here',
    'type of the answer given',
    '  const inner = 5;',
    'from typing import (',
    'callMe();',
    '',
    `function ${'x'.repeat(400)}() {`,
  ])('takes no other line for a definition: %.60s', (line) => {
    expect(definitionIn(line)).toBeUndefined();
  });

  it('is linear in hostile lines', () => {
    const started = performance.now();
    for (const unit of ['export ', '(', '<', ' ', 'a ', '*'])
      for (let n = 0; n < 200; n++) definitionIn(unit.repeat(290 / unit.length));
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('splitBlocks', () => {
  it('keeps a definition with its comment and ends it with its body', () => {
    const text = [
      "import x from 'x';",
      '',
      '/** Adds two numbers. Never fails. */',
      'export function add(',
      '  a: number,',
      '): number {',
      '  return a;',
      '}',
      '',
      'run(add);',
    ].join('\n');
    expect(blocksOf(text, 'TypeScript')).toEqual([
      { name: 'text', text: ["import x from 'x';"], summary: undefined },
      { name: 'add', text: text.split('\n').slice(2, 8), summary: 'Adds two numbers.' },
      { name: 'text', text: ['run(add);'], summary: undefined },
    ]);
  });

  it('ends a body without braces where the indentation ends', () => {
    const text = [
      '@cached',
      'def load(',
      '    path,',
      ') -> str:',
      '    """Loads a file from disk."""',
      '    return 1',
      '',
      'x = load(2)',
    ].join('\n');
    expect(blocksOf(text, 'Python')).toEqual([
      { name: 'load', text: text.split('\n').slice(0, 6), summary: 'Loads a file from disk.' },
      { name: 'text', text: ['x = load(2)'], summary: undefined },
    ]);
  });

  it('is not misled by a label at the margin', () => {
    const text = 'func walk() {\nwalk:\n\tfor {\n\t}\n}\nvar a int';
    expect(blocksOf(text, 'Go').map(({ name, text: lines }) => [name, lines.length])).toEqual([
      ['walk', 5],
      ['a', 1],
    ]);
  });

  it('cuts documents at their headings, but not inside code fences', () => {
    const text =
      '# Title\nWhat it is for: people. More.\n```sh\n# no heading\n```\n## Install\nRun it.\nUnder\n-----\ntext';
    expect(blocksOf(text, 'Markdown').map(({ name, summary }) => [name, summary])).toEqual([
      ['Title', 'What it is for: people.'],
      ['Install', undefined],
      ['Under', undefined],
    ]);
  });

  it('gathers paragraphs of what has neither', () => {
    const blocks = splitBlocks(
      Array.from({ length: 100 }, (_, i) => (i % 10 === 9 ? '' : `a: ${i}`)),
      'YAML',
    );
    expect(blocks.every(({ start, end }) => end > start && end - start <= 40)).toBe(true);
    expect(blocks.length).toBeGreaterThan(3);
  });

  it('finds no blocks in nothing', () => {
    expect(splitBlocks([''], 'TypeScript')).toEqual([]);
    expect(splitBlocks([], 'Markdown')).toEqual([]);
  });
});
