import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey, placeOfKey } from '../../knowledge/links/keys.ts';
import { definedName, definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import type { Place } from '../../search/address.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { isSamePath } from '../evidence/find-named.ts';
import { addressValue, nextCall, placeSource, placeText } from '../evidence/place-source.ts';
import type { Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { periodOf } from '../question/period.ts';
import { inlineCode } from '../text/markdown.ts';

/** The file or definition that a question is about. */
export interface Target {
  readonly node: GraphNode;
  readonly repository: SearchableRepository;
  readonly path: string;
  /** First and last line of a definition, or of a file those that the question names. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** True if the question names it; false if the ranking found it. */
  readonly isNamed: boolean;
}

/**
 * Returns the lines that a question about their history names, or else the definitions and files that it names, a
 * definition in a named file first; if it names none, that of the best passage, or the named repository of a question
 * for what changed in a time, or who changed it. Its path is empty.
 */
export async function targetsOf(inquiry: Inquiry): Promise<readonly Target[]> {
  const { named } = inquiry;
  const lines = namedLines(inquiry);
  if (lines.length > 0) return lines;
  const inFile = named.symbols.filter(({ key }) =>
    named.files.some((file) => placeOfKey(key)?.path === placeOfKey(file.key)?.path),
  );
  const symbols = inFile.length > 0 ? inFile : named.symbols;
  const nodes = symbols.length > 0 ? symbols : named.files;
  const found = nodes.flatMap((node) => targetOf(inquiry, node, true) ?? []);
  if (found.length > 0) return found;
  const ofTime = changedRepository(inquiry) ?? (await rankedTarget(inquiry));
  return ofTime === undefined ? [] : [ofTime];
}

/** Returns the only repository that a question for what changed in a time, or who changed it, names. */
function changedRepository({ question, ranked }: Inquiry): Target | undefined {
  const [repository, other] = ranked.named;
  const isOfTime =
    ['change', 'incident', 'people'].includes(question.kind) && periodOf(question.head) !== undefined;
  if (!isOfTime || repository === undefined || other !== undefined) return undefined;
  const node = { key: '', kind: 'repository', name: repository.name, props: {} };
  return { node, repository, path: '', isNamed: true };
}

/** Returns the lines of files whose history a question asks for. */
function namedLines(inquiry: Inquiry): readonly Target[] {
  const { kind, subject } = inquiry.question;
  if (kind !== 'change' && kind !== 'people') return [];
  const files = inquiry.named.files.flatMap((node) => targetOf(inquiry, node, true) ?? []);
  return subject.places.flatMap(({ path, line, last = line }) =>
    files
      .filter((file) => isSamePath(file.path, path))
      .toSorted((a, b) => Number(b.path === path) - Number(a.path === path))
      .map((file) => ({ ...file, lines: { first: line, last } })),
  );
}

async function rankedTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const { ranked, view, scope } = inquiry;
  const [best] = ranked.passages.best;
  if (best === undefined) return undefined;
  const file = fileKey(best.repository, best.path);
  const line = best.definition?.line;
  const at = line === undefined ? undefined : { first: line, last: line };
  const around = at && (await definitionsAt(view.graph, scope, file, at)).around;
  const { nodes } = await view.graph.get(scope, [around?.key ?? file]);
  return nodes[0] === undefined ? undefined : targetOf(inquiry, nodes[0], false);
}

/** Returns a definition or file of a repository that can be searched as a target. */
export function targetOf(inquiry: Inquiry, node: GraphNode, isNamed: boolean): Target | undefined {
  const place = placeOfKey(node.key);
  const repository = repositoryWith(inquiry, place?.repositoryId);
  if (place === undefined || repository === undefined) return undefined;
  const [defined] = definedName(node);
  const lines = defined && { lines: { first: defined.line, last: Math.max(defined.line, defined.endLine) } };
  return { node, repository, path: place.path, isNamed, ...lines };
}

/** Returns the lines of a definition as a history takes them. */
export function spanOf({ lines }: Pick<Target, 'lines'>) {
  return lines === undefined ? {} : { lines: { startLine: lines.first, endLine: lines.last } };
}

/** Returns a target for a line of an answer: its name and place, with the place as a source. */
export function targetSentence(inquiry: Inquiry, target: Target, reason = 'asked about'): Sentence {
  const { repository, path, lines } = target;
  if (path === '') return [targetText(target)];
  const { first: startLine, last: endLine } = lines ?? { first: 1, last: 1 };
  const source = placeSource(inquiry, repository, {
    path,
    startLine,
    endLine,
    text: '',
    reason,
  });
  return [targetText(target), source];
}

/** Returns what formats a related definition or file with its place. */
export function placeOf(inquiry: Inquiry): (related: RelatedNode) => Sentence {
  return ({ node, edge }) => {
    const target = targetOf(inquiry, node, true);
    return target === undefined ? [inlineCode(node.name)] : targetSentence(inquiry, target, edge.kind);
  };
}

/** Formats a target for a line of an answer: its name and its place. */
export function targetText({ node, repository, path, lines }: Target): string {
  const place = placeText(repository.name, path, lines);
  return node.kind === 'symbol' ? `${inlineCode(qualifiedName(node))} at ${place}` : place;
}

/** Returns the name of a definition with those around it, at most three: `Class.method.inner`. */
function qualifiedName({ name, props }: GraphNode): string {
  const { qualifiedName: whole } = props;
  return typeof whole === 'string' ? whole.split('.').slice(-3).join('.') : name;
}

/** Returns the first line of a target as a place. */
export function startOf({ path, repository, lines: { first } = { first: 1, last: 1 } }: Target): Place {
  return { repository: repository.name, path, lines: { first, last: first } };
}

/** Returns the call that lists the references of a target. */
export function nextReferences({ ranked }: Inquiry, target: Target): readonly string[] {
  return nextCall('find_references', { address: addressValue(startOf(target), ranked.repositories) });
}
