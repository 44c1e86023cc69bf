import { readMentions, readPrompt } from './prompt/read-prompt.ts';

/** A question of a thread with the citations of its answer. */
export interface Exchange {
  readonly question: string;
  readonly citations: readonly { readonly repository?: string | undefined }[];
}

/** Maximum length of a follow-up question. A longer prompt describes what it is about. */
const maxLength = 400;
/** Maximum number of names, and length of a question, that a follow-up question takes over. */
const max = { names: 3, question: 200 } as const;

/** Matches words that stand for something named before, and beginnings that continue a question. */
const refersToThread =
  /\b(?:it|its|they|them|their)\b|\b(?:this|that|these|those)(?=\s*(?:$|[?.!,;])|\s+(?:functions?|methods?|class(?:es)?|files?|modules?|types?|code|changes?|commits?|issues?|incidents?|services?|tests?|one|ones)\b)|^\s*(?:and|but|or|so|also|then|what about|how about)\b/iu;

/** A prompt that can be answered alone. */
export interface Asked {
  readonly prompt: string;
  /** The prompt as it was written, if it refers to a thread: the repositories that it names are meant. */
  readonly written?: string;
  /** Name of the repository that its thread is about. Another one that the prompt names takes precedence. */
  readonly repository?: string;
}

/**
 * Returns a question with what it refers to in the thread, so that it can be answered alone: `and who calls it?` after
 * a question about `renew` becomes ``and who calls it? (`renew`)``, in the repository of that answer. A question that
 * names something itself, or refers to nothing, stays as it is. The thread has at least one question.
 */
export function readFollowUp(prompt: string, thread: readonly Exchange[]): Asked {
  if (prompt.length > maxLength || namesIn(prompt).length > 0) return { prompt };
  const isBare = readPrompt(prompt).terms.length === 0;
  if (!isBare && !refersToThread.test(prompt)) return { prompt };
  const { subject, ...place } = subjectOf(thread, isBare);
  return { prompt: `${prompt.trimEnd()} (${subject})`, written: prompt, ...place };
}

/**
 * Returns what the thread is about, and its repository: names of the last question that has some, else all its words,
 * which a prompt without words of its own, such as "and why?", also needs.
 */
function subjectOf(thread: readonly Exchange[], isBare: boolean) {
  const named = thread.findLast(({ question }) => namesIn(question).length > 0);
  const whole = thread.findLast(({ question }) => !refersToThread.test(question));
  const { question = '', citations = [] } = named ?? whole ?? thread.at(-1) ?? {};
  const names = isBare ? [] : namesIn(question).slice(0, max.names);
  const subject = names.length > 0 ? names.join(', ') : question.slice(0, max.question).toWellFormed();
  const [repository, ...others] = new Set(citations.flatMap((cited) => cited.repository ?? []));
  return repository === undefined || others.length > 0 ? { subject } : { subject, repository };
}

/** Returns what a question names, in the form in which another question names it. */
function namesIn(question: string): readonly string[] {
  const { identifiers, paths } = readPrompt(question);
  const { issues, commits, pulls, incidentIds } = readMentions(question);
  return [
    ...identifiers.map((name) => `\`${name}\``),
    ...issues,
    ...commits,
    ...pulls.map((number) => `PR #${number}`),
    ...incidentIds.map((id) => `incident ${id}`),
    ...paths,
  ];
}
