import type { GraphNode } from '../../../../backends/graph/port.ts';
import { innermostAt } from '../../../knowledge/queries/frame-symbols.ts';
import type { SearchableRepository } from '../../../search/repositories-in-scope.ts';
import type { TraceFrame } from '../../question/prompt/read-trace.ts';
import type { Inquiry } from '../inquiry.ts';
import { searchText } from '../search-text.ts';
import { definitionsIn } from '../targets/enclosing.ts';

/** A frame in an indexed file. */
export interface FoundFrame {
  readonly frame: TraceFrame;
  readonly repository: SearchableRepository;
  readonly path: string;
  readonly commit: string;
  readonly lines: readonly string[];
  /** The function that the trace names, or else the one around the line. */
  readonly node: GraphNode;
  /** False if the line lies outside of the function that the trace names: the trace is of another version. */
  readonly isCurrent: boolean;
  /** The definitions of the file. */
  readonly definitions: readonly GraphNode[];
}

const max = { frames: 16, files: 100, found: 5 } as const;

/** Folders of installed packages. What follows is the path in the package, after its name. */
const installed =
  // bounded: at most 530 characters (readers of traces cut the paths of frames)
  /^.*(?:\/|^)(?:node_modules|site-packages|dist-packages|go\/pkg\/mod|gems|vendor|registry\/src\/[^/]+)\/(.+)$/u;

/** Returns the frames that lie in indexed files, in the order of the trace. */
export async function findFrames(
  inquiry: Inquiry,
  frames: readonly TraceFrame[],
): Promise<readonly FoundFrame[]> {
  const found: FoundFrame[] = [];
  for (const frame of frames.slice(0, max.frames)) {
    const one = await findFrame(inquiry, frame);
    if (one !== undefined && found.every(({ node }) => node.key !== one.node.key)) found.push(one);
    if (found.length === max.found) break;
  }
  return found;
}

async function findFrame(inquiry: Inquiry, frame: TraceFrame): Promise<FoundFrame | undefined> {
  const { ranked, deps, scope, signal } = inquiry;
  const text = frame.path.slice(frame.path.lastIndexOf('/') + 1);
  const limits = { matchesPerFile: 1, contextLines: 0, limit: max.files } as const;
  const search = { text, caseSensitive: true, field: 'path', repositories: ranked.repositories } as const;
  const { files = [] } = (await searchText(inquiry, { ...search, ...limits })) ?? {};
  const rated = files.flatMap(({ repository: id, path }) => {
    const repository = ranked.repositories.find((one) => one.id === id);
    const fit = repository === undefined ? 0 : fitOf(frame.path, `${repository.name}/${path}`);
    return repository === undefined || fit === 0 ? [] : [{ repository, path, fit }];
  });
  const best = rated.toSorted((a, b) => b.fit - a.fit || a.path.length - b.path.length)[0];
  if (best === undefined) return undefined;
  const { repository, path } = best;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  const content = file?.content;
  if (file === undefined || content === undefined) return undefined;
  // A file of the same name in another project does not contain the function.
  if (frame.name !== undefined && !content.includes(frame.name)) return undefined;
  const lines = content.split(/\r?\n/u);
  const definitions = await definitionsIn(inquiry, { repositoryId: repository.id, path });
  const around = innermostAt(definitions, frame.line);
  const node = around?.name === frame.name ? around : (namedNear(definitions, frame) ?? around);
  return node === undefined
    ? undefined
    : { frame, repository, path, commit: file.commit, lines, node, isCurrent: node === around, definitions };
}

function namedNear(definitions: readonly GraphNode[], { name, line }: TraceFrame): GraphNode | undefined {
  const distance = ({ props }: GraphNode): number => Math.abs(Number(props['startLine'] ?? 0) - line);
  return definitions.filter((one) => one.name === name).toSorted((a, b) => distance(a) - distance(b))[0];
}

/**
 * Returns how many folders and names at the end of a path agree with an indexed file; 0 if they are different files. A
 * file of an installed package has to agree up to the name of the package.
 * @internal Exported for its test.
 */
export function fitOf(written: string, indexed: string): number {
  const inPackage = installed.exec(written)?.[1];
  const wanted = (inPackage ?? written)
    .split('/')
    // A major version of a Go module is no folder: `cli/v3@v3.10.1`.
    .filter((part) => part !== '' && !/^v\d+@/u.test(part))
    // bounded: at most 530 characters (part of such a path)
    .map((part) => part.replace(/(?:@v?|-)\d+(?:\.\d+)+[\w.+-]*$/u, ''));
  const parts = indexed.split('/');
  let same = 0;
  while (same < wanted.length && wanted.at(-1 - same) === parts.at(-1 - same)) same += 1;
  const isWhole = same === wanted.length || same === parts.length;
  if (inPackage !== undefined) return isWhole ? same : 0;
  return same >= 2 || isWhole ? same : 0;
}
