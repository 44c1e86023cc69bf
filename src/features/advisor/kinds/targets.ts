import { isSamePath } from '../../../backends/codesearch/port.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import { targetsIn } from '../evidence/target.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { saysNoMore } from './weigh-commits.ts';

/**
 * Returns the lines that a question about their history names, or else the definitions and files that it names, a
 * definition in a named file first; if it names none, the repository with an empty path, or that of the best passage.
 */
export async function targetsOf(inquiry: Inquiry): Promise<readonly Target[]> {
  const { symbols, files } = inquiry.named;
  const inFile = symbols.filter(({ path }) => files.some((file) => file.path === path));
  const named = [namedLines(inquiry), inFile, symbols, files].find(({ length }) => length > 0);
  return named ?? changedRepository(inquiry) ?? (await rankedTarget(inquiry));
}

/** Returns the only repository that a question for changes, or who made them, names if it names nothing else. */
function changedRepository(inquiry: Inquiry): readonly Target[] | undefined {
  const [repository, other] = inquiry.ranked.named;
  const { kind, subject } = inquiry.question;
  const isOfChanges = ['change', 'people'].includes(kind) && saysNoMore(inquiry);
  // "What happened to Rack::File" is about a name.
  if (!isOfChanges || subject.identifiers.length > 0 || repository === undefined || other !== undefined)
    return undefined;
  const node = { key: '', kind: 'repository', name: repository.name, props: {} };
  return [{ node, repository, path: '', isNamed: true }];
}

/** Returns the lines of files whose history a question asks for. */
function namedLines({ question: { kind, subject }, named: { files } }: Inquiry): readonly Target[] {
  if (kind !== 'change' && kind !== 'people') return [];
  return subject.places.flatMap(({ path, line, last = line }) =>
    files
      .filter((file) => isSamePath(file.path, path))
      .toSorted((a, b) => Number(b.path === path) - Number(a.path === path))
      .map((file) => ({ ...file, lines: { first: line, last } })),
  );
}

/** Returns the definition of the best passage that is no test; for people who know it, its file. */
async function rankedTarget(inquiry: Inquiry): Promise<readonly Target[]> {
  const { ranked, view, scope, question } = inquiry;
  const { best } = ranked.passages;
  const passage = best.find(({ fileClass }) => fileClass !== 'test') ?? best[0];
  if (passage === undefined) return [];
  const file = fileKey(passage.repository, passage.path);
  const line = question.kind === 'people' ? undefined : passage.definition?.line;
  const at = line === undefined ? undefined : { first: line, last: line };
  const around = at && (await definitionsAt(view.graph, scope, file, at)).around;
  const { nodes } = await view.graph.get(scope, [around?.key ?? file]);
  return targetsIn(inquiry, nodes.slice(0, 1)).map((target) => ({ ...target, isNamed: false }));
}
