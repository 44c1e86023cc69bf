import { isCallerError } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { printFileUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { type FoundReferences, findReferences } from '../../references/find-references.ts';
import type { Reference } from '../../references/reference-record.ts';
import { unqualified } from '../../search/symbol-name.ts';
import type { Source } from '../answer.ts';
import { askedNames } from '../evidence/find-named.ts';
import { isProduct, lineSource } from '../evidence/line-source.ts';
import { addressCode, nextCall, placeAt, withSource } from '../evidence/place-source.ts';
import { nextReferences, startOf, targetSentence, targetsIn, targetText } from '../evidence/target.ts';
import { type Finding, firstLines, type Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { targetsOf } from './targets.ts';

/** Numbers of uses that are read, shown and have lines around them, of all these lines, and the length of a use. */
const max = { read: 60, shown: 10, sites: 3, lines: 40, line: 120 } as const;

/** Answers what calls, uses or imports something: with every line that certainly or possibly does, counted. */
export async function usesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [name] = askedNames(inquiry);
  const [target, other] = await targetsOf(inquiry);
  const isAsked = name === undefined || target?.node.name === unqualified(name);
  if (!isAsked || target?.isNamed !== true || target.node.kind !== 'symbol')
    return name === undefined ? undefined : usesOfName(inquiry, name);
  const subtypes = ofSubtypes.test(inquiry.question.head) ? await subtypesOf(inquiry, target) : undefined;
  if (subtypes !== undefined) return subtypes;
  // The first of several definitions of a name is no surer than the others.
  const isOneOfSeveral = other?.node.kind === 'symbol' && other.node.name === target.node.name;
  return isOneOfSeveral ? usesOfName(inquiry, name ?? target.node.name) : usesOf(inquiry, target);
}

/** Matches a question for what implements or extends a type. */
const ofSubtypes = /\b(?:implement|extend|inherit|derive|subclass|subtype)/iu;

/** States what directly implements or extends a type, if the graph knows such definitions. */
async function subtypesOf(inquiry: Inquiry, target: Target): Promise<Finding | undefined> {
  const from = [target.node.key];
  const found = await step(inquiry.view.graph, inquiry.scope, { from, direction: 'in', kinds: ['inherits'] });
  const nodes = reached(found, from, ['symbol']).map(({ node }) => node);
  const subtypes = targetsIn(inquiry, nodes);
  if (subtypes.length === 0) return undefined;
  const count = `${counted(subtypes.length, 'definition')}${found.truncated ? ' or more' : ''}`;
  return {
    lines: [
      [`Directly implement or extend ${targetText(target)}: ${count}.`],
      ...firstLines(subtypes, max.shown, (one) => targetSentence(inquiry, one)),
    ],
    next: nextReferences(inquiry, target),
    passages: 0,
  };
}

/** States the uses of a definition. */
export async function usesOf(inquiry: Inquiry, target: Target): Promise<Finding | undefined> {
  const page = await referencesOf(inquiry, { address: printFileUri(startOf(target)) });
  if (page === undefined) return undefined;
  return findingOf(inquiry, page, `Uses of ${targetText(target)}`, nextReferences(inquiry, target));
}

/**
 * States the uses of a name with several definitions, or with none, such as that of an option, of a variable of the
 * environment or of a function of another library. That there are none is only said of a name that the question writes
 * as code.
 */
async function usesOfName(inquiry: Inquiry, name: string): Promise<Finding | undefined> {
  const page = await referencesOf(inquiry, { name });
  const isCode = inquiry.question.subject.identifiers.includes(name);
  if (page === undefined || (page.total === 0 && page.incomplete !== undefined)) return undefined;
  if (page.total === 0) return isCode ? absentName(inquiry, name) : undefined;
  // No line calls or imports a word of prose.
  if (!isCode && !page.items.some(({ kind }) => kind === 'call' || kind === 'import')) return undefined;
  return findingOf(inquiry, page, leadOf(page, name), nextCall('find_references', { name }));
}

function leadOf({ name: text, definitions, unknownNotice }: FoundReferences, name: string): string {
  if (definitions.length > 0 && unknownNotice === undefined)
    return `${text === name ? 'Lines with' : 'Uses of'} ${inlineCode(name)}`;
  const missing = text === name ? '' : ', and no line has this text';
  return `No definition is known as ${inlineCode(name)}${missing}. Lines with ${inlineCode(text)}`;
}

/** Returns the first page of references; `undefined` if what is asked for cannot be looked up. */
async function referencesOf(
  { deps, scope, signal, ranked }: Inquiry,
  asked: { readonly name: string } | { readonly address: string },
): Promise<FoundReferences | undefined> {
  const repositories = ranked.named.length === 0 ? undefined : ranked.named.map(({ name }) => name);
  const found = findReferences(deps, scope, { ...asked, limit: max.read, repositories }, signal);
  return await found.catch(orUndefined((error) => !signal.aborted && isCallerError(error)));
}

async function findingOf(
  inquiry: Inquiry,
  page: FoundReferences,
  lead: string,
  next: readonly string[],
): Promise<Finding> {
  const uses = page.items.filter(({ kind }) => kind !== 'definition');
  // The name in the text of a program, such as that of a variable of the environment, is a use.
  const inCode = uses.filter(({ kind, address }) => {
    return kind !== 'text' || isProduct({ path: address.slice(0, address.lastIndexOf(':')) });
  });
  const known = inCode.filter(({ certainty }) => certainty !== 'text');
  const [all = []] = [known, inCode, uses].filter((some) => some.length > 0);
  const shown = all.toSorted((a, b) => orderOf(a) - orderOf(b)).slice(0, max.shown);
  const sites = shown.filter(({ kind }) => kind !== 'import').slice(0, max.sites);
  const sources = await Promise.all(shown.map((use) => sourceOf(inquiry, use, sites)));
  // A definition is no use of itself.
  const own = page.items.filter(({ kind }) => kind === 'definition');
  const usesWith = (as: Reference['certainty']): number =>
    page[as] - own.filter(({ certainty }) => certainty === as).length;
  const [certain, possible, text] = [usesWith('certain'), usesWith('possible'), usesWith('text')];
  const total = certain + possible + text;
  const others =
    page.elsewhere === 0 ? '' : `; ${counted(page.elsewhere, 'line')} more certainly mean another one`;
  const counts =
    page.definitions.length > 0
      ? `${certain} certain, ${possible} possible, ${text} by text only, of ${counted(total, 'line')}`
      : `${total}${page.nextCursor === null ? `, ${inCode.length} of them in code` : ''}`;
  return {
    lines: [[`${lead}: ${counts}${others}.`], ...shown.map((use, at) => useSentence(use, sources[at]))],
    notes: page.notices.filter((notice) => notice !== page.unknownNotice),
    next: total > shown.length ? next : [],
    passages: 0,
    isSure: certain > 0 || page.definitions.length === 0,
  };
}

/**
 * Returns the order in which uses are shown: certain ones first, then those of the product, imports after calls, and
 * words of comments last.
 */
function orderOf({ test, kind, certainty }: Reference): number {
  const ofKind = kind === 'text' ? 8 : Number(kind === 'import');
  return ofKind + (certainty === 'certain' ? 0 : 4) + (test ? 2 : 0);
}

function useSentence(
  { address, line, kind, test, certainty, from }: Reference,
  source: Source | undefined,
): Sentence {
  const around = from === undefined ? '' : ` in ${inlineCode(from)}`;
  const known = certainty === 'possible' ? `possible ${kind}` : kind;
  const text = inlineCode(shorten(visibleLine(line).trim(), max.line));
  return withSource(`${addressCode(address)} ${known}${test ? ' in a test' : ''}${around}: ${text}`, source);
}

/** Returns the line of a use as a source, of a site with lines around it; none if its address fits two repositories. */
async function sourceOf(
  inquiry: Inquiry,
  use: Reference,
  sites: readonly Reference[],
): Promise<Source | undefined> {
  const { repositories } = inquiry.ranked;
  const { repository: name, path = '', lines } = placeAt(use.address, repositories) ?? {};
  const repository = repositories.find((one) => one.name === name);
  if (repository === undefined || lines === undefined) return undefined;
  const maxLines = sites.includes(use) ? Math.floor(max.lines / sites.length) : 1;
  return lineSource(inquiry, { repository, path, line: lines.first }, { reason: 'use', max: maxLines });
}
