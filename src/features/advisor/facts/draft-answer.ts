import type { Draft } from '../answer/draft.ts';
import { absentTerms } from './absent-terms.ts';
import { draftCallers } from './draft-callers.ts';
import { draftCode } from './draft-code.ts';
import { draftHistory } from './draft-history.ts';
import { draftImpact } from './draft-impact.ts';
import { draftIncident } from './draft-incident.ts';
import { draftIssue } from './draft-issue.ts';
import { draftNotFound } from './draft-not-found.ts';
import { draftOwners } from './draft-owners.ts';
import { draftPhrase } from './draft-phrase.ts';
import { draftService } from './draft-service.ts';
import type { Inquiry } from './inquiry.ts';
import { draftUses } from './uses/draft-uses.ts';

type Drafter = (inquiry: Inquiry) => Promise<Draft | undefined>;

/** The kinds of questions that the knowledge graph answers. */
const drafters: Readonly<Partial<Record<Inquiry['kind'], Drafter>>> = {
  callers: draftCallers,
  impact: draftImpact,
  owners: draftOwners,
  history: draftHistory,
  incident: draftIncident,
};

/** Says in a few sentences what was found. The kind of the question decides what is said first. */
export async function draftAnswer(inquiry: Inquiry): Promise<Draft> {
  const { kind, named, ranked, code } = inquiry;
  if (ranked.repositories.length === 0) return nothing;
  if (kind === 'service') return draftService(inquiry);
  // What a search that timed out did not find may be there.
  if (ranked.timedOut && code.length === 0 && !hasEntities(inquiry)) return nothing;
  const isNamed = Object.values(named).some((list) => list.length > 0);
  const absent = isNamed ? [] : await absentTerms(inquiry);
  if (code.length === 0 && !hasEntities(inquiry)) return draftNotFound(inquiry, absent);
  if (isWeak(inquiry, absent)) return draftNotFound(inquiry, absent);
  const draft = (await firstDraft(inquiry)) ?? (await draftCode(inquiry));
  return { ...draft, notes: [...draft.notes, ...unknownNotes(inquiry)] };
}

/** Tries the ways to answer in order: by the kind of the question, then by what it names. */
async function firstDraft(inquiry: Inquiry): Promise<Draft | undefined> {
  const { kind, named } = inquiry;
  const drafter = drafters[kind];
  const ways: readonly Drafter[] = [
    ...(drafter === undefined ? [draftUses] : [drafter]),
    draftPhrase,
    draftIssue,
    ...(named.incidents.length > 0 ? [draftIncident] : []),
    ...(named.commits.length + named.pulls.length > 0 ? [draftHistory] : []),
  ];
  for (const way of ways) {
    const draft = await way(inquiry);
    if (draft !== undefined) return draft;
  }
  return undefined;
}

const nothing: Draft = { lead: [], reasons: [], sources: [], notes: [] };

function hasEntities({ named }: Inquiry): boolean {
  const { unknown: _unknown, ...entities } = named;
  return Object.values(entities).some((list) => list.length > 0);
}

/** Number of words of a question of which none may be missing from the whole index. */
const shortQuestion = 4;

/** Returns whether the passages only share common words with the question. */
function isWeak(inquiry: Inquiry, absent: readonly string[]): boolean {
  const { ranked, named } = inquiry;
  const { terms, identifiers, paths, phrases, places } = ranked.subject;
  if (hasEntities(inquiry)) return false;
  if (named.unknown.length > 0 && terms.length <= shortQuestion) return true;
  const wanted = [...identifiers, ...phrases];
  const isMissing = (name: string): boolean => ranked.unmatched.includes(name);
  if (wanted.length > 0 && !wanted.every(isMissing)) return false;
  if (wanted.length > 0 && wanted.every(isMissing) && paths.length === 0) return true;
  if (paths.length + places.length > 0) return false;
  return absent.length > 0 && (terms.length <= shortQuestion || absent.length / terms.length >= 0.34);
}

function unknownNotes({ named }: Inquiry): string[] {
  const unknown = named.unknown.map((name) => `\`${name}\``).join(', ');
  return unknown === '' ? [] : [`No issue ${unknown} is mirrored in this organization.`];
}
