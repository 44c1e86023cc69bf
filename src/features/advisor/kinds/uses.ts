import { isCallerError } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { printFileUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { findReferences } from '../../references/find-references.ts';
import type { Reference, ReferencePage } from '../../references/reference-record.ts';
import { type Place, parseAddress } from '../../search/address.ts';
import { readSource } from '../../search/read-source.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import type { Source } from '../answer.ts';
import { askedNames } from '../evidence/find-named.ts';
import { addressValue, nextCall } from '../evidence/next-call.ts';
import { addressCode, placeSource } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { type Target, targetOf, targetsOf, targetText } from './target.ts';

/** Number of uses that are read, shown, and shown with the lines around them, and the length of the line of one. */
const max = { read: 60, shown: 10, line: 120, sites: 3, near: 4 } as const;
/** Number of lines around a use that are shown with the first ones. */
const linesAround = 5;

/** Answers what calls, uses or imports something: with every line that certainly or possibly does, counted. */
export async function usesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [name] = askedNames(inquiry);
  const [target] = await targetsOf(inquiry);
  const isAsked = name === undefined || target?.node.name === partsOfName(name).at(-1);
  if (isAsked && target?.isNamed === true && target.node.kind === 'symbol') return usesOf(inquiry, target);
  return name === undefined ? undefined : usesOfName(inquiry, name);
}

/** States the uses of a definition. */
export async function usesOf(inquiry: Inquiry, target: Target): Promise<Finding | undefined> {
  const { path, repository, lines } = target;
  const line = lines?.first ?? 1;
  const place = { repository: repository.name, path, lines: { first: line, last: line } };
  const page = await referencesOf(inquiry, { address: printFileUri(place) });
  if (page === undefined) return undefined;
  const address = addressValue(place, inquiry.ranked.repositories);
  const next = nextCall('find_references', { address });
  return findingOf(inquiry, page, `Uses of ${targetText(target)}`, next);
}

/**
 * States the uses of a name without a definition, such as that of an option, of a variable of the environment or of a
 * function of another library. That there are none is only said of a name that the question writes as code.
 */
async function usesOfName(inquiry: Inquiry, name: string): Promise<Finding | undefined> {
  const page = await referencesOf(inquiry, { name });
  const isCode = inquiry.question.subject.identifiers.includes(name);
  if (page === undefined || (page.total === 0 && page.incomplete !== undefined)) return undefined;
  if (page.total === 0) return isCode ? absentName(inquiry, name) : undefined;
  if (!isCode && !page.items.some(({ kind }) => kind === 'call' || kind === 'import')) return undefined;
  const unknown = `No definition is known as ${inlineCode(name)}`;
  const isDefined = page.definitions.length > 0;
  const [lead, text] =
    page.name === name
      ? [isDefined ? '' : `${unknown}. `, name]
      : [`${unknown}, and no line has this text. `, page.name];
  const next = nextCall('find_references', { name });
  const finding = await findingOf(inquiry, page, `${lead}Lines with ${inlineCode(text)}`, next);
  return { ...finding, isSure: !isDefined || finding.isSure === true };
}

/** Returns the first page of references; `undefined` if what is asked for cannot be looked up. */
async function referencesOf(
  { deps, scope, signal, ranked }: Inquiry,
  asked: { readonly name: string } | { readonly address: string },
): Promise<ReferencePage | undefined> {
  const isEvery = ranked.named.length === 0 && ranked.searched.length === ranked.repositories.length;
  const asking = ranked.named.length > 0 ? ranked.named : ranked.searched;
  const repositories = isEvery ? undefined : asking.map(({ name }) => name);
  try {
    return await findReferences(deps, scope, { ...asked, limit: max.read, repositories }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isCallerError(error)) return undefined;
    throw error;
  }
}

async function findingOf(
  inquiry: Inquiry,
  page: ReferencePage,
  lead: string,
  next: readonly string[],
): Promise<Finding> {
  const uses = page.items.filter(({ kind }) => kind !== 'definition');
  const inCode = uses.filter(({ kind }) => kind !== 'text');
  const known = inCode.filter(({ certainty }) => certainty !== 'text');
  const [all = []] = [known, inCode, uses].filter((some) => some.length > 0);
  const near = inquiry.named.symbols
    .flatMap((node) => targetOf(inquiry, node, true) ?? [])
    .slice(0, max.near)
    .map(({ repository, path }) => `${repository.name}/${path}:`);
  const shown = all.toSorted((a, b) => orderOf(a, near) - orderOf(b, near));
  const lines = shown.slice(0, max.shown).map((use) => useSentence(inquiry, use));
  const sites = await Promise.all(
    shown
      .filter(({ kind }) => kind !== 'import')
      .slice(0, max.sites)
      .map((use) => siteOf(inquiry, use)),
  );
  // A definition is no use of itself.
  const less = (certainty: Reference['certainty']): number =>
    page[certainty] -
    page.items.filter((one) => one.kind === 'definition' && one.certainty === certainty).length;
  const [certain, possible, text] = [less('certain'), less('possible'), less('text')];
  const total = certain + possible + text;
  const others =
    page.elsewhere === 0 ? '' : `; ${counted(page.elsewhere, 'line')} more certainly mean another one`;
  const counts =
    page.definitions.length > 0
      ? `${certain} certain, ${possible} possible, ${text} by text only, of ${counted(total, 'line')}`
      : `${total}${page.nextCursor === null ? `, ${inCode.length} of them in code` : ''}`;
  return {
    lines: [[`${lead}: ${counts}${others}.`], ...lines],
    sources: sites.filter((site) => site !== undefined),
    notes: page.notices.filter((notice) => !notice.startsWith('No definition is known')),
    next: total > lines.length ? next : [],
    passages: 0,
    isSure: certain > 0,
  };
}

/** Returns the order in which uses are shown: those in the files of named definitions first, tests last, imports after calls. */
function orderOf({ address, test, kind }: Reference, near: readonly string[]): number {
  const isNear = near.some((file) => address.startsWith(file));
  return (isNear ? 0 : 4) + (test ? 2 : 0) + (kind === 'import' ? 1 : 0);
}

function useSentence(inquiry: Inquiry, { address, line, kind, test, certainty, from }: Reference): Sentence {
  const text = shorten(visibleLine(line).trim(), max.line);
  const around = from === undefined ? '' : ` in ${inlineCode(from)}`;
  const known = certainty === 'possible' ? `possible ${kind}` : kind;
  const source = sourceOf(inquiry, address, text);
  return [
    `${addressCode(address)} ${known}${test ? ' in a test' : ''}${around}: ${inlineCode(text)}`,
    ...(source === undefined ? [] : [source]),
  ];
}

/** Returns a use with the lines around it. */
async function siteOf(inquiry: Inquiry, { address, from }: Reference): Promise<Source | undefined> {
  const place = placeOf(inquiry, address);
  if (place === undefined) return undefined;
  const { repository, path, line } = place;
  const lines = { first: Math.max(1, line - linesAround), last: line + linesAround };
  const asked = { repository: repository.name, path, lines };
  const { content, startLine, endLine } = await readSource(
    inquiry.deps,
    inquiry.scope,
    asked,
    inquiry.signal,
  );
  const source = placeSource(inquiry, repository, {
    path,
    startLine,
    endLine,
    text: content.replace(/\r?\n$/, ''),
    reason: 'use',
  });
  return from === undefined ? source : { ...source, title: `in ${visibleLine(from)}` };
}

function sourceOf(inquiry: Inquiry, address: string, text: string): Source | undefined {
  const place = placeOf(inquiry, address);
  if (place === undefined) return undefined;
  const { repository, path, line } = place;
  return placeSource(inquiry, repository, { path, startLine: line, endLine: line, text, reason: 'use' });
}

function placeOf({ ranked: { repositories } }: Inquiry, address: string) {
  const names = repositories.map(({ name }) => name);
  const place = placeIn(address, names);
  const repository = repositories.find(({ name }) => name === place?.repository);
  return repository === undefined || place?.lines === undefined
    ? undefined
    : { repository, path: place.path, line: place.lines.first };
}

/** Parses an address; `undefined` if the names of two repositories fit. */
function placeIn(address: string, names: readonly string[]): Place | undefined {
  try {
    return parseAddress(address, names);
  } catch (error) {
    if (isCallerError(error)) return undefined;
    throw error;
  }
}
