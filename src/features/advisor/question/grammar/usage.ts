import type { PromptSubject } from '../prompt/read-prompt.ts';
import { type UseVerb, useVerbOf } from './relations.ts';

/** The kind of uses of a name that a question asks for. */
export interface Usage {
  readonly name: string;
  readonly verb: UseVerb;
}

/** Asks for a text of the product, so that a quotation is one. Other quotations are words of the asker. */
export const asksForText =
  /\b(?:errors?|messages?|texts?|sa(?:y|ys|id)|prints?|printed|logs?|logged|output|warnings?|strings?|exceptions?|com(?:es?|ing) from|quoted)\b/iu;

/** Returns the name whose uses a question asks for, as the object of its verb: "where is MAX_SIZE read". */
export function usageOf(asked: string, subject: PromptSubject): Usage | undefined {
  for (const name of namesIn(asked, subject)) {
    const verb = useVerbOf(asked, name);
    if (verb !== undefined) return { name, verb };
  }
  return undefined;
}

/** A plain word without an article, of which only a verb says something: "where is strict used". */
const plainName =
  /^\s*(?:where|how) (?:is|are) ([a-z][a-z\d]{2,40}) (?:read|used|set|checked|assigned|overridden)\b\s*(?:\?\s*)?$/iu;

/** Returns names as they stand in code: their last parts, headers such as `If-None-Match`, and words in capitals. */
function namesIn(asked: string, { identifiers, compounds, terms }: PromptSubject): readonly string[] {
  const plain = plainName.exec(asked)?.[1];
  return [
    ...identifiers.map((name) => name.split(/\.|::|#/u).at(-1) ?? name),
    ...compounds.filter((word) => /^(?:[A-Z][a-z]*-)+[A-Z]\w*$|^x-[\w-]+$/u.test(word)),
    ...terms.filter((term) => /^[A-Z][A-Z\d]{3,}$/u.test(term) && asked.includes(term)),
    ...(plain === undefined ? [] : [plain]),
  ];
}
