import type { PromptSubject } from './read-prompt.ts';

/** What kind of file a prompt asks for, as weights on the score of a file; 1 leaves it as it is. */
export interface Intent {
  readonly docs: number;
  readonly tests: number;
  readonly readme: number;
}

/** Questions about a product are answered by its documents, questions about a place by its code. */
export function intentOf(prompt: string, subject: PromptSubject): Intent {
  const head = prompt.slice(0, 400);
  const asksForTests = /\btests?\b|\btested\b|\bspec\b|\bfixtures?\b/iu.test(head);
  const asksForPlace =
    /\bwhere\b|\bwhich (?:file|function|class|module|method)|\bimplement|\bdefined?\b|\bfunction\b|\bclass\b|\bcode\b|\bbug\b|\bfix\b/iu.test(
      head,
    );
  const asksForUse =
    /\b(?:how (?:do|can|should|to)\b|install|set ?up|configur|deploy|get(?:ting)? started|quick ?start|usage|documentation|docs|overview|purpose)|\bwhat (?:is|does) (?:this|the) (?:project|repo|library|service|tool|package)/iu.test(
      head,
    );
  const namesCode = subject.identifiers.length > 0 || subject.places.length > 0;
  const docs = asksForPlace || namesCode ? 0.75 : asksForUse ? 1.25 : 0.95;
  return { docs, readme: asksForUse ? 1.15 : 1, tests: asksForTests ? 1.1 : 0.6 };
}

/** How much a file of this path deserves for this intent. */
export function weightOf(path: string, language: string, intent: Intent): number {
  const lower = path.toLowerCase();
  if (
    /(?:^|[/._-])(?:vendor|vendored|third_party|node_modules|dist|generated|pb|min)[/._-]|\.lock$|-lock\.|\.snap$|\.sum$/u.test(
      lower,
    )
  )
    return 0.25;
  if (/(?:^|\/)(?:changelog|changes|history|news|license|copying|authors|contributors)\b[^/]*$/u.test(lower))
    return 0.45;
  if (/(?:^|\/)(?:fixtures?|testdata|__snapshots__|mocks?)\//u.test(lower)) return 0.5 * intent.tests;
  if (isTest(lower)) return intent.tests;
  if (/^readme\b[^/]*$/u.test(lower)) return intent.docs * intent.readme;
  if (/^(?:Markdown|MDX|reStructuredText|AsciiDoc|Org)$/u.test(language)) return intent.docs;
  return /(?:^|\/)(?:examples?|samples?|demos?|benchmarks?|bench)\//u.test(lower) ? 0.8 : 1;
}

function isTest(lower: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing)\/|[._-](?:test|spec|tests)\.\w+$|(?:^|\/)test_[^/]*$|tests?\.(?:java|kt|cs|php|swift)$/u.test(
    lower,
  );
}
