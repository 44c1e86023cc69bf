import { fileKey } from '../../knowledge/links/keys.ts';
import { type DefinedName, definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import { isProduct, lineSource, readText, reportingSentence, searchFor } from '../evidence/line-source.ts';
import { type CodeLine, placeText, withSource } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import type { TraceFrame } from '../question/prompt/read-trace.ts';
import { messageLines, share } from './message.ts';

const max = { frames: 16, files: 100, found: 5 } as const;

/** A frame in an indexed file. Its line is that of the function that it names, if that lies elsewhere now. */
interface FoundFrame extends Omit<CodeLine, 'text'> {
  readonly frame: TraceFrame;
}

/** Answers a pasted stack trace or compiler output with its innermost frames in indexed code. */
export async function traceAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { frames = [], message = '' } = inquiry.question.trace ?? {};
  const inOrder = await findFrames(inquiry, frames);
  if (inOrder.length === 0) return undefined;
  const found = inOrder.toSorted((a, b) => Number(isProduct(b)) - Number(isProduct(a)));
  const places = [...new Set(inOrder.map(({ repository }) => repository))];
  const reported = (await messageLines(inquiry, message, places)).found.find(isProduct);
  const what = reported && reported.said >= share.sure ? 'The message' : 'A similar message';
  const stated = reported && [[`${what} is reported at `, ...(await reportingSentence(inquiry, reported))]];
  const [first = [], ...others] = await Promise.all(found.map((one) => frameSentence(inquiry, one)));
  return {
    lines: [first, ...(stated ?? []), ...others],
    passages: 0,
    ...(reported === undefined ? {} : { message }),
  };
}

async function frameSentence(inquiry: Inquiry, found: FoundFrame): Promise<Sentence> {
  const { frame, repository, path, line } = found;
  // Without a function, the prompt names only a place.
  const what = frame.words.length === 0 ? 'Place' : 'Frame';
  const place = placeText(repository.name, path, { first: line, last: line });
  const moved = frame.line === line ? '' : ` (line ${frame.line} in the trace)`;
  const source = await lineSource(inquiry, found, { reason: what.toLowerCase() });
  return withSource(`${what}: ${place}${moved}`, source);
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
  const { repositories } = inquiry.ranked;
  const text = frame.path.slice(frame.path.lastIndexOf('/') + 1);
  const query = { kind: 'literal', text, caseSensitive: true, field: 'path' } as const;
  const { files = [] } = (await searchFor(inquiry, { query, repositories, limit: max.files })) ?? {};
  const rated = files.flatMap(({ repository: id, path }) => {
    const repository = repositoryWith(inquiry, id);
    const fit = repository === undefined ? 0 : fitOf(frame.path, `${repository.name}/${path}`);
    return repository === undefined || fit === 0 ? [] : [{ repository, path, fit }];
  });
  const [best] = rated.toSorted((a, b) => b.fit - a.fit || a.path.length - b.path.length);
  if (best === undefined) return undefined;
  const { repository, path } = best;
  const content = await readText(inquiry, repository, path);
  // A file of the same name in another project does not contain the function.
  const { words } = frame;
  if (content === undefined || (words.length > 0 && !words.some((word) => content.includes(word))))
    return undefined;
  const all = { first: 1, last: Number.MAX_SAFE_INTEGER };
  const { begun } = await definitionsAt(inquiry.view.graph, inquiry.scope, fileKey(repository.id, path), all);
  return { frame, repository, path, line: presentLine(begun, frame) };
}

/**
 * Returns the line of a frame, or that of the nearest definition with the name of its function, which the first of its
 * words with a definition is, if none around the line has that name.
 */
function presentLine(definitions: readonly DefinedName[], { words, line }: TraceFrame): number {
  const byName = Map.groupBy(definitions, ({ qualifiedName }) => qualifiedName.split('.').at(-1)!);
  const named = words.map((word) => byName.get(word)).find((some) => some !== undefined) ?? [];
  if (named.some((one) => one.line <= line && line <= one.endLine)) return line;
  const distance = (one: DefinedName): number => Math.abs(one.line - line);
  return named.toSorted((a, b) => distance(a) - distance(b))[0]?.line ?? line;
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
    // A scheme, a drive and a major version of a Go module, such as `cli/v3@v3.10.1`, are no folders.
    .filter((part) => !/^(?:v\d+@.*|.*:|\.)?$/u.test(part))
    // bounded: at most 530 characters (part of such a path)
    .map((part) => part.replace(/(?:@v?|-)\d+(?:\.\d+)+[\w.+-]*$/u, ''));
  const parts = indexed.split('/');
  let same = 0;
  while (same < wanted.length && wanted.at(-1 - same) === parts.at(-1 - same)) same += 1;
  const isWhole = same === wanted.length || same === parts.length;
  if (inPackage !== undefined) return isWhole ? same : 0;
  return same >= 2 || isWhole ? same : 0;
}
