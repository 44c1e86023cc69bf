import type { ClassWeights } from '../../../backends/codesearch/port.ts';
import type { PromptSubject } from './prompt/read-prompt.ts';

/** The kinds of files that a prompt asks for. */
export interface Intent {
  /** Factors on the scores of files by class. */
  readonly weights: Partial<ClassWeights>;
  /** True if the prompt asks about the project as a whole, which its README answers. */
  readonly isOverview: boolean;
}

const asksForWhole =
  /\b(?:what (?:is|are|does)|describe|explain|summari[sz]e|overview of|about) (?:this|the|our|these) (?:\w+ )?(?:project|repo(?:sitory|sitories)?|library|service|tool|package|app(?:lication)?|product|codebase|system)s?\b/iu;

/**
 * Derives the intent of a prompt from the part of it that asks. Documents answer questions about using a product; code answers questions about a
 * place in it.
 */
export function intentOf(asked: string, subject: PromptSubject): Intent {
  const asksForTests = /\btests?\b|\btested\b|\bspec\b|\bfixtures?\b/iu.test(asked);
  const asksForPlace =
    /\bwhere\b|\bwhich (?:file|function|class|module|method)|\bimplement|\bdefined?\b|\bfunction\b|\bclass\b|\bcode\b|\bbug\b|\bfix\b/iu.test(
      asked,
    );
  const asksForUse =
    /\b(?:how (?:do|can|should|to)\b|install|set ?up|configur|deploy|get(?:ting)? started|quick ?start|usage|overview|purpose)/iu.test(
      asked,
    );
  const namesCode = subject.identifiers.length > 0 || subject.places.length > 0;
  const isOverview = asksForWhole.test(asked);
  const asksForData =
    /\b(?:config\w*|settings?|depend\w*|version|manifest|package|script|pipeline|ci|workflow|ya?ml|json|toml)\b/iu.test(
      asked,
    );
  const asksForDocs = /\b(?:docs|documentation|documented)\b/iu.test(asked);
  const docs = isOverview
    ? 1.25
    : asksForPlace || namesCode
      ? 0.6
      : asksForUse
        ? 1.25
        : asksForDocs
          ? 0.9
          : 0.65;
  return {
    weights: {
      docs,
      readme: isOverview ? 2 : asksForUse ? 1.15 * docs : docs,
      ...(asksForTests ? { test: 0.85, fixture: 0.6 } : {}),
      ...(asksForData ? { data: 0.9 } : {}),
    },
    isOverview,
  };
}
