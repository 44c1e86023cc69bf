import { z } from 'zod';
import type { Answer, Citation } from '../../../features/advisor/answer.ts';
import { addressOf } from '../../../features/advisor/answer-record.ts';
import { ask } from '../../../features/advisor/ask.ts';
import { inlineCode } from '../../../features/advisor/text/markdown.ts';
import { shorten, visibleLine, visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { quotedNote } from './page-notes.ts';
import { defineTool } from './tool.ts';

/** Exactly one argument, `prompt` (specification, MCP endpoint rule 4). */
const input = z.strictObject({
  prompt: z
    .string()
    .describe(
      'The question or task in plain words; name files, symbols, issues, incidents or errors where known.',
    ),
});

export const svcAdvisor = defineTool({
  name: 'svc_advisor',
  description:
    "Answers a question about the organization's code, history, owners, issues and incidents, with the passages that say it. " +
    'Start here: where is, how does, what calls, why changed, who owns, what changed before an incident, what would a change touch.',
  input,
  isAlwaysLoaded: true,
  async run({ prompt }, { deps, access, signal, progress }) {
    const advisor = { ...deps.answers, knowledge: deps.knowledge };
    const options = { userId: access.principal.userId, signal, onProgress: progress };
    return evidenceText(await ask(advisor, access.scope, { prompt }, options));
  },
});

/** Maximum size of an answer in bytes: 1,500 tokens of four (contract, section 8). */
const maxBytes = 6_000;
/** Maximum size of the text before the sources, and of the lines of one source. */
const max = { answer: 2_400, excerpt: 1_200 } as const;

/** Returns the answer, then its sources with the lines that say it, those that the text cites first. */
function evidenceText({ answer, citations, freshness, notice }: Answer): string {
  const text = visibleText(shorten(answer, max.answer));
  const notes = [...(notice === undefined ? [] : [`(${notice.message})`]), quotedNote];
  let left = maxBytes - Buffer.byteLength([text, ...notes].join('\n')) - 20;
  const heads = citations.map((citation) => headOf(citation, addressOf(citation, freshness)));
  const sources: string[] = [];
  for (const [index, citation] of citations.entries()) {
    const head = heads[index] ?? '';
    left -= Buffer.byteLength(head) + 1;
    if (left < 0) break;
    const excerpt = excerptOf(citation, Math.min(max.excerpt, left));
    left -= Buffer.byteLength(excerpt) + 1;
    sources.push(excerpt === '' ? head : `${head}\n${excerpt}`);
  }
  return [text, '', ...sources, ...notes].join('\n');
}

function headOf({ n, title, reason }: Citation, address: string): string {
  return visibleLine(
    `[${n}] ${address} ${inlineCode(shorten(title, 120))}; ${inlineCode(shorten(reason, 120))}`,
  );
}

/** Returns the lines of an excerpt from the one that says most, as many as fit. */
function excerptOf({ excerpt, focus, startLine }: Citation, bytes: number): string {
  const lines = visibleText(excerpt).split('\n');
  const from = focus === undefined || startLine === undefined ? 0 : Math.max(0, focus - startLine - 2);
  const kept: string[] = [];
  let size = 0;
  for (const line of lines.slice(from)) {
    const text = `    ${shorten(line, 200)}`;
    size += Buffer.byteLength(text) + 1;
    if (size > bytes) break;
    kept.push(text);
  }
  return kept.join('\n').trimEnd();
}
