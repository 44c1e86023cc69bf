import type { ClassWeights } from '../../../backends/codesearch/port.ts';

const asks = {
  tests: /\b(?:tests?|tested|spec|fixtures?)\b/iu,
  data: /\b(?:config\w*|settings?|depend\w*|version|manifest|scripts?|pipeline|ci|workflow|ya?ml|json|toml|docker\w*|makefile)\b/iu,
  use: /\b(?:how (?:do|can|should) (?:i|we|you)|how to|install|set ?up|deploy|getting started|docs|documentation|documented)\b/iu,
  whole:
    /\b(?:what (?:is|are|does)|describe|explain|summari[sz]e|overview of|about) (?:this|the|our|these) (?:\w+ )?(?:project|repo(?:sitory)?|library|service|tool|package|app(?:lication)?|product|codebase|system)\b/iu,
} as const;

/** The factors on the scores of files by class, where a question asks for files other than code. */
export function fileWeights(head: string): Partial<ClassWeights> {
  const isWhole = asks.whole.test(head);
  const docs = isWhole || asks.use.test(head) ? 1.25 : 0.65;
  return {
    docs,
    readme: isWhole ? 2 : docs,
    ...(asks.tests.test(head) ? { test: 0.85, fixture: 0.6 } : {}),
    ...(asks.data.test(head) ? { data: 0.9 } : {}),
  };
}
