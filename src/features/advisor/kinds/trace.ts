import type { GraphNode } from '../../../backends/graph/port.ts';
import { innermostAt } from '../../knowledge/queries/frame-symbols.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { definitionsIn, isProduct, lineSource, searchText } from '../evidence/line-source.ts';
import { placeText } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { TraceFrame } from '../question/prompt/read-trace.ts';
import { inlineCode } from '../text/markdown.ts';
import { codeText, withSource } from './code-sentence.ts';
import { linesOf } from './message.ts';

const max = { frames: 16, files: 100, found: 5 } as const;

/** A frame in an indexed file. */
interface FoundFrame {
  readonly frame: TraceFrame;
  readonly repository: SearchableRepository;
  readonly path: string;
  /** The line of the trace, or of the function that it names if that lies elsewhere now. */
  readonly line: number;
  readonly name: string | undefined;
  readonly isMoved: boolean;
}

/** Answers a pasted stack trace or compiler output with its innermost frames in indexed code. */
export async function traceAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { frames = [], message = '' } = inquiry.question.trace ?? {};
  const all = await findFrames(inquiry, frames);
  if (all.length === 0) return undefined;
  const found = [...all.filter(isProduct), ...all.filter((one) => !isProduct(one))];
  const places = [...new Set(all.map(({ repository }) => repository))];
  const reported = message === '' ? undefined : { text: message, isReported: true };
  const raised = reported && (await linesOf(inquiry, reported, places)).found.find(isProduct);
  const [raisedSource, ...sources] = await Promise.all([
    raised && lineSource(inquiry, raised, 'reports the message'),
    ...found.map((one) => lineSource(inquiry, one, 'frame of the stack trace')),
  ]);
  const [first = [], ...others] = found.map((one, at) => withSource(frameText(one), sources[at]));
  const stated = raised && ['The message is reported at ', ...withSource(codeText(raised), raisedSource)];
  const shown = [...sources, raisedSource].filter((one) => one !== undefined);
  return {
    lines: [first, ...(stated === undefined ? [] : [stated]), ...others],
    sources: [...new Map(shown.map((one) => [one.uri, one])).values()],
    notes: found.some(({ isMoved }) => isMoved)
      ? ['The trace is of another version: some lines lie outside of the functions that it names.']
      : [],
    passages: 0,
    ...(raised === undefined ? {} : { message }),
  };
}

function frameText({ frame, repository, path, line, name, isMoved }: FoundFrame): string {
  const place = placeText(repository.name, path, { first: line, last: line });
  const named = name === undefined ? '' : ` in ${inlineCode(name)}`;
  return `Frame: ${place}${named}${isMoved ? ` (line ${frame.line} in the trace)` : ''}`;
}

/** Returns the frames that lie in indexed files, in the order of the trace. */
async function findFrames(inquiry: Inquiry, frames: readonly TraceFrame[]): Promise<readonly FoundFrame[]> {
  const found: FoundFrame[] = [];
  for (const frame of frames.slice(0, max.frames)) {
    const one = await findFrame(inquiry, frame);
    const isNew = found.every(({ path, line }) => path !== one?.path || line !== one.line);
    if (one !== undefined && isNew) found.push(one);
    if (found.length === max.found) break;
  }
  return found;
}

async function findFrame(inquiry: Inquiry, frame: TraceFrame): Promise<FoundFrame | undefined> {
  const { ranked, deps, scope, signal } = inquiry;
  const text = frame.path.slice(frame.path.lastIndexOf('/') + 1);
  const search = { text, field: 'path', repositories: ranked.repositories, limit: max.files } as const;
  const { files = [] } = (await searchText(inquiry, search)) ?? {};
  const rated = files.flatMap(({ repository: id, path }) => {
    const repository = ranked.repositories.find((one) => one.id === id);
    const fit = repository === undefined ? 0 : fitOf(frame.path, `${repository.name}/${path}`);
    return repository === undefined || fit === 0 ? [] : [{ repository, path, fit }];
  });
  const best = rated.toSorted((a, b) => b.fit - a.fit || a.path.length - b.path.length)[0];
  if (best === undefined) return undefined;
  const { repository, path } = best;
  const content = (await deps.sources.readFile(scope, { repository: repository.id, path }, signal))?.content;
  // A file of the same name in another project does not contain the function.
  if (content === undefined || (frame.name !== undefined && !content.includes(frame.name))) return undefined;
  const definitions = await definitionsIn(inquiry, repository, path);
  const around = innermostAt(definitions, frame.line);
  const named = around?.name === frame.name ? around : namedNear(definitions, frame);
  const isMoved = named !== undefined && named !== around;
  const line = isMoved ? startOf(named) : frame.line;
  return { frame, repository, path, line, name: (named ?? around)?.name, isMoved };
}

function startOf({ props }: GraphNode): number {
  return Number(props['startLine'] ?? 1);
}

/** Returns the definition that a frame names, unless one around its line has that name. */
function namedNear(definitions: readonly GraphNode[], { name, line }: TraceFrame): GraphNode | undefined {
  const distance = (node: GraphNode): number => Math.abs(startOf(node) - line);
  const named = definitions.filter((one) => one.name === name);
  const holds = named.find((one) => startOf(one) <= line && line <= Number(one.props['endLine'] ?? 0));
  return holds === undefined ? named.toSorted((a, b) => distance(a) - distance(b))[0] : undefined;
}

/** Folders of installed packages. What follows is the path in the package, after its name. */
const installed =
  // bounded: at most 530 characters (readers of traces cut the paths of frames)
  /^.*(?:\/|^)(?:node_modules|site-packages|dist-packages|go\/pkg\/mod|gems|vendor|registry\/src\/[^/]+)\/(.+)$/u;

/**
 * Returns how many folders and names at the end of a path agree with an indexed file; 0 if they are different files. A
 * file of an installed package has to agree up to the name of the package.
 */
function fitOf(written: string, indexed: string): number {
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
