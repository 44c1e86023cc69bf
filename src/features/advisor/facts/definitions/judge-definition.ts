import { versionsIn } from '../../text/versioned-names.ts';
import type { Inquiry } from '../inquiry.ts';
import { subjectTerms } from './choose-definition.ts';
import type { ChosenDefinition } from './follow-named.ts';
import { measureFit } from './measure-fit.ts';
import type { ScoredDefinition } from './rank-definitions.ts';

/** Number of words of a question that can be judged, of one that is short, and of definitions that are compared. */
const max = { terms: 12, shortTerms: 6, compared: 6 } as const;
/** The shares of a question from which a definition is said to answer it. */
const sure = { share: 0.7, headShare: 0.4 } as const;
/** The share of a question that is missing in the best definition, from which it is said that none answers. */
const absentShare = 0.6;
/** Minimum score of a definition that is named besides the best one, as a share of its score. */
export const minShare = 0.4;

/** The certainty with which a definition answers: `absent` if most of what is asked is nowhere in it. */
export interface Judgement {
  readonly certainty: 'sure' | 'unsure' | 'absent';
  /** The words of the question that it does not contain. */
  readonly missing: readonly string[];
}

/** Judges by its words how surely a definition answers. */
export function judge(
  inquiry: Inquiry,
  chosen: ScoredDefinition,
  named: ScoredDefinition | undefined,
): Judgement {
  const versions = versionsIn(inquiry.asked);
  const isOfVersion = (term: string): boolean => versions.some((one) => one.startsWith(`${term}/`));
  const terms = [...versions, ...subjectTerms(inquiry).filter((term) => !isOfVersion(term))];
  const { share, headShare, missingShare, missing } = measureFit(chosen, terms);
  // Most words of a pasted text are in no code.
  if (terms.length > max.terms) return { certainty: 'unsure', missing: [] };
  const isFitting = share >= sure.share && headShare >= sure.headShare;
  const isAnswer = named === undefined || isMemberOf(chosen, named);
  if (isFitting && isAnswer && (inquiry.absent ?? []).length === 0) return { certainty: 'sure', missing };
  const isShort = terms.length <= max.shortTerms;
  const isAbsent = isShort && named === undefined && missing.length > 0 && missingShare >= absentShare;
  return { certainty: isAbsent ? 'absent' : 'unsure', missing };
}

/** Puts a definition that surely answers before a better ranked one that misses most of the question. */
export function sureFirst(
  inquiry: Inquiry,
  { best, named, isAsked }: ChosenDefinition,
): readonly ScoredDefinition[] {
  const [first] = best;
  if (isAsked || named !== undefined || first === undefined) return best;
  if (judge(inquiry, first, undefined).certainty !== 'absent') return best;
  const other = best
    .slice(1, max.compared)
    .find(
      (one) => one.score >= first.score * minShare && judge(inquiry, one, undefined).certainty === 'sure',
    );
  return other === undefined ? best : [other, ...best.filter((one) => one !== other)];
}

/** Returns whether a definition is a member of another one. */
export function isMemberOf({ container }: ScoredDefinition, { definition }: ScoredDefinition): boolean {
  return container === definition.name;
}
