import { textBefore, withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { stopWords } from '../../../../foundation/kernel/text/words.ts';

/** The things besides code that a prompt names. */
export interface Mentions {
  /** Identifiers of issues such as `ENG-12`, in upper case. */
  readonly issues: readonly string[];
  /** Ids of commits, complete or shortened: of the latter some digits are letters and some are not. */
  readonly commits: readonly string[];
  readonly pulls: readonly number[];
  /** Words that may be the id of an incident. */
  readonly incidentIds: readonly string[];
  /** Words that may be in the title of an incident; empty if the prompt does not ask about one. */
  readonly incidentWords: readonly string[];
  /** Names before their kind: `proxies` in "the proxies argument". */
  readonly things: readonly string[];
  /** Names that a word points to: `retry` in "what calls retry". Those after a verb come first. */
  readonly objects: readonly string[];
}

/** Maximum length of each list, and of the text that is examined; the rest of a pasted log repeats itself. */
const max = { entries: 8, text: 8000, head: 400 } as const;

/** Kinds of definitions, which a question names next to a name: "the Context struct". */
const kindPattern =
  'argument|attribute|class|constant|enum|field|function|interface|method|module|object|option|parameter|property|setting|struct|trait|type|variable';

/** Words before a kind that are no name: "the static method". */
const qualifiers =
  'new|same|whole|default|first|last|static|private|public|protected|internal|abstract|async|global|helper|exported|deprecated|env|environment';
/** Matches what follows a kind that stands before the name: "the environment variable FLASK_DEBUG". */
const nameAfter = String.raw`\s+(?:\p{Lu}|[\p{L}\p{N}]*[_.:]\p{L}|\p{Ll}+\p{Lu})`;

/** Beginnings of texts that look like identifiers of issues and are none. */
const standards = new Set(
  'UTF SHA MD ISO RFC CVE CWE HTTP TLS SSL AES RSA ES PEP JSR GPT X UTC GMT UCS BASE WIN IPV PY GO V'.split(
    ' ',
  ),
);

/** A name before the kind of thing that it is: "the Context struct", "removed proxies arguments". */
const namedKind = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.])(?:(?:[Tt]he|[Oo]ur|\w+'s|was|were|(?:add|remov|renam|dropp?|introduc|deprecat)\w*)\s+)((?!(?:${qualifiers})\b)[\p{L}_][\p{L}\p{N}_]{2,80}|(?:\p{L}+\s)?\p{Lu}[\p{L}\p{N}_]{2,80})\s+(?:${kindPattern})s?\b(?!${nameAfter})`,
  'gu',
);

/** Returns a pattern of a name that one of some words points to. */
function pointed(words: string): RegExp {
  return new RegExp(
    String.raw`\b(?:${words})\s+(?:(?:the|a|an|our|this|that)\s+)?(?:(?:${qualifiers})\s+)?(?:(?:${kindPattern}|file|component|helper|symbol|hook|(?:npm |PyPI |Go |Python )?(?:package|library|gem|crate))\s+)?\\?([\p{L}_$][\p{L}\p{N}_$.#:\\]{2,80})(?![\p{L}\p{N}_$./-])`,
    'giu',
  );
}

/** A name that a verb points to: "what calls retry", "callers of retry". */
const verbs = pointed(
  'calls?|(?:callers|usages?|uses) of|uses?|invokes?|imports?|reads?|references?|implements?|extends?|derives? from|owns|maintains|changing|removing|renaming|deleting|touch(?:es)?|if (?:i|we|you) (?:change|remove|rename|delete)',
);
/** A name that a preposition or auxiliary points to: "of the class Context". */
const prepositions = pointed('on|of|to|in|for|where is|is|was|were|did');

/** Reads in linear time what a prompt names besides code. `asked` is the part of it that asks. */
export function readMentions(prompt: string, asked = prompt.slice(0, max.head)): Mentions {
  const text = prompt.slice(0, max.text);
  const plain = asked.replaceAll('`', '');
  const head = prompt.slice(0, max.head);
  const said = head.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const aboutIncident = said.some((word) => incidentWords.has(word.toLowerCase()));
  return {
    issues: matches(text, /(?<![\p{L}\p{N}_/.-])([A-Z][A-Z0-9]{0,9}-\d{1,6})(?![\p{L}\p{N}_]|-\d)/gu).filter(
      (name) => !standards.has(textBefore(name, '-')),
    ),
    commits: matches(text, /(?<![\p{L}\p{N}_/.-])([0-9a-f]{7,40}|[0-9a-f]{64})(?![\p{L}\p{N}_-])/gu).filter(
      (id) => id.length >= 40 || /[a-f]\d|\d[a-f]/u.test(id),
    ),
    pulls: matches(
      text,
      /(?:\b(?:PR|pull request|MR|merge request)s?\s*#?|(?<![\p{L}\p{N}&])#)(\d{1,7})\b/giu,
    ).map(Number),
    incidentIds: aboutIncident
      ? matches(head, /(?<![\p{L}\p{N}_/.-])([A-Z0-9]{6,30})(?![\p{L}\p{N}_-])/gu)
      : [],
    incidentWords: aboutIncident ? [...new Set(said)].filter(isOfTitle).slice(0, max.entries) : [],
    things: namesIn(plain, namedKind),
    objects: [verbs, prepositions].flatMap((pattern) => namesIn(plain, pattern)),
  };
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return matches(text, pattern)
    .map((name) => withoutEnd(name.split(/\s/u).at(-1)!, '.:#'))
    .filter((name) => !stopWords.has(name.toLowerCase()));
}

function matches(text: string, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(pattern)) {
    if (match[1] !== undefined) found.add(match[1]);
    if (found.size >= max.entries) break;
  }
  return [...found];
}

/** Words for an incident. */
const incidentWords = new Set(
  'incident incidents outage outages alert alerts postmortem postmortems post-mortem downtime page paged'.split(
    ' ',
  ),
);
/** Words that ask about an incident, and are in no title of one. */
const asking = new Set(
  'change changes changed before broke broken cause caused investigate during happened deployed merged commit commits'.split(
    ' ',
  ),
);

function isOfTitle(word: string): boolean {
  const lower = word.toLowerCase();
  return word.length > 2 && ![stopWords, incidentWords, asking].some((words) => words.has(lower));
}
