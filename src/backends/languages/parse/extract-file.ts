import type { Node, Query, QueryMatch, Tree } from 'web-tree-sitter';
import type { Language } from '../language.ts';
import type { Definition, ImportedName, ParsedFile, Use, UseKind } from '../outline.ts';
import { joinDefinitions, type Scope } from './enclosing.ts';
import { type Block, plainType, readVariableTypes, type Variable } from './variable-types.ts';

/** Maximum length of a name, a receiver and an import statement, in characters. */
const maxLength = { name: 200, receiver: 100, statement: 20_000 };

/** The names in the syntax tree of a file; `too_many_names` if there are more than a person writes. */
export type Extracted = Omit<ParsedFile, 'path' | 'language'> | 'too_many_names';

/** A use before its enclosing definition is known. */
interface RawUse extends Omit<Use, 'from'> {
  readonly offset: number;
}

/** What a query says of other matches. */
interface Marks {
  /** The offsets of calls that are imports. */
  readonly requires: Set<number>;
  /** The offsets of calls that may be parameters or variables. */
  readonly bare: Set<number>;
  readonly locals: Node[];
  /** Lines and names that are no definitions if they enclose nothing. */
  readonly declared: Set<string>;
  /** Lines and names of signatures without a body. */
  readonly signatures: Set<string>;
}

type Captures = Readonly<Partial<Record<string, Node>>>;

const useKinds: readonly UseKind[] = ['call', 'new', 'inherits', 'type', 'value'];

/** Reads the relations of a file from its syntax tree. `definitions` are those of the index, in line order. */
export function extractFile(
  { language, query }: { readonly language: Language; readonly query: Query },
  tree: Tree,
  text: string,
  definitions: readonly Definition[],
  maxMatches: number,
): Extracted {
  const matches = query.matches(tree.rootNode);
  if (matches.length > maxMatches) return 'too_many_names';
  const scopes: Scope[] = [];
  const imports: ImportedName[] = [];
  const uses: RawUse[] = [];
  const marks: Marks = {
    requires: new Set(),
    bare: new Set(),
    locals: [],
    declared: new Set(),
    signatures: new Set(),
  };
  const variables: Variable[] = [];
  const blocks: Block[] = [];
  let declared: string | undefined;
  for (const match of matches) {
    const captures = capturesOf(match);
    const { scope, container, block, package: packageNode, var: variable = captures['field'] } = captures;
    readMarks(marks, captures, text);
    if (scope !== undefined) scopes.push(readScope(scope, captures, text));
    else if (container !== undefined) scopes.push(readContainer(container, captures, text));
    else if (packageNode !== undefined) declared ??= textOf(packageNode, text, maxLength.name);
    else if (block !== undefined) blocks.push({ start: block.startIndex, end: block.endIndex });
    else if (variable !== undefined) variables.push(readVariable(variable, captures, text, language));
    else if (isImport(captures)) imports.push(...readImports(captures, text, language));
    else uses.push(...readUse(captures, text));
  }
  for (const { line, name } of scopes) marks.declared.delete(`${line} ${name}`);
  const isOverload = overloadsOf(marks, scopes);
  const defined = definitions.filter(
    (one) => !marks.declared.has(`${one.line} ${one.name}`) && !isOverload(one),
  );
  const enclosing = joinDefinitions(defined, scopes);
  const typeOf = readVariableTypes(variables, enclosing, blocks);
  const localName = (name: string, offset: number): string => `${enclosing.at(offset).symbol ?? ''} ${name}`;
  const localNames = new Set(marks.locals.map((node) => localName(nameOf(node, text), node.startIndex)));
  const placed = uses
    .filter(({ offset }) => !marks.requires.has(offset))
    .filter(({ name, offset }) => !marks.bare.has(offset) || !localNames.has(localName(name, offset)))
    .map(({ offset, receiver, ...use }): Use => {
      const { symbol, self } = enclosing.at(offset);
      if (receiver === undefined) return { ...use, receiver, from: symbol };
      if (receiver === self || language.self.includes(receiver))
        return { ...use, receiver: 'this', from: symbol };
      if (language.base?.includes(receiver) === true) return { ...use, receiver: 'super', from: symbol };
      const selves = [...language.self, ...(language.base ?? []), ...(self === undefined ? [] : [self])];
      const simple = simpleReceiver(receiver, selves);
      const receiverType = typeOf(simple, offset, symbol);
      return {
        ...use,
        receiver: simple,
        from: symbol,
        ...(receiverType === undefined ? {} : { receiverType }),
      };
    });
  const known = new Set<string>(enclosing.symbols.map(({ name }) => name));
  for (const { local } of imports) if (local !== undefined) known.add(local);
  return {
    package: declared,
    symbols: enclosing.symbols,
    imports,
    calls: placed.filter(({ kind }) => isCall(kind)),
    references: distinct(
      placed.filter(({ kind, name }) => !isCall(kind) && (kind !== 'value' || known.has(name))),
    ),
  };
}

/** Returns whether a definition is a signature above the function of its name: that function is the definition. */
function overloadsOf(
  { signatures }: Marks,
  scopes: readonly Scope[],
): (one: Pick<Scope, 'line' | 'name'>) => boolean {
  if (signatures.size === 0) return () => false;
  const isSignature = ({ line, name }: Pick<Scope, 'line' | 'name'>): boolean =>
    signatures.has(`${line} ${name}`);
  const last = new Map<string, number>();
  for (const scope of scopes)
    if (!isSignature(scope)) last.set(scope.name, Math.max(scope.line, last.get(scope.name) ?? 0));
  return (one) => isSignature(one) && (last.get(one.name) ?? 0) > one.line;
}

function isCall(kind: UseKind): boolean {
  return kind === 'call' || kind === 'new';
}

function capturesOf({ captures }: QueryMatch): Captures {
  const found: Partial<Record<string, Node>> = {};
  for (const { name, node } of captures) found[name] = node;
  return found;
}

/** Returns the text of a node. Slicing is several times as fast as `node.text`, which copies out of the tree. */
function textOf(node: Node, text: string, limit: number): string {
  return text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + limit));
}

function nameOf(node: Node, text: string): string {
  return textOf(node, text, maxLength.name).replace(/^#/, '');
}

function readMarks(
  { requires, bare, locals, declared, signatures }: Marks,
  captures: Captures,
  text: string,
): void {
  if (captures['import.require'] !== undefined) requires.add(captures['import.require'].startIndex);
  if (captures['bare'] !== undefined) bare.add(captures['bare'].startIndex);
  if (captures['local'] !== undefined) locals.push(captures['local']);
  if (captures['declared'] !== undefined) declared.add(placeOf(captures['declared'], text));
  if (captures['signature'] !== undefined) signatures.add(placeOf(captures['signature'], text));
}

function placeOf(node: Node, text: string): string {
  return `${lineOf(node)} ${nameOf(node, text)}`;
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

function readScope(node: Node, captures: Captures, text: string): Scope {
  const { owner, self, 'scope.qualified': qualified } = captures;
  if (qualified !== undefined) return readQualifiedScope(node, qualified, text);
  const name = captures['scope.name']!;
  return {
    ...spanOf(node),
    name: nameOf(name, text),
    line: lineOf(name),
    owner: owner === undefined ? undefined : nameOf(owner, text).replaceAll('::', '.'),
    self: self === undefined ? undefined : nameOf(self, text),
    returns: resultType(captures['scope.result'], text),
    isContainer: false,
  };
}

/** Returns the type of the first result without what it is wrapped in; `undefined` if that is not a plain name. */
function resultType(node: Node | undefined, text: string): string | undefined {
  if (node === undefined) return undefined;
  const written = textOf(node, text, maxLength.name).replace(/^:\s*/, '');
  // Several results of Go, which may have names.
  const first = written.startsWith('(')
    ? (written.slice(1).split(/[,)]/, 1)[0]!.trim().split(/\s+/).at(-1) ?? '')
    : written;
  return plainType(/^(?:Promise|Awaitable|Optional)[<[](.*)[>\]]$/s.exec(first)?.[1] ?? first) || undefined;
}

/** Reads a definition whose name contains its type: `acme::Lease<T>::renew`. */
function readQualifiedScope(node: Node, qualified: Node, text: string): Scope {
  const whole = nameOf(qualified, text)
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('::', '.');
  const dot = whole.lastIndexOf('.');
  return {
    ...spanOf(node),
    name: whole.slice(dot + 1),
    line: qualified.endPosition.row + 1,
    owner: dot <= 0 ? undefined : whole.slice(0, dot),
    self: undefined,
    isContainer: false,
  };
}

function readContainer(node: Node, captures: Captures, text: string): Scope {
  const name = nameOf(captures['container.name']!, text);
  return {
    ...spanOf(node),
    name,
    line: lineOf(node),
    owner: undefined,
    self: undefined,
    isContainer: true,
  };
}

function spanOf(node: Node): Pick<Scope, 'start' | 'end' | 'startLine' | 'endLine'> {
  return {
    start: node.startIndex,
    end: node.endIndex,
    startLine: lineOf(node),
    endLine: node.endPosition.row + 1,
  };
}

function isImport(captures: Captures): boolean {
  return (
    captures['import.source'] !== undefined ||
    captures['export.local'] !== undefined ||
    captures['import'] !== undefined ||
    captures['import.mod'] !== undefined
  );
}

function readImports(captures: Captures, text: string, language: Language): readonly ImportedName[] {
  const { import: statement, 'import.source': from, 'import.mod': module } = captures;
  if (statement !== undefined) {
    const line = lineOf(statement);
    const read = language.readImport?.(textOf(statement, text, maxLength.statement)) ?? [];
    return read.map((each) => ({ ...each, line }));
  }
  if (module !== undefined) {
    const local = nameOf(module, text);
    return [{ source: `self::${local}`, name: undefined, local, line: lineOf(module) }];
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
  const { 'var.call': call } = captures;
  const type =
    call === undefined
      ? textOf(captures['var.type']!, text, maxLength.name)
      : `${simpleReceiver(textOf(call, text, maxLength.receiver + 1), self)}()`;
  const isField = captures['field'] !== undefined;
  return { name: nameOf(node, text), type, offset: node.startIndex, isField };
}

function readUse(captures: Captures, text: string): RawUse[] {
  const kind = useKinds.find((each) => captures[each] !== undefined);
  if (kind === undefined) return [];
  const node = captures[kind]!;
  const { receiver } = captures;
  return [
    {
      kind,
      name: nameOf(node, text),
      receiver: receiver === undefined ? undefined : textOf(receiver, text, maxLength.receiver + 1),
      line: lineOf(node),
      offset: node.startIndex,
    },
  ];
}

/** Returns a receiver that is a chain of names, with dots; an empty text for another one. */
function simpleReceiver(written: string, selves: readonly string[]): string {
  if (written.length > maxLength.receiver) return '';
  const self = selves.find((each) => written.startsWith(`${each}.`) || written.startsWith(`${each}->`));
  const receiver = self === undefined ? written : `this${written.slice(self.length)}`;
  const dotted = receiver.replaceAll(/::|->|\?\.|\\/g, '.').replace(/^[.*&]+/, '');
  return /^[$@\p{L}_][\w$@\u0080-\uffff]*(?:\.[#$@\w\u0080-\uffff]+)*$/u.test(dotted) ? dotted : '';
}

/**
 * Returns one reference for each name in each definition, with the strongest kind: `inherits` comes before `type` and
 * `value`.
 */
function distinct(references: readonly Use[]): readonly Use[] {
  const found = new Map<string, Use>();
  for (const each of references) {
    const key = `${each.from ?? ''} ${each.receiver ?? ''} ${each.name}`;
    const known = found.get(key);
    if (known === undefined || useKinds.indexOf(each.kind) < useKinds.indexOf(known.kind)) {
      found.set(key, each);
    }
  }
  return [...found.values()];
}
