import { type Module, parseSync } from '@swc/core';

/** A regular expression of a source file. */
export interface CollectedPattern {
  readonly source: string;
  readonly flags: string;
  /** Number of its line, from 1. */
  readonly line: number;
  /** True if it is the separator of `split`, which matches again and again, as a pattern with the flag `g` does. */
  readonly isSeparator: boolean;
  /** The text of the comment `// bounded: …` that belongs to it. */
  readonly bound: string | undefined;
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number };
  readonly [key: string]: unknown;
}

const boundMark = '// bounded:';
/** Stands for a part of a pattern that is known only when the program runs. */
const unknownPart = 'a';

/**
 * Returns the regular expressions of a TypeScript file: literals, and calls of `RegExp` whose source is made of
 * constants of the file. `a` stands for the other parts of a template. A pattern without any constant text is left out.
 */
export function collectPatterns(text: string): readonly CollectedPattern[] {
  // The spans of the parser count bytes from the first token, so an empty statement is made the first one.
  const module: Module = parseSync(`;${text}`, { syntax: 'typescript', target: 'es2024' });
  const bytes = Buffer.from(text);
  const lines = text.split('\n');
  const constants = new Map<string, Node>();
  const found: { readonly node: Node; readonly parent: Node | undefined }[] = [];
  for (const visited of nodesOf(module)) {
    const { node } = visited;
    if (node.type === 'VariableDeclarator' && isNode(node['id']) && isNode(node['init']))
      constants.set(String(node['id']['value']), node['init']);
    if (isPattern(node)) found.push(visited);
  }
  return found.flatMap(({ node, parent }) => {
    const pattern = patternOf(node, constants);
    if (pattern === undefined) return [];
    const before = bytes.subarray(0, node.span.start - module.span.start - 1);
    const line = before.toString().split('\n').length;
    return [{ ...pattern, line, isSeparator: isSeparator(parent), bound: boundOf(lines, line) }];
  });
}

/** Yields the nodes of a syntax tree, each with the node that contains it. */
function* nodesOf(root: Module): Generator<{ readonly node: Node; readonly parent: Node | undefined }> {
  const open: { readonly value: unknown; readonly parent: Node | undefined }[] = [
    { value: root, parent: undefined },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, parent } = next;
    if (typeof value !== 'object' || value === null) continue;
    const node = isNode(value) ? value : undefined;
    if (node !== undefined) yield { node, parent };
    for (const child of Object.values(value).toReversed())
      open.push({ value: child, parent: node ?? parent });
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'span' in value;
}

function isPattern({ type, callee }: Node): boolean {
  if (type === 'RegExpLiteral') return true;
  return (type === 'NewExpression' || type === 'CallExpression') && isNamed(callee, 'RegExp');
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['value'] === name;
}

/** Returns whether a node is the call `text.split(…)`. */
function isSeparator(parent: Node | undefined): boolean {
  const callee = parent?.['callee'];
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee['property'])) return false;
  return callee['property']['value'] === 'split';
}

/** Returns the source and flags of a pattern; `undefined` if its constant text is none. */
function patternOf(
  node: Node,
  constants: ReadonlyMap<string, Node>,
): { readonly source: string; readonly flags: string } | undefined {
  if (node.type === 'RegExpLiteral') return { source: String(node['pattern']), flags: String(node['flags']) };
  const [source, flags] = argumentsOf(node).map((argument) => constantText(argument, constants, 0));
  if (source === undefined) return undefined;
  const known = flags === undefined ? unknownFlags : [flags];
  const found = known.find((each) => isValid(source, each));
  return found === undefined ? undefined : { source, flags: found };
}

/** Flags of a pattern without any, or whose flags are not constant, in the order in which they are tried. */
const unknownFlags = ['', 'u', 'v'];

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== '';
  } catch {
    return false;
  }
}

function argumentsOf({ arguments: values }: Node): readonly unknown[] {
  if (!Array.isArray(values)) return [];
  return values.map((value: { readonly expression: unknown }) => value.expression);
}

/** Maximum number of constants within one another. */
const maxDepth = 20;

/** Returns the text of a constant expression; `undefined` if it depends on more than constants of the file. */
function constantText(
  node: unknown,
  constants: ReadonlyMap<string, Node>,
  depth: number,
): string | undefined {
  if (!isNode(node) || depth > maxDepth) return undefined;
  const textOf = (part: unknown): string | undefined => constantText(part, constants, depth + 1);
  if (node.type === 'StringLiteral') return String(node['value']);
  if (node.type === 'Identifier') return textOf(constants.get(String(node['value'])));
  if (node.type === 'ParenthesisExpression') return textOf(node['expression']);
  if (node.type === 'BinaryExpression' && node['operator'] === '+')
    return joined([textOf(node['left']), textOf(node['right'])], '');
  if (node.type === 'TemplateLiteral') return templateText(node, 'cooked', textOf);
  if (node.type === 'TaggedTemplateExpression' && isNode(node['template']))
    return templateText(node['template'], 'raw', textOf);
  if (node.type === 'MemberExpression') return sourceText(node, constants);
  return node.type === 'CallExpression' ? joinedText(node, textOf) : undefined;
}

function templateText(
  { quasis, expressions }: Node,
  form: 'cooked' | 'raw',
  textOf: (part: unknown) => string | undefined,
): string | undefined {
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return undefined;
  const texts = quasis.map((quasi: Readonly<Record<string, unknown>>) => String(quasi[form]));
  if (texts.every((text) => text === '')) return undefined;
  return texts
    .flatMap((text, at) =>
      at < expressions.length ? [text, textOf(expressions[at]) ?? unknownPart] : [text],
    )
    .join('');
}

/** Returns the text of `name.source`. */
function sourceText({ object, property }: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  if (!isNode(object) || !isNamed(property, 'source')) return undefined;
  const pattern = constants.get(String(object['value']));
  return pattern && isPattern(pattern) ? patternOf(pattern, constants)?.source : undefined;
}

/** Returns the text of `[…].join('…')`. */
function joinedText(node: Node, textOf: (part: unknown) => string | undefined): string | undefined {
  const callee = node['callee'];
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNamed(callee['property'], 'join'))
    return undefined;
  const list = callee['object'];
  const separator = textOf(argumentsOf(node)[0]);
  if (!isNode(list) || list.type !== 'ArrayExpression' || separator === undefined) return undefined;
  const elements = Array.isArray(list['elements']) ? list['elements'] : [];
  return joined(
    elements.map((element: { readonly expression: unknown } | null) => textOf(element?.expression)),
    separator,
  );
}

function joined(parts: readonly (string | undefined)[], separator: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

/** Returns the bound that is written in the line of a pattern, or in the comment above the line. */
function boundOf(lines: readonly string[], line: number): string | undefined {
  for (let at = line - 1; at >= 0; at -= 1) {
    const text = lines[at]?.trim() ?? '';
    const mark = text.indexOf(boundMark);
    if (mark >= 0) return text.slice(mark + boundMark.length).trim();
    if (at < line - 1 && !text.startsWith('//')) return undefined;
  }
  return undefined;
}
