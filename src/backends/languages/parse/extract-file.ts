import type { Node, Query, QueryMatch, Tree } from 'web-tree-sitter';
import type { Language } from '../language.ts';
import type { ImportedName, ParsedFile, Use, UseKind } from '../outline.ts';
import { isVariable, placeDefinitions, type Scope, type Span } from './enclosing.ts';
import { LocalNames } from './local-names.ts';
import { placeUses, type RawUse } from './place-uses.ts';
import { maxReceiver, readChain } from './read-chain.ts';
import { readConstants } from './read-constants.ts';
import { firstResult, withoutTypeArguments } from './type-text.ts';
import { type Result, type Variable, VariableTypes } from './variable-types.ts';

const definePrefix = 'define.';

/** Maximum number of definitions in a file. One with more is generated. */
export const maxDefinitions = 10_000;

/** Maximum length of a name and an import statement, in characters. */
const maxLength = { name: 200, statement: 20_000 };

/** The names in the syntax tree of a file; `too_many_names` if there are more than a person writes. */
export type Extracted = Omit<ParsedFile, 'path' | 'language'> | 'too_many_names';

type Captures = Readonly<Partial<Record<string, Node>>>;

/** A match of one pattern of the query. */
interface Match {
  /** The nodes by the names of their captures; `defined` is that of a definition. */
  readonly captures: Captures;
  /** The kind of a definition. */
  readonly kind: Scope['kind'] | undefined;
  /** The position of the pattern in the query. */
  readonly pattern: number;
}

/** The captures of an import, one of which it has. */
const importMarks = ['import.source', 'export.local', 'import'];

const useKinds: readonly UseKind[] = ['call', 'new', 'inherits', 'type', 'value'];

/** Reads the definitions and the relations of a file from its syntax tree. */
export function extractFile(
  { language, query }: { readonly language: Language; readonly query: Query },
  tree: Tree,
  text: string,
  maxMatches: number,
): Extracted {
  const found = query.matches(tree.rootNode);
  if (found.length > maxMatches) return 'too_many_names';
  const matches = found.map(readMatch);
  /** The offsets of variables that are imports. */
  const imported = offsetsOf(matches, 'import.local');
  const scopes: Scope[] = [];
  const imports: ImportedName[] = [];
  const uses: RawUse[] = [];
  const variables: Variable[] = [];
  const results: Result[] = [];
  const blocks: Span[] = [];
  let declared: string | undefined;
  for (const { captures, kind, pattern } of matches) {
    const { block, returned } = captures;
    const { package: packageNode, var: variable = captures['field'] } = captures;
    if (kind !== undefined) scopes.push({ kind, pattern, ...readDefinition(captures, text) });
    else if (packageNode !== undefined)
      declared = packageAfter(declared, textOf(packageNode, text, maxLength.name), language);
    else if (block !== undefined) blocks.push({ start: block.startIndex, end: block.endIndex });
    else if (returned !== undefined) results.push(...readResult(returned, text, language));
    else if (variable !== undefined) variables.push(readVariable(variable, captures, text, language));
    else if (importMarks.some((each) => captures[each] !== undefined))
      imports.push(...readImports(captures, text, language));
    else uses.push(...readUse(captures, text));
  }
  const enclosing = placeDefinitions(
    scopes.filter(({ nameStart }) => !imported.has(nameStart)),
    blocks,
  );
  if (enclosing.symbols.length > maxDefinitions) return 'too_many_names';
  const own = variables.filter(({ offset }) => !imported.has(offset));
  const variableTypes = new VariableTypes(own, results, enclosing);
  const bound = [
    ...matches.flatMap(({ captures: { local } }) =>
      local === undefined ? [] : { name: nameOf(local, text), offset: local.startIndex },
    ),
    ...variables.filter(({ isField }) => !isField),
    ...scopes.filter(isVariable).map(({ name, nameStart }) => ({ name, offset: nameStart })),
  ].filter(({ offset }) => !imported.has(offset));
  const locals = new LocalNames(bound, enclosing);
  const known = new Set<string>(enclosing.symbols.map(({ name }) => name));
  for (const { local } of imports) if (local !== undefined) known.add(local);
  const constants = readConstants(tree, text, { uses, known, enclosing });
  const placed = placeUses([...uses, ...constants], {
    enclosing,
    requires: offsetsOf(matches, 'import.require'),
    bare: offsetsOf(matches, 'bare'),
    locals,
    variableTypes,
    language,
  });
  return {
    package: declared,
    symbols: enclosing.symbols.map((symbol) => variableTypes.typed(symbol)),
    imports,
    calls: placed.filter(({ kind }) => isCall(kind)),
    references: distinct(
      placed.filter(({ kind, name }) => !isCall(kind) && (kind !== 'value' || known.has(name))),
    ),
  };
}

/** Returns the package of a file after one more clause. */
function packageAfter(declared: string | undefined, clause: string, { nestedPackages }: Language): string {
  if (declared === undefined) return clause;
  return nestedPackages === true ? `${declared}.${clause}`.slice(0, maxLength.name) : declared;
}

function isCall(kind: UseKind): boolean {
  return kind === 'call' || kind === 'new';
}

function readMatch({ captures, patternIndex }: QueryMatch): Match {
  const found: Partial<Record<string, Node>> = {};
  let kind: Scope['kind'] | undefined;
  for (const { name, node } of captures) {
    const isDefinition = name.startsWith(definePrefix);
    found[isDefinition ? 'defined' : name] = node;
    if (isDefinition) kind = name.slice(definePrefix.length) as Scope['kind'];
  }
  return { captures: found, kind, pattern: patternIndex };
}

/** Returns the offsets of the nodes that a capture marks in some matches. */
function offsetsOf(matches: readonly Match[], capture: string): ReadonlySet<number> {
  const offsets = new Set<number>();
  for (const { captures } of matches) {
    const node = captures[capture];
    if (node !== undefined) offsets.add(node.startIndex);
  }
  return offsets;
}

/** Returns the text of a node. Slicing is several times as fast as `node.text`, which copies out of the tree. */
function textOf(node: Node, text: string, limit: number): string {
  return text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + limit));
}

/** Returns a name without the sign of a private member, a symbol or a raw name, and without the quotes around it. */
function nameOf(node: Node, text: string): string {
  return textOf(node, text, maxLength.name).replace(/^(?:r?#|:(?!:))|^(["'`])(.+)\1$/s, '$2');
}

/**
 * Returns the text of a type. Type arguments that are too long to read are left out, so that what they belong to is
 * still known.
 */
function typeTextOf(node: Node, text: string): string {
  return node.endIndex - node.startIndex <= maxLength.name
    ? textOf(node, text, maxLength.name)
    : withoutTypeArguments(textOf(node, text, maxLength.statement)).slice(0, maxLength.name);
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

function readDefinition(captures: Captures, text: string): Omit<Scope, 'kind' | 'pattern'> {
  const { owner, self, qualified, signature } = captures;
  const shape = { ...spanOf(captures['defined']!), isSignature: signature !== undefined };
  if (qualified !== undefined) return { ...shape, ...readQualifiedName(qualified, text) };
  const name = captures['name']!;
  return {
    ...shape,
    name: nameOf(name, text),
    nameStart: name.startIndex,
    line: lineOf(name),
    owner: owner === undefined ? undefined : nameOf(owner, text).replaceAll('::', '.'),
    self: self === undefined ? undefined : nameOf(self, text),
    returns: resultType(captures['result'], text),
  };
}

/** Returns the type of the first result; `undefined` if that is not a plain name. */
function resultType(node: Node | undefined, text: string): string | undefined {
  return node && (firstResult(typeTextOf(node, text).replace(/^:\s*/, '')) || undefined);
}

/** Reads a name that contains its type, `acme::Lease<T>::renew`, or that of an operator. */
function readQualifiedName(
  qualified: Node,
  text: string,
): Pick<Scope, 'name' | 'nameStart' | 'line' | 'owner' | 'self'> {
  const written = nameOf(qualified, text);
  const at = written.search(/\boperator\b/);
  const parts = withoutTypeArguments(at < 0 ? written : written.slice(0, at)).split('::');
  const last = parts.pop()!;
  // A macro may stand before the name.
  const name = at < 0 ? (last.trim().split(/\s/).at(-1) ?? last) : operatorName(written.slice(at));
  return {
    name,
    nameStart: qualified.startIndex,
    line: lineOf(qualified),
    owner: parts.filter((part) => part !== '').join('.') || undefined,
    self: undefined,
  };
}

/** Returns `operator==` of `operator ==`, and `operator bool` of `operator bool() const`. */
function operatorName(written: string): string {
  const sign = /^operator\s*(\(\s*\)|[^(]*)/.exec(written)![1]!.replaceAll(/\s/g, ' ').trim();
  return /^\w/.test(sign) ? `operator ${sign}` : `operator${sign}`;
}

function spanOf(node: Node): Pick<Scope, 'start' | 'end' | 'endLine'> {
  const { row, column } = node.endPosition;
  // The newline of a preprocessor line belongs to its node.
  const endLine = Math.max(column === 0 ? row : row + 1, lineOf(node));
  return { start: node.startIndex, end: node.endIndex, endLine };
}

function readImports(captures: Captures, text: string, language: Language): readonly ImportedName[] {
  const { import: statement, 'import.source': from } = captures;
  if (statement !== undefined) {
    const line = lineOf(statement);
    const read = language.readImport?.(textOf(statement, text, maxLength.statement)) ?? [];
    return read.map((each) => ({ ...each, line }));
  }
  const { 'export.local': exported, 'export.whole': whole, 'import.name': original } = captures;
  if (exported !== undefined) {
    const local = whole === undefined ? nameOf(exported, text) : 'default';
    return [{ source: '', name: nameOf(original!, text), local, line: lineOf(exported) }];
  }
  const source = textOf(from!, text, maxLength.name).replace(/^["'`<]|["'`>]$/g, '');
  return [{ source, ...bindingOf(captures, text, language.moduleName?.(source)), line: lineOf(from!) }];
}

function bindingOf(
  { 'import.name': name, 'import.local': local, 'import.default': standard, 'import.all': all }: Captures,
  text: string,
  moduleName: string | undefined,
): Pick<ImportedName, 'name' | 'local'> {
  if (all !== undefined) return { name: '*', local: undefined };
  if (standard !== undefined) return { name: 'default', local: nameOf(standard, text) };
  const bound = local === undefined ? undefined : nameOf(local, text);
  if (name === undefined) return { name: undefined, local: bound ?? moduleName };
  const imported = nameOf(name, text);
  return { name: imported, local: bound ?? imported };
}

function readVariable(node: Node, captures: Captures, text: string, { self }: Language): Variable {
  const { 'var.call': call, 'var.from': from, 'var.of': of, 'var.type': type } = captures;
  const isField = captures['field'] !== undefined;
  const variable = { name: nameOf(node, text), offset: node.startIndex, isField };
  const source = from ?? of;
  if (source !== undefined) {
    const chain = readChain(textOf(source, text, maxReceiver + 1), self);
    return { ...variable, type: '', from: chain, isElement: of !== undefined };
  }
  const called = call && `${readChain(textOf(call, text, maxReceiver + 1), self)}()`;
  return { ...variable, type: called ?? typeTextOf(type!, text) };
}

/** Values that say nothing of the type of a result. */
const absent = /^(?:null|undefined|None|nil)$/;

/** Reads what a function returns: the result of a call, or a variable. */
function readResult(node: Node, text: string, { self }: Language): readonly Result[] {
  const written = textOf(node, text, maxReceiver + 1);
  if (absent.test(written)) return [];
  const chain = readChain(written, self);
  return [{ expression: self.includes(chain) ? 'this' : chain, offset: node.startIndex }];
}

function readUse(captures: Captures, text: string): RawUse[] {
  const kind = useKinds.find((each) => captures[each] !== undefined);
  if (kind === undefined) return [];
  const node = captures[kind]!;
  const { path, receiver = path } = captures;
  return [
    {
      kind,
      name: nameOf(node, text),
      receiver: receiver === undefined ? undefined : textOf(receiver, text, maxReceiver + 1),
      line: lineOf(node),
      offset: node.startIndex,
      isPath: path !== undefined,
    },
  ];
}

/**
 * Returns one reference for each name in each definition, with the strongest kind: `inherits` comes before `type` and
 * `value`. Where other lines may mean something else, one for each line.
 */
function distinct(references: readonly Use[]): readonly Use[] {
  const found = new Map<string, Use>();
  for (const each of references) {
    const line = each.byLine === true ? each.line : '';
    const key = `${each.from ?? ''} ${each.receiver ?? ''} ${each.name} ${line}`;
    const known = found.get(key);
    if (known === undefined || useKinds.indexOf(each.kind) < useKinds.indexOf(known.kind)) {
      found.set(key, each);
    }
  }
  return [...found.values()];
}
