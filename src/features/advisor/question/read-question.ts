import type { ClassWeights } from '../../../backends/codesearch/port.ts';
import { type Mentions, type PromptSubject, readMentions, readPrompt } from './prompt/read-prompt.ts';
import { readTrace, type Trace } from './prompt/read-trace.ts';

/** A prompt as it was read. */
export interface Question {
  readonly prompt: string;
  /** Its beginning, before a pasted diff, trace or log: at most 400 characters. */
  readonly head: string;
  readonly kind: QuestionKind;
  /** True for the kinds that passages answer. */
  readonly isOfCode: boolean;
  /** True if it asks about all repositories: "which of our services …". */
  readonly asksEvery: boolean;
  /** True where it may ask for uses of a package, for what uses one, and for a version. */
  readonly packages: Readonly<Record<keyof typeof ofPackages, boolean>>;
  readonly subject: PromptSubject;
  readonly mentions: Mentions;
  /** A pasted stack trace or error, if there is one. */
  readonly trace?: Trace;
}

/** Maximum length of the part of a prompt that says what is asked. */
const maxHead = 400;
const pasted = /^(?:diff --git |--- a\/|Index: |Traceback |[ \t]{1,20}at \S|goroutine \d|```)/mu;

/** Reads a prompt in linear time for any input. */
export function readQuestion(prompt: string): Question {
  const begin = prompt.slice(0, maxHead);
  const at = begin.search(pasted);
  const head = at > 0 && begin.slice(0, at).trim() !== '' ? begin.slice(0, at) : begin;
  const trace = readTrace(prompt);
  const asksEvery = everyRepository.test(head);
  const kind = signalOf(prompt, head);
  return {
    prompt,
    head,
    kind,
    isOfCode: kind === 'code' || kind === 'exists',
    asksEvery,
    packages: {
      uses: ofPackages.uses.test(head),
      users: ofPackages.users.test(head),
      version: ofPackages.version.test(head),
    },
    subject: readPrompt(prompt),
    mentions: readMentions(prompt, asksEvery ? withoutRepositoryWords(head) : head),
    ...(trace === undefined ? {} : { trace }),
  };
}

/** The kinds of questions that have an exact answer besides the passages that fit best; `code` has only these. */
export type QuestionKind = 'people' | 'change' | 'impact' | 'uses' | 'exists' | 'code';

/**
 * The signals of the kinds, in the order in which they are tried. Each is a few words that callers use for one thing; a
 * question without any is one about code.
 */
const signals: readonly (readonly [QuestionKind, RegExp])[] = [
  /** Asks who owns, knows or last worked on something. */
  [
    'people',
    /\bwho(?:'s|se|m)?\b[^?.]{0,30}\b(?:owns?|owner|maintains?|maintainer|responsible|in charge|wrote|written|knows?|works?(?! out\b)|worked|ask|talk to|reviews?|expert|last (?:changed|touched)\b(?![^?]*\bwhy\b)|(?:most|main(?:ly)?) \w+)\b|\b(?:owners?|maintainers?|code ?owners?|experts?) (?:of|for|on)\b|\bwhose (?:code|file|module)\b/iu,
  ],
  /** Asks which change did something, when and why. */
  [
    'change',
    /\b(?:which|what) (?:commit|change(?!s? (?:an?|the|its?)\b)|pull request|pr|merge request)s?\b|\b(?:in|since|by) (?:which|what) (?:release|version)\b|\bsince (?:when|which|what)\b|\bwhen (?:was|were|did|has|have)\b(?! (?:an?|my)\b(?![^?.]{0,80}\b(?:added|removed|renamed|deleted|introduced|reverted)\b))|\bwhy (?:was|were|did|has|have)\b(?! (?:an?|my)\b(?![^?.]{0,80}\b(?:added|removed|renamed|deleted|introduced|reverted)\b))|\bwhy (?:is|are)\b[^?.]{0,60}\b(?:gone|removed|renamed|deprecated)\b|\bwhat happened to\b|(?<!\b(?:where|how) (?:is|are|does|do)\b[^?]{0,80})\b(?:history|changelog) (?:of|for)\b|\bwhat (?:changed|was (?:changed|fixed|added|removed))\b|\bwho (?:first |last )?(?:added|introduced|changed|touched|removed|renamed|moved|fixed)\b|\b(?:reason|motivation|rationale) (?:for|behind|of)\b(?! an?\b)|\blast change\w*\b|\b(?:last|latest|recent|newest) (?:\d+ )?(?:commits?|changes)\b|\bwhat(?:'s| is) new in\b|\b(?:which|what)\b(?:(?!\b(?:if|when)\b)[^?]){0,40}\b(?:was|were) (?:removed|added|renamed|deprecated|dropped)\b|(?<!\b(?:where|how)\b[^?]{0,80})\b(?:argument|parameter|option|method|function|class|setting|flag)s? (?:(?:was|were|got) )?(?:removed|renamed|deprecated|dropped)\b|\bexplain (?:the |this )?(?:change|commit)\b/iu,
  ],
  /** Asks what a planned change touches. */
  [
    'impact',
    /\bwhat (?:would|will|could|might|does|do)\b[^?]{0,80}\b(?:touch|break|(?<!\bwhat \w+ )(?:affect|impact))\b|\b(?:impact|blast radius|consequences?) (?:of|if)\b|\bif (?:i|we|you) (?:change|rename|remove|delete|move)\b|\b(?:safe|safely) (?:to )?(?:change|rename|remove|delete)\b|\bwhat depends on\b|^(?:diff --git |--- a\/|Index: )/imu,
  ],
  /** Asks what calls, uses, imports or extends something, not what a type itself extends. */
  [
    'uses',
    /^\W*(?:(?:the|direct) ){0,2}(?:sub(?:class|type)e?s|implement(?:ation|er|or)s|callers|usages|uses|references) (?:of|to)\b|\b(?:who|what|which|where|all|every|find|list|show)\b(?:[^?.]|\.(?=\w)){0,60}\b(?:calls?|callers?|called|in use|use(?!\s*(?:[?!.,;]|for\b|$))|uses|usages?|used|reads?|imports?|imported|references?|referenced|invokes?|invoked|raised|thrown|instantiates?|(?<!\bdo(?:es)? \S{2,80} )(?:implement|extend|inherit)s?|derives? from|subclass\w*)\b/iu,
  ],
  /** Asks for a yes or a no. Passages answer it, unless a name in it is in no file. */
  [
    'exists',
    /(?:^|[.!?,;:]\s|\b(?:hey|hi|so|and|ok|but),?\s)(?:is|are|was|do|does|did|can|could|has|have|will)\b(?!n't)|\b(?:any|some)(?: [\p{L}\p{N}.+#-]+){0,3} (?:support|implementation|code|helper|way|adapter)\b/iu,
  ],
];

/** Returns what a prompt asks for, by its head. A pasted diff asks what it touches if the head asks nothing. */
function signalOf(prompt: string, head: string): QuestionKind {
  const found = signals.find(([, pattern]) => pattern.test(head))?.[0];
  if (found !== undefined) return found;
  return `\n${prompt.slice(0, 8_000)}`.includes('\ndiff --git ') ? 'impact' : 'code';
}

const useVerbs = String.raw`(?:us(?:es?|ed|ing)|needs?|depend(?:s|ing)?\s+(?:up)?on|rel(?:y|ies)\s+on|requires?|imports?|pulls?(?:\s+in)?)\b`;

/** Match questions for uses of something, for what uses it, and for a version. */
const ofPackages = {
  uses: new RegExp(String.raw`\b${useVerbs}`, 'iu'),
  users: new RegExp(String.raw`\b(?:who|what)\s+(?:(?:else|still|all)\s+)?${useVerbs}`, 'iu'),
  version: new RegExp(
    String.raw`\bversions?\b[^?.]{0,20}\bof\b|\bversions?\b[^?.]{0,80}\b(?:${useVerbs}|(?:required|needed) by\b)|${useVerbs}[^?.]{0,80}\bversions?\b`,
    'iu',
  ),
} as const;

/** Words for repositories in the plural. */
const plurals =
  'repos(?:itories)?|services|projects|packages|lib(?:s|raries)|apps|tools|codebases|frameworks|crates|gems';
/** The same after other words, which make clients and servers repositories too: "our HTTP clients". */
const qualified = String.raw`(?:[\p{L}\p{N}.#+-]+ ){1,3}(?:${plurals}|clients|servers)`;
const everyRepository = new RegExp(
  String.raw`\b(?:(?:which|what|do|any|all|each|every|how many|across|none|both|either)(?: of)? (?:(?:(?:our|the|these|those|other|all) )?(?:${plurals}|repo(?:sitory)?|service|project|package|lib(?:rary)?|app|tool|codebase)|(?:our|the|these|those) ${qualified})|(?:our|the) (?:two|three|four|various|different) (?:${plurals}|${qualified}))\b`,
  'iu',
);

/** Removes the words that ask about all repositories: no code answers them. */
export function withoutRepositoryWords(prompt: string): string {
  return prompt.replace(everyRepository, ' ');
}

/** Words that ask for files other than code. */
const asks = {
  tests: /\b(?:tests?|tested|spec|fixtures?)\b/iu,
  data: /\b(?:config\w*|settings?|depend\w*|version|manifest|scripts?|pipeline|ci|workflow|ya?ml|json|toml|docker\w*|makefile)\b/iu,
  docs: /\b(?:how (?:do|can|should) (?:i|we|you)|how to|install|set ?up|getting started|docs|documentation|documented|(?:what is|describe|explain|about) (?:this|our) \w+)\b/iu,
} as const;

/** The factors on the scores of files by class, where a question asks for files other than code. */
export function fileWeights(head: string): Partial<ClassWeights> {
  return {
    ...(asks.docs.test(head) ? { docs: 1.25, readme: 1.25 } : {}),
    ...(asks.tests.test(head) ? { test: 0.85, fixture: 0.6 } : {}),
    ...(asks.data.test(head) ? { data: 0.9 } : {}),
  };
}
