import type { PromptSubject } from './read-prompt.ts';

/** What kind of file a prompt asks for, as weights on the score of a file; 1 leaves it as it is. */
export interface Intent {
  readonly docs: number;
  readonly tests: number;
  readonly readme: number;
  /** Manifests, lock files and other data. */
  readonly data: number;
  /** The prompt asks what the whole is: its README answers. */
  readonly isOverview: boolean;
}

const asksForWhole =
  /\b(?:what (?:is|are|does)|describe|explain|summari[sz]e|overview of|about) (?:this|the|our|these) (?:\w+ )?(?:project|repo(?:sitory|sitories)?|library|service|tool|package|app(?:lication)?|product|codebase|system)s?\b/iu;

/** Questions about a product are answered by its documents, questions about a place by its code. */
export function intentOf(prompt: string, subject: PromptSubject): Intent {
  const head = prompt.slice(0, 400);
  const asksForTests = /\btests?\b|\btested\b|\bspec\b|\bfixtures?\b/iu.test(head);
  const asksForPlace =
    /\bwhere\b|\bwhich (?:file|function|class|module|method)|\bimplement|\bdefined?\b|\bfunction\b|\bclass\b|\bcode\b|\bbug\b|\bfix\b/iu.test(
      head,
    );
  const asksForUse =
    /\b(?:how (?:do|can|should|to)\b|install|set ?up|configur|deploy|get(?:ting)? started|quick ?start|usage|documentation|docs|overview|purpose)/iu.test(
      head,
    );
  const namesCode = subject.identifiers.length > 0 || subject.places.length > 0;
  const docs = asksForPlace || namesCode ? 0.75 : asksForUse ? 1.25 : 0.95;
  const isOverview = asksForWhole.test(head);
  const asksForData =
    /\b(?:config\w*|settings?|depend\w*|version|manifest|package|script|pipeline|ci|workflow|ya?ml|json|toml)\b/iu.test(
      head,
    );
  return {
    docs: isOverview ? 1.25 : docs,
    readme: isOverview ? 2 : asksForUse ? 1.15 : 1,
    tests: asksForTests ? 1.1 : 0.6,
    data: asksForData ? 0.9 : 0.5,
    isOverview,
  };
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
  if (/^(?:JSON.*|YAML|TOML|INI|CSV|TSV|XML|SVG|Text)$/u.test(language)) return intent.data;
  return /(?:^|\/)(?:examples?|samples?|demos?|benchmarks?|bench)\//u.test(lower) ? 0.8 : 1;
}

function isTest(lower: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing)\/|[._-](?:test|spec|tests)\.\w+$|(?:^|\/)test_[^/]*$|tests?\.(?:java|kt|cs|php|swift)$/u.test(
    lower,
  );
}
