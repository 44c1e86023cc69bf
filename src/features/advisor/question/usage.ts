import type { PromptSubject } from './read-prompt.ts';

/** The kind of uses of a name that a question asks for. */
export interface Usage {
  readonly name: string;
  readonly verb: 'read' | 'set' | 'check' | 'use' | 'raise' | 'catch';
}

const asks = /\b(?:where|what|who|how (?:is|are))\b|(?:^|[.?!]\s)\s*which\b/iu;
/** An error that has been raised is a question about the code that catches it. */
const asksForCatch =
  /\bwhat happens\b.{0,80}\b(?:rais|throw|reject)|\b(?:catch(?:es)?|caught|rescued?|swallow(?:s|ed)?)\b/iu;
const asksForRaise = /\b(?:raise[sd]?|throws?|thrown)\b/iu;
const verbs: readonly (readonly [Usage['verb'], RegExp])[] = [
  [
    'check',
    /\b(?:check(?:s|ed)?|test(?:s|ed)?|validate[sd]?|enforce[sd]?|compare[sd]?|consult(?:s|ed)?)\b/iu,
  ],
  [
    'set',
    /\b(?:sets?|assign(?:s|ed)?|writ(?:es?|ten)|modif(?:y|ies|ied)|mutate[sd]?|overrid(?:es?|den)|initiali[sz]e[sd]?|increment(?:s|ed)?|populate[sd]?|given a value)\b/iu,
  ],
  [
    'read',
    /\b(?:reads?|consume[sd]?|looked up|honou?r(?:s|ed)?|respect(?:s|ed)?|evaluate[sd]?|take(?:s|n) into account)\b/iu,
  ],
  ['use', /\b(?:uses?|used|using|referenced?|references|usages?)\b/iu],
];

/** Asks for a text of the product, so that a quotation is one. Other quotations are words of the asker. */
export const asksForText =
  /\b(?:errors?|messages?|texts?|sa(?:y|ys|id)|prints?|printed|logs?|logged|output|warnings?|strings?|exceptions?|com(?:es?|ing) from|quoted)\b/iu;

/** Returns the name whose uses a question asks for: "where is MAX_SIZE read", "what sets `limit`". */
export function usageOf(asked: string, subject: PromptSubject): Usage | undefined {
  if (!asks.test(asked)) return undefined;
  const name = nameIn(asked, subject) ?? plainName.exec(asked)?.[1];
  if (name === undefined) return undefined;
  const rest = asked.replaceAll(name, ' ');
  if (asksForCatch.test(rest)) return { name, verb: 'catch' };
  if (asksForRaise.test(rest)) return { name, verb: 'raise' };
  if (/\bwhat happens\b/iu.test(rest)) return undefined;
  const verb = verbs.find(([, pattern]) => pattern.test(rest))?.[0];
  return verb === undefined ? undefined : { name, verb };
}

/** A plain word without an article, of which only a verb says something: "where is strict used". */
const plainName =
  /^\s*(?:where|how) (?:is|are) ([a-z][a-z\d]{2,40}) (?:read|used|set|checked|assigned|overridden)\b\s*\??\s*$/iu;

/** Returns the name as it stands in code: its last part, a header such as `If-None-Match`, or a word in capitals. */
function nameIn(asked: string, { identifiers, compounds, terms }: PromptSubject): string | undefined {
  const [identifier] = identifiers;
  if (identifier !== undefined) return identifier.split(/\.|::|#/u).at(-1);
  const header = compounds.find((word) => /^(?:[A-Z][a-z]*-)+[A-Z]\w*$|^x-[\w-]+$/u.test(word));
  return header ?? terms.find((term) => /^[A-Z][A-Z\d]{3,}$/u.test(term) && asked.includes(term));
}
