import { isUtf8 } from 'node:buffer';
import {
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { z } from 'zod';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { closestName } from '../../../foundation/kernel/text/closest-name.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { Configuration, ConfigurationPull } from '../connections/connection.ts';
import type { Connector, ProviderAccount } from '../port.ts';

/** Returns the path of the configuration file in a context repository. */
export function configPath({ records }: Pick<Connector, 'records'>): string {
  return `${records.root}/config.yaml`;
}

/**
 * Returns the branch of the next configuration pull request. The branch of a merged one may still exist and cannot be
 * used again without a forced push, so the next one has a number.
 */
export function configBranch(kind: string, id: ConnectionId, last: ConfigurationPull | undefined): string {
  const first = `orgctx/${kind}-${id.slice(-8)}`;
  if (last === undefined) return first;
  if (last.state !== 'merged') return last.branch;
  const number = Number(/-(\d+)$/.exec(last.branch.slice(first.length))?.[1] ?? '1');
  return `${first}-${number + 1}`;
}

/** The schema of a whole configuration file. */
function fileSchema({ configuration }: Connector): z.ZodObject {
  return z.strictObject({
    version: z.literal(1, 'must be 1'),
    connection: z.string(),
    workspace: z.strictObject({ id: z.string().optional(), urlKey: z.string().optional() }).optional(),
    scope: configuration.scope,
    ...configuration.blocks,
  });
}

/** One error in a configuration file, at a 1-based position. */
export interface ConfigIssue {
  readonly line: number;
  readonly column: number;
  /** For people, without a final full stop; quotes at most short parts of the file. */
  readonly message: string;
}

export type ParsedConfig =
  | { readonly configuration: Configuration; readonly issues?: undefined }
  | { readonly configuration?: undefined; readonly issues: readonly ConfigIssue[] };

/** Maximum size of a file, in bytes: a hundred times the default one. */
const maxBytes = 64 * 1024;
/** Maximum nesting. The parser calls itself for each level. */
const maxDepth = 30;
/** Maximum number of reported errors. */
const maxIssues = 20;
/** Maximum length of a text that a message quotes. */
const maxQuoted = 60;

/** Reads a configuration file strictly: what is not known is an error with a position, never ignored. */
export function parseConfig(
  content: Buffer,
  { connector, connectionId }: { readonly connector: Connector; readonly connectionId: ConnectionId },
): ParsedConfig {
  const read = readConfigDocument(content);
  if (read.issues !== undefined) return failed(read.issues);
  const { document, at } = read;
  const checked = fileSchema(connector).safeParse(document.toJS() ?? {});
  if (!checked.success) {
    return failed(checked.error.issues.flatMap((issue) => shapeIssues(issue, document, connector, at)));
  }
  const { version: _version, connection, ...configuration } = checked.data;
  if (connection !== connectionId) {
    const position = at(offsetOf(document, ['connection'], 'value'));
    const message = `connection must be ${connectionId}, the id of this connection`;
    return failed([{ ...position, message }]);
  }
  return { configuration };
}

type ReadDocument =
  | { readonly document: Document.Parsed; readonly at: PositionOf; readonly issues?: undefined }
  | { readonly document?: undefined; readonly issues: readonly ConfigIssue[] };

/** Parses the YAML of a configuration file within limits of size and nesting, without checking its keys. */
function readConfigDocument(content: Buffer): ReadDocument {
  const start = { line: 1, column: 1 };
  if (content.length > maxBytes) {
    return { issues: [{ ...start, message: `the file is larger than ${maxBytes / 1024} KiB` }] };
  }
  if (!isUtf8(content)) return { issues: [{ ...start, message: 'the file is not UTF-8 text' }] };
  const text = content.toString().replace(/^\uFEFF/u, '');
  const deep = tooDeep(text);
  if (deep !== undefined) return { issues: [deep] };
  const lines = new LineCounter();
  const document = parseDocument(text, { ...parsing, lineCounter: lines });
  const at: PositionOf = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const issues = syntaxIssues(document, at);
  return issues.length > 0 ? { issues } : { document, at };
}

/**
 * The parser would compare each key with all others of its map, and copy a part of the file into each message; both
 * take minutes for a hostile file.
 */
const parsing = { strict: true, uniqueKeys: false, prettyErrors: false } as const;

/** Formats an error as `12:5: unknown key teem`. */
export function issueText({ line, column, message }: ConfigIssue): string {
  return `${line}:${column}: ${message}`;
}

function failed(issues: readonly ConfigIssue[]): ParsedConfig {
  const inOrder = issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { issues: inOrder.slice(0, maxIssues) };
}

/** Bounds the nesting before the parser sees it: brackets, and entries such as `- - - a` or `? ? a`. */
function tooDeep(text: string): ConfigIssue | undefined {
  let depth = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const indicators = /^(?:[ \t]*[-?:](?=[ \t]|$))*/.exec(line)?.[0] ?? '';
    const blocks = indicators.replaceAll(/[ \t]/g, '').length;
    for (const character of line) {
      if (character === '[' || character === '{') depth += 1;
      else if ((character === ']' || character === '}') && depth > 0) depth -= 1;
    }
    const indent = line.length - line.trimStart().length;
    if (depth > maxDepth || blocks > maxDepth || (indent > 4 * maxDepth && line.trim() !== '')) {
      return { line: index + 1, column: 1, message: 'the file is nested too deeply' };
    }
  }
  return undefined;
}

type PositionOf = (offset: number) => Pick<ConfigIssue, 'line' | 'column'>;

function syntaxIssues(document: Document.Parsed, at: PositionOf): readonly ConfigIssue[] {
  const found = [...document.errors, ...document.warnings].slice(0, maxIssues);
  const issues = found.map(({ pos, code, message }) => ({
    ...at(pos[0]),
    // The first line of the parser's message.
    message: syntaxMessages[code] ?? visibleLine(message.split('\n')[0] ?? '').slice(0, 200),
  }));
  if (issues.length > 0) return issues;
  visit(document, {
    Node(_key, node) {
      if (issues.length >= maxIssues) return visit.BREAK;
      const position = at(node.range?.[0] ?? 0);
      if (isAlias(node)) issues.push({ ...position, message: 'aliases (*) are not allowed' });
      else if (node.anchor !== undefined)
        issues.push({ ...position, message: 'anchors (&) are not allowed' });
      else if (node.tag !== undefined && !isCollectionTag(node)) {
        issues.push({ ...position, message: 'tags (!) are not allowed' });
      }
      if (isMap(node)) issues.push(...keyIssues(node, at));
      return undefined;
    },
  });
  return issues;
}

function keyIssues({ items }: YAMLMap, at: PositionOf): readonly ConfigIssue[] {
  const seen = new Set<unknown>();
  const issues: ConfigIssue[] = [];
  for (const { key } of items) {
    const position = at(isNode(key) ? (key.range?.[0] ?? 0) : 0);
    const name = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string') issues.push({ ...position, message: 'a key must be text' });
    else if (seen.has(name)) issues.push({ ...position, message: 'this key is there already' });
    seen.add(name);
    if (issues.length >= maxIssues) break;
  }
  return issues;
}

/** The parser gives untagged maps and lists no tag of their own, unless the file has one. */
function isCollectionTag({ tag }: Node): boolean {
  return tag === 'tag:yaml.org,2002:map' || tag === 'tag:yaml.org,2002:seq';
}

const syntaxMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'tabs are not allowed for indentation; use spaces',
  MULTIPLE_DOCS: 'the file must be one document; remove the line `---` in the middle',
};

function shapeIssues(
  issue: z.core.$ZodIssue,
  document: Document.Parsed,
  connector: Connector,
  at: PositionOf,
): readonly ConfigIssue[] {
  const path = issue.path as (string | number)[];
  const name = path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(fileSchema(connector), path);
    return issue.keys.slice(0, maxIssues).map((key) => ({
      ...at(offsetOf(document, [...path, key], 'key')),
      message: unknownKey(key, known),
    }));
  }
  if (issue.code === 'invalid_type' && document.getIn(path, true) === undefined) {
    const parent = at(offsetOf(document, path.slice(0, -1), 'key'));
    return [{ ...parent, message: `${name} is missing` }];
  }
  const what = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return [{ ...at(offsetOf(document, path, 'value')), message: `${name}: ${what}` }];
}

function unknownKey(key: string, known: readonly string[]): string {
  const shown = visibleLine(key).slice(0, maxQuoted);
  const closest = closestName(key.slice(0, maxQuoted), known);
  const hint = closest === undefined ? `known keys: ${known.join(', ')}` : `did you mean ${closest}?`;
  return `unknown key ${shown} (${hint})`;
}

/** Returns the keys that an object of the schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly (string | number)[]): readonly string[] {
  const object = unwrapped(schema);
  const [next, ...rest] = path;
  if (object instanceof z.ZodArray) return keysAt(object.element, rest);
  if (!(object instanceof z.ZodObject)) return [];
  const shape = object.shape as Readonly<Record<string, z.core.$ZodType>>;
  if (next === undefined) return Object.keys(shape);
  const inner = shape[next];
  return inner === undefined ? [] : keysAt(inner, rest);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const hasInner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return hasInner ? unwrapped(schema.unwrap()) : schema;
}

/** Returns the offset of a key or value; that of the nearest ancestor if the file has neither. */
function offsetOf(
  document: Document.Parsed,
  path: readonly (string | number)[],
  part: 'key' | 'value',
): number {
  if (path.length === 0) return document.contents?.range?.[0] ?? 0;
  const node = (part === 'key' ? keyAt(document, path) : undefined) ?? document.getIn(path, true);
  if (isNode(node) && node.range) return node.range[0];
  return offsetOf(document, path.slice(0, -1), part);
}

/** Returns the key at the end of a path; `undefined` if the document has none. */
function keyAt(document: Document, path: readonly (string | number)[]): Scalar | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const keys = isMap(parent) ? parent.items.map(({ key }) => key) : [];
  return keys.filter((key) => isScalar(key)).find(({ value }) => value === path.at(-1));
}

interface ConfigContent {
  readonly connector: Connector;
  readonly connectionId: ConnectionId;
  readonly account: ProviderAccount | undefined;
  readonly scope: Readonly<Record<string, unknown>>;
}

/**
 * Returns the text of a configuration file with this scope. Of a present file, only the connection, its workspace and
 * the scope change; comments, order and the other blocks stay. One that cannot be parsed, or is too large or
 * too deep to be, is replaced.
 */
export function renderConfig(content: ConfigContent, present: Buffer | undefined): string {
  const { connectionId, scope } = content;
  if (present === undefined) return newFile(content);
  const { document } = readConfigDocument(present);
  if (document === undefined || !isMap(document.contents)) return newFile(content);
  document.set('version', 1);
  document.set('connection', connectionId);
  for (const [key, value] of Object.entries(workspace(content))) {
    if (JSON.stringify(document.toJS()[key]) !== JSON.stringify(value))
      document.set(key, document.createNode(value));
  }
  const former = document.get('scope', true);
  if (isMap(former)) changeScope(document, former, scope);
  else document.set('scope', document.createNode(scope));
  return String(document);
}

/** Gives a map the entries of `scope`. Entries that are equal already keep their style and comments. */
function changeScope(document: Document, former: YAMLMap, scope: ConfigContent['scope']): void {
  former.items = former.items.filter(({ key }) => isScalar(key) && Object.hasOwn(scope, String(key.value)));
  const values = former.toJSON() as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(scope)) {
    if (JSON.stringify(values[key]) === JSON.stringify(value)) continue;
    former.set(key, document.createNode(value, { flow: true }));
  }
}

/** The key `workspace` of a file, if the connector writes one. */
function workspace({ connector: { configuration }, account }: ConfigContent) {
  const known = account && configuration.workspaceOf?.(account);
  return known === undefined ? {} : { workspace: known };
}

function newFile(content: ConfigContent): string {
  const { connector, connectionId, scope } = content;
  const { configuration, product } = connector;
  const blocks = Object.entries(configuration.blocks).map(([key, schema]) => [key, schema.parse(undefined)]);
  const document = new Document({
    version: 1,
    connection: connectionId,
    ...workspace(content),
    scope: configuration.scope.parse(scope),
    ...Object.fromEntries(blocks),
  });
  document.commentBefore = [
    ` ${configPath(connector)}: what the connector ${product} mirrors into ${connector.records.root}/.`,
    ' Only this file on this branch counts. Change it like any other file, preferably by a pull request.',
  ].join('\n');
  for (const [path, comment] of Object.entries(configuration.comments)) {
    const key = keyAt(document, path.split('.'));
    if (key !== undefined) key.commentBefore = ` ${comment}`;
  }
  return String(document);
}
