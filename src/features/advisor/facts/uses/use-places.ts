import type { GraphNode } from '../../../../backends/graph/port.ts';
import { isDeclarationFile } from '../../../../backends/languages/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { certaintyOf } from '../../../knowledge/certainty.ts';
import { fileKey, placeOfKey } from '../../../knowledge/links/keys.ts';
import { innermostAt } from '../../../knowledge/queries/frame-symbols.ts';
import type { RelatedNode } from '../../../knowledge/queries/related-node.ts';
import type { Source } from '../../answer.ts';
import type { Inquiry } from '../inquiry.ts';
import { definitionsIn } from '../targets/enclosing.ts';
import { linesOfFile } from '../targets/file-lines.ts';
import { useSource } from '../targets/node-source.ts';
import { isTestPath, testsLast } from '../test-path.ts';
import type { FoundUse } from './find-uses.ts';
import { type UsedName, usedName } from './used-name.ts';
import { isCallOf, isFunction, usesInText } from './uses-in-text.ts';

/** A definition that uses something, or the code of a file outside of definitions. */
export interface UsePlace {
  /** Name with those around it: `Class.method.inner`. `undefined` for code outside of definitions. */
  readonly name: string | undefined;
  readonly repository: string;
  readonly path: string;
  /** The lines that use it, in their order. */
  readonly lines: readonly UseLine[];
  readonly isTest: boolean;
  /** False if only the name fits, or it is one of several that may be meant. */
  readonly isCertain: boolean;
}

export interface UseLine {
  readonly line: number;
  /** The line as written; empty if it is not known. */
  readonly text: string;
  readonly source: Source;
}

interface FoundPlaces {
  /** Those of the product before those of tests, and those of one file together. */
  readonly places: readonly UsePlace[];
  /** Lines of files that only declare what others implement. */
  readonly declarations: readonly FoundUse[];
}

/** Maximum numbers of uses that are read from the graph, and of lines above one that are read for a head. */
const max = { dependents: 60, above: 80 } as const;

/**
 * Finds where a name is used: the uses that the graph knows, and the lines of code that contain the name, such as a call
 * through a variable or a default value.
 */
export async function findPlaces(inquiry: Inquiry, used: UsedName): Promise<FoundPlaces> {
  const { target, dependents, possible } = used;
  const isFile = target?.node.kind === 'file';
  const inText = isFile ? [] : await usesInText(inquiry, used);
  const lines = new Map<string, FoundLine>();
  for (const { source, text } of inText.filter((use) => !isDeclarationFile(use.source.path))) {
    const { repository, repositoryId, path, line } = source;
    if (isElsewhere(used, { repositoryId, path, line })) continue;
    const found = { repository, repositoryId, path, line, text, source, isCertain: false };
    lines.set(`${repositoryId}:${path}:${line}`, found);
  }
  const ofGraph = (related: readonly RelatedNode[]): readonly RelatedNode[] =>
    related.filter(({ node }) => node.key !== target?.file).slice(0, max.dependents);
  for (const one of [...ofGraph(possible), ...ofGraph(dependents)]) {
    const found = await lineOfUse(inquiry, one);
    if (found === undefined) continue;
    const key = `${found.repositoryId}:${found.path}:${found.line}`;
    const node = one.node.kind === 'symbol' ? one.node : undefined;
    lines.set(key, { ...found, ...lines.get(key), node, isCertain: certaintyOf(one.edge) === 'certain' });
  }
  const places = await byDefinition(inquiry, [...lines.values()], used);
  return {
    places: byCertainty(testsLast(places, ({ path }) => path)).flat(),
    declarations: inText.filter(({ source }) => isDeclarationFile(source.path)),
  };
}

/** Returns whether a line is inside what certainly uses another definition of the name, and not this one. */
function isElsewhere(
  { elsewhere, dependents, possible }: UsedName,
  { repositoryId, path, line }: Pick<FoundLine, 'repositoryId' | 'path' | 'line'>,
): boolean {
  const isAround = ({ node }: RelatedNode): boolean => {
    const place = placeOfKey(node.key);
    if (place?.repositoryId !== repositoryId || place.path !== path) return false;
    const { startLine, endLine } = node.props;
    return node.kind === 'file' || (Number(startLine) <= line && line <= Number(endLine));
  };
  return elsewhere.some(isAround) && ![...dependents, ...possible].some(isAround);
}

/** Splits places into those that certainly use a definition, and those that possibly do. */
export function byCertainty(
  places: readonly UsePlace[],
): readonly [certain: readonly UsePlace[], possible: readonly UsePlace[]] {
  return [places.filter(({ isCertain }) => isCertain), places.filter(({ isCertain }) => !isCertain)];
}

/** Groups lines that were found by their text by the definition around them. */
export function placesOfUses(
  inquiry: Inquiry,
  name: string,
  uses: readonly FoundUse[],
): Promise<readonly UsePlace[]> {
  const lines = uses.map(({ source, text }): FoundLine => {
    const { repository, repositoryId, path, line } = source;
    return { repository, repositoryId, path, line, text, source, isCertain: true };
  });
  return byDefinition(inquiry, lines, usedName(name));
}

interface FoundLine extends UseLine {
  readonly repository: string;
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly isCertain: boolean;
  /** The definition around it, if the graph knows that it is the user. */
  readonly node?: GraphNode | undefined;
}

async function lineOfUse(
  inquiry: Inquiry,
  { node, edge }: RelatedNode,
): Promise<Omit<FoundLine, 'isCertain'> | undefined> {
  const source = await useSource(inquiry, node, edge);
  const place = placeOfKey(node.key);
  if (source === undefined || place === undefined) return undefined;
  const { line, text } = source;
  return { ...place, repository: source.repository, line, text, source };
}

/** Groups lines by the definition around them. */
async function byDefinition(
  inquiry: Inquiry,
  lines: readonly FoundLine[],
  used: UsedName,
): Promise<readonly UsePlace[]> {
  const inFiles = [...Map.groupBy(lines, ({ repositoryId, path }) => fileKey(repositoryId, path)).values()];
  const places = await Promise.all(
    inFiles.map(async (found): Promise<readonly UsePlace[]> => {
      const [file] = found;
      if (file === undefined) return [];
      const around = (await definitionsIn(inquiry, file)).filter(
        ({ name }) => name !== used.name || isFunction(used.target?.node),
      );
      const text = await linesOfFile(inquiry, file);
      const named = found.map((one) => ({ ...one, name: nameAround(one, around, text) }));
      return [...Map.groupBy(named, ({ name }) => name).values()].map((own) => placeOf(own, used));
    }),
  );
  return places.flat();
}

/** Returns the name of the definition around a line, with those around it: `Class.method.inner`. */
function nameAround(
  { line, node: known }: FoundLine,
  definitions: readonly GraphNode[],
  text: readonly string[],
): string | undefined {
  const node = known ?? innermostAt(definitions, line);
  const name = node === undefined ? undefined : String(node.props['qualifiedName'] ?? node.name);
  if (node !== undefined && isFunction(node)) return name;
  // The graph knows one of several overloads or accessors of one name; the others are found by their head.
  const head = headAbove(text, line, Number(node?.props['startLine'] ?? 0));
  return head === undefined || head === node?.name ? name : [name, head].filter(Boolean).join('.');
}

const statement =
  /^(?:if|for|while|switch|catch|return|else|elif|unless|until|with|try|do|when|case|match|await|new|throw|raise|assert)$/u;

const opensBlock = /(?:[{:]|=>|\bdo(?:\s*\|[^|]*\|)?)\s*$/u;
/** The first line of a head of several lines: `public Builder add(Type type,`. */
const declares = /^\s*(?!return\b|await\b|new\b|throw\b|else\b)(?:[\w<>[\]]+\s+)+[\w$]+\([^)]*,?\s*$/u;

/** Returns the name of the function whose head is above a line and less indented: `body` of `set body (val) {`. */
function headAbove(text: readonly string[], line: number, first: number): string | undefined {
  let indent = indentOf(text[line - 1] ?? '');
  for (let at = line - 1; at > Math.max(first, line - max.above) && indent > 0; at -= 1) {
    const above = (text[at - 1] ?? '').slice(0, 400);
    if (above.trim() === '' || indentOf(above) >= indent || !/^\s*[\p{L}_$@*#]/u.test(above)) continue;
    indent = indentOf(above);
    const name = /(?<![.\w$])([\p{L}_$][\w$]*)\s*(?:=\s*(?:async\s*)?(?:function\b[^(]{0,40})?)?\(/u.exec(
      above,
    )?.[1];
    if (name !== undefined && !statement.test(name) && (opensBlock.test(above) || declares.test(above)))
      return name;
  }
  return undefined;
}

function indentOf(text: string): number {
  return text.search(/\S|$/u);
}

function placeOf(
  own: readonly (FoundLine & { readonly name: string | undefined })[],
  used: UsedName,
): UsePlace {
  const sorted = own.toSorted((a, b) => a.line - b.line);
  // A local variable may have the name of the function that gives it its value.
  const calls = isFunction(used.target?.node) ? sorted.filter(({ text }) => isCallOf(text, used.name)) : [];
  const lines = calls.length > 0 ? calls : sorted;
  const [{ name, repository, path } = { name: undefined, repository: '', path: '' }] = lines;
  // Without a definition that is looked for, the name itself is.
  const isCertain = used.target === undefined || own.some((line) => line.isCertain);
  return { name, repository, path, lines, isTest: isTestPath(path), isCertain };
}
