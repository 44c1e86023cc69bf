import type { ModelCall } from '../../../backends/models/port.ts';
import { parseJson } from '../../../foundation/kernel/wire/parse-json.ts';
import {
  parseResourceUri,
  printCommitUri,
  printFileUri,
} from '../../../foundation/kernel/wire/resource-uri.ts';
import { entityOfRecord } from '../../knowledge/entity-uri.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import type { AdvisorDeps, ModelDeps } from '../advisor-deps.ts';
import type { Source } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { placeAt, placeSource, shownLines } from '../evidence/place-source.ts';
import { sourceKindOf } from '../evidence/sources.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Fence } from './instructions.ts';
import type { IssuedSources } from './issued-sources.ts';

/** The context of a call of the model. The organization is that of the question. */
export interface ModelCallContext {
  readonly deps: AdvisorDeps;
  readonly model: ModelDeps;
  readonly pack: Pick<Pack, 'inquiry'>;
  readonly signal: AbortSignal;
}

/** Maximum length of the arguments of a call, in characters, and of a source in lines, so that citations are exact. */
const max = { arguments: 8_000, lines: 40 } as const;

/** Runs a call and returns its result for the model: as data, with a number before each source. */
export async function runCall(
  { name, arguments: text }: ModelCall,
  { deps, model, pack: { inquiry }, signal }: ModelCallContext,
  { issued, fence }: { readonly issued: IssuedSources; readonly fence: Fence },
): Promise<string> {
  const tool = model.tools.find(({ declaration }) => declaration.name === name);
  if (tool === undefined) return 'Error: there is no such tool.';
  const given = text.length > max.arguments ? undefined : parseJson(text === '' ? '{}' : text);
  if (given === undefined) return 'Error: the arguments are no JSON, or too long.';
  const result = await tool.run(given, { deps, scope: inquiry.scope, log: model.log, signal });
  const lines = result.split('\n');
  for (const { at, source } of sourcesIn(lines, inquiry))
    lines[at] = `[${issued.issue(source)}] ${lines[at]}`;
  return fence.text(lines.join('\n'));
}

/**
 * Matches the address that a line of a result begins with: of a commit (`acme/web@1f2e3d4 2026-…`), of anything without
 * spaces (`acme/web/src/a.ts: …`), or of lines of a file (`acme/web/a b.ts:3-9 of 40 lines`). Tools put an address, a
 * number, a sign or spaces before each text of others, and quotes or brackets around it.
 */
const beginning =
  /^(?:\S+@[\da-f]{7,64}(?= \d{4}-)|\S+?(?=: | of \d+ lines?$)|[^"(]+?:\d+(?:-\d+)?(?=: | of \d+ lines?$))/u;
/** Matches a line that belongs to the address before it: one of a file, or a connection that ends in `… 90 %)`. */
const following = /^(?:(\d+) {2}(.*)|[^\s+-].* %\))$/u;

/** Lines of a result that belong to an address, from a line `at` of it. */
interface Part {
  readonly at: number;
  readonly address: string;
  readonly texts: string[];
  /** The number of the first line, of a file that was read. */
  first?: number;
}

/** Finds the sources in a result: what stands after an address of the caller's organization. */
function sourcesIn(lines: readonly string[], inquiry: Inquiry): { at: number; source: Source }[] {
  const parts: Part[] = [];
  let part: Part | undefined;
  for (const [at, line] of lines.entries()) {
    const [address = ''] = beginning.exec(line) ?? [];
    const [follows, number, text = line] = following.exec(line) ?? [];
    if (sourceAt(inquiry, { at, address, texts: [] }) !== undefined) {
      const rest = line.slice(address.length).replace(/^: | of \d+ lines?$/u, '');
      part = { at, address, texts: rest === '' ? [] : [rest.trim()] };
      parts.push(part);
    } else if (part === undefined || follows === undefined) {
      part = undefined;
    } else {
      if (part.texts.length >= max.lines) {
        part = { at, address: part.address, texts: [] };
        parts.push(part);
      }
      if (number !== undefined) part.first ??= Number(number);
      part.texts.push(text);
    }
  }
  return parts.flatMap((each) => {
    const source = each.texts.length === 0 ? undefined : sourceAt(inquiry, each);
    return source === undefined ? [] : [{ at: each.at, source }];
  });
}

/** Returns the source at an address: lines, a file, a commit or a record of the organization. */
function sourceAt(inquiry: Inquiry, part: Part): Source | undefined {
  const { address, texts, first } = part;
  const { deps, scope, ranked } = inquiry;
  const reason = 'found by the language model';
  const found = { address, title: address, excerpt: shownLines(texts), reason };
  const record = parseResourceUri(address);
  if (record?.kind === 'record') {
    const key = entityOfRecord(deps.knowledge.records, record) ?? address;
    return { ...found, kind: sourceKindOf(record.type), uri: address, url: deps.urls.entity(scope, key) };
  }
  const place = placeAt(address, ranked.repositories);
  const repository = ranked.repositories.find(({ name }) => name === place?.repository);
  if (place === undefined || repository === undefined) return undefined;
  const { repository: name, path, commit, lines } = place;
  if (lines !== undefined && isText(part)) {
    const startLine = first ?? lines.first;
    const endLine = first === undefined ? (lines.last ?? startLine) : first + texts.length - 1;
    const at = { path, startLine, endLine, ...(commit === undefined ? {} : { commit }) };
    return placeSource(inquiry, repository, { ...at, text: texts.join('\n'), reason });
  }
  if (path !== '') {
    const url = deps.urls.entity(scope, fileKey(repository.id, path));
    return { ...found, kind: 'entity', repository: name, uri: printFileUri(place), url };
  }
  if (commit === undefined) return undefined;
  const url = deps.urls.commit(scope, repository, commit);
  return { ...found, kind: 'commit', repository: name, commit, uri: printCommitUri(name, commit), url };
}

/** Returns whether the lines of a part are text of a file: they are numbered, or one that follows its address. */
function isText({ first, texts }: Part): boolean {
  return first !== undefined || (texts.length < 2 && texts[0]?.startsWith('symbol ') !== true);
}
