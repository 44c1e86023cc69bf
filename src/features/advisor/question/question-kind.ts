import { asksForImpact } from './grammar/planned-change.ts';
import { usedObject } from './grammar/relations.ts';

/** The kinds of questions that are answered in different ways. */
export type QuestionKind =
  /** About the service itself: which repositories, how fresh. */
  | 'service'
  | 'owners'
  | 'callers'
  | 'impact'
  /** Why something is so or changed, and when. */
  | 'history'
  /** Questions about what broke, and what changed before an incident. */
  | 'incident'
  | 'where'
  | 'how'
  | 'other';

const asksForService =
  /\b(?:(?:which|what|list|how many|show)\b[^?.]{0,40}\brepos(?:itor(?:y|ies))?\b[^?.]{0,40}\b(?:you|indexed|searchable|searched|connected|available|covered|there)\b|(?:which|what|list|show)\b[^?.]{0,25}\brepos(?:itories)?\s*(?:\?|$)|how (?:fresh|old|recent|current|up[- ]to[- ]date) (?:is|are) (?:the|your|this|our) (?:index|data|answers?|code|repos?|repositories)|when (?:was|were|did) [^?.]{0,60}\b(?:last )?(?:indexed|synced|updated in the index)\b|what (?:do you know|can you (?:answer|search|see)|is indexed|have you indexed))/iu;

/** A question why something behaves as it does, which the code answers: `why do I get a 404`. */
const asksForBehaviour =
  /\bwhy (?:do|does|am|are|is|don't|doesn't|can't) (?:i|we|you|my|our|this)\b|\bwhy (?:do|does|is|are)\b[^?.]{0,60}\b(?:[1-5]\d\d|returns?|returning|throws?|throwing|rejects?|raises?|raising|fails?|failing|responds?|redirects?|redirected|crash(?:es)?|panics?|hangs?|gives? (?:me|us))\b/iu;

const asksForIncident =
  /\bwhat (?:has |have )?(?:broke|broken|went wrong|failed)\b|\bwhat (?:was |has |have |had )?(?:changed|change|deployed|merged)\b[^?]{0,60}\b(?:before|prior to|leading up|ahead of|around)\b|\b(?:investigate|root cause|cause of|caused|behind)\b[^?]{0,60}\b(?:incident|outage|alert|page|failure)|\bwhich (?:change|commit)s? (?:broke|caused)\b/iu;

/** Asks for people, whatever else the prompt plans or tells. */
const asksForPeople =
  /\bwho\b[^?.]{0,20}\b(?:owns?|maintains?|is responsible|is in charge|wrote|knows|works on|should (?:i|we) ask|can (?:i|we) ask|reviews?)\b|\b(?:owners?|maintainers?|code ?owners?) (?:of|for)\b|\bwhose (?:code|file|module)\b/iu;

/** Asks for a commit, also if what it changed are calls, uses or imports. */
const namesCommit = /\b(?:which|what) (?:commit|change|pull request|pr|merge request|release)s?\b/iu;

const patterns: readonly (readonly [QuestionKind, RegExp])[] = [
  ['history', /\bsince when\b|\bwhen (?:was|were|did) (?:that|this|it)\b/iu],
  ['how', asksForBehaviour],
  [
    'history',
    /\bwhy (?:was|were|did|has|have|is|are|does|do|isn't|aren't|doesn't|don't)\b|\bwhen (?:was|were|did)\b|\b(?:which|what) (?:commit|change|pull request|pr|release)\b|\b(?:history|changelog|changes) (?:of|to|in)\b|\bwho (?:last )?(?:changed|touched|modified|edited|added|introduced)\b|\bsince when\b|\bwho (?:first )?(?:dropped|removed|moved|renamed|replaced|wrote the change)\b|\bwhat (?:bug|problem|issue|incident)\b[^?.]{0,40}\b(?:made|led|caused|behind|come|came|fix\w*|solv\w+|added|introduced)\b|\bwhat (?:changed|fixed|introduced|removed|added|replaced)\b|\bwhat was (?:broken|wrong)\b|\b(?:reason|motivation|rationale) (?:for|behind|of) (?:that|this|the|its) (?:change|switch|move|removal|renaming|rewrite|addition|commit)\b|\bmade (?:someone|somebody|people|them|the \w+) (?:\w+ ){0,2}(?:add|introduce|change|remove|drop|write|move|rename)\b|\b(?:since|in) (?:which|what) (?:version|release)\b|\blast changed?\b|\bexplain (?:the )?(?:change|commit)\b/iu,
  ],
  ['owners', /(?:^|[.?!,;:]\s+)(?:and |so )?who(?:'s|m)?\b/iu],
  [
    'where',
    /\bwhere\b|\bwhich (?:file|function|class|module|method|package|folder)\b|(?:^|[.?!,]\s+|\b(?:you|please|me|to)\s+)(?:find|locate)\b|\bdefin(?:ed|ition)\b/iu,
  ],
  ['how', /\bhow\b|\bwhat (?:does|do|is|are|happens)\b|\bexplain\b|\bdescribe\b/iu],
];

/** Returns what a prompt asks for, by the part of it that asks. A pasted diff asks what it touches, unless words before it ask something else. */
export function kindOf(prompt: string, asked: string): QuestionKind {
  if (asksForService.test(asked)) return 'service';
  const text = beforeDiff(asked);
  if (asksForIncident.test(text)) return 'incident';
  if (asksForPeople.test(text)) return 'owners';
  if (namesCommit.test(text)) return 'history';
  if (asksForImpact(beforeDiff(prompt), text)) return 'impact';
  if (usedObject(text) !== undefined) return 'callers';
  const found = patterns.find(([, pattern]) => pattern.test(text))?.[0];
  return found ?? (isDiff(prompt) ? 'impact' : 'other');
}

function beforeDiff(head: string): string {
  const at = head.search(diffStart);
  return at < 0 ? head : head.slice(0, at);
}

const diffStart = /^(?:diff --git |--- a\/|Index: )/mu;

function isDiff(prompt: string): boolean {
  return diffStart.test(prompt) && /^@@ /mu.test(prompt);
}
