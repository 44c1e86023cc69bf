import { type CallExpression, type Expression, type ModuleItem, parseSync } from '@swc/core';

/** Separator between the titles of groups and of the test in a full name. */
const titleSeparator = ' › ';

/**
 * Returns whether the source declares the test `fullName`, groups first. The cells of a test table may be any text of
 * the file. Skipped and todo tests do not count.
 */
export function declaresTest(source: string, fullName: string): boolean {
  return readTestTitles(source).some((title) => {
    const filled = title.exec(fullName)?.slice(1);
    return filled?.every((text) => isCell(text) || source.includes(text)) ?? false;
  });
}

function readTestTitles(source: string): readonly RegExp[] {
  const { body } = parseSync(source, { syntax: 'typescript', target: 'es2024' });
  return titlesIn(body, []).map((title) => new RegExp(`^${title}$`, 'u'));
}

/** Returns patterns of the full names below `node`, which is inside the groups of `path`. */
function titlesIn(node: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((child) => titlesIn(child, path));
  if (!isNode(node)) return [];
  const call = node.type === 'CallExpression' ? readCall(node as CallExpression) : undefined;
  if (call === undefined) return titlesIn(Object.values(node), path);
  if (call.isSkipped) return [];
  const own = [...path, call.title];
  return call.isGroup ? titlesIn((node as CallExpression).arguments, own) : [own.join(titleSeparator)];
}

interface TitledCall {
  readonly title: string;
  readonly isGroup: boolean;
  readonly isSkipped: boolean;
}

/** Reads a call of `it`, `test` or `describe`, or of a helper with such a prefix (`describeEachDatabase`). */
function readCall(call: CallExpression): TitledCall | undefined {
  const [root = '', ...modifiers] = wordsOf(call.callee);
  const kind = /^(it|test|describe)(?![a-z])/.exec(root)?.[1];
  if (kind === undefined) return undefined;
  const isTable = modifiers.includes('each') || modifiers.includes('for');
  const title = titleOf(call.arguments[0]?.expression, isTable);
  if (title === undefined || call.arguments.length < 2) return undefined;
  return {
    title,
    isGroup: kind === 'describe',
    isSkipped: modifiers.some((word) => word === 'skip' || word === 'todo'),
  };
}

/** Returns the names of a call chain: `it.skipIf(x).each(y)` gives it, skipIf, each. */
function wordsOf(callee: CallExpression['callee'] | Expression): readonly string[] {
  if (callee.type === 'Identifier') return [callee.value];
  if (callee.type === 'CallExpression') return wordsOf(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return wordsOf(callee.tag);
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  return [...wordsOf(callee.object), callee.property.value];
}

function titleOf(title: Expression | undefined, isTable: boolean): string | undefined {
  if (title?.type === 'StringLiteral') return patternOf(title.value, isTable);
  if (title?.type !== 'TemplateLiteral') return undefined;
  return title.quasis.map(({ cooked, raw }) => patternOf(cooked ?? raw, isTable)).join(anyText);
}

const anyText = '(.+?)';

/** Placeholders of a cell in the title of a test table: `%s` and `$name` (vitest: test.each). */
const cell = /%(?:\.\d+)?[sdifjoOcp#$]|\$[\w.]+/u;

function patternOf(text: string, isTable: boolean): string {
  const parts = isTable ? text.split(new RegExp(cell, 'gu')) : [text];
  return parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)).join(anyText);
}

/** Returns whether the text is a placeholder, as in a name that stands for all rows of a table. */
function isCell(text: string): boolean {
  return new RegExp(`^(?:${cell.source}|\\$\\{\\})$`, 'u').test(text);
}

function isNode(value: unknown): value is { readonly type?: string } | ModuleItem {
  return typeof value === 'object' && value !== null;
}
