import { readMentions } from './prompt/mentions.ts';
import { readPrompt } from './prompt/read-prompt.ts';

/** A question of a thread with its answer. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
  readonly citations: readonly { readonly path?: string | undefined }[];
}

/** Maximum length of a follow-up question. A longer prompt describes what it is about. */
const maxLength = 400;
/** Maximum number of names that a follow-up question takes over. */
const maxNames = 3;

/** A path that can stand in inline code of a question. Whoever commits a file chooses its name. */
const quotable = /^[^\s`]{2,200}$/u;

/** Words that stand for something named before, and beginnings that continue a question. */
const refersToThread =
  /\b(?:it|its|they|them|their)\b|\b(?:this|that|these|those)(?=\s*(?:$|[?.!,;])|\s+(?:functions?|methods?|class(?:es)?|files?|modules?|types?|code|changes?|commits?|issues?|incidents?|services?|tests?|one|ones)\b)|^\s*(?:and|but|or|so|also|then|what about|how about)\b/iu;

/**
 * Returns a question with the names that it refers to in the thread, so that it can be answered alone: `and who calls
 * it?` after a question about `renew` becomes ``and who calls it? (`renew`)``. A question that names something itself,
 * or refers to nothing, stays as it is.
 */
export function readFollowUp(prompt: string, thread: readonly Exchange[]): string {
  if (thread.length === 0 || prompt.length > maxLength || namesIn(prompt).length > 0) return prompt;
  const isFollowUp = refersToThread.test(prompt) || readPrompt(prompt).terms.length === 0;
  const names = isFollowUp ? subjectOf(thread) : [];
  return names.length === 0 ? prompt : `${prompt.trimEnd()} (${names.join(', ')})`;
}

/** Returns what the last exchange that names something is about. */
function subjectOf(thread: readonly Exchange[]): readonly string[] {
  for (const { question, answer, citations } of thread.toReversed()) {
    const asked = namesIn(question);
    if (asked.length > 0) return asked.slice(0, maxNames);
    const answered =
      namedFirst(answer) ?? citations.find(({ path }) => path !== undefined && quotable.test(path))?.path;
    if (answered !== undefined) return [`\`${answered}\``];
  }
  return [];
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

/** Returns the first name or place in the first paragraph of an answer that found something. */
function namedFirst(answer: string): string | undefined {
  const [lead = ''] = answer.split('\n\n', 1);
  if (/^(?:Not found|Nothing)/u.test(lead)) return undefined;
  return /`([^`\s]{2,200})`/u.exec(lead)?.[1]?.replace(/:\d+(?:-\d+)?$/u, '');
}
