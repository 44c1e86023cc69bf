import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';

interface PromptTemplate {
  readonly listing: Prompt;
  /** Returns the text for the value of the only argument. */
  textOf(value: string): string;
}

/** Maximum length of an argument, in characters. */
const maxArgument = 4000;

const templates: readonly PromptTemplate[] = [
  template(
    {
      name: 'investigate_incident',
      title: 'Investigate an incident',
      description: 'Finds what changed before an incident, the code it names, and who to ask.',
      argument: { name: 'incident', description: 'Id, title or link of the incident, or the error message.' },
    },
    (incident) =>
      `Investigate this incident: ${incident}\n\n` +
      '1. Call svc_advisor with "What changed before incident" and its id; search_entities finds the id of a title.\n' +
      '2. For each commit and file that it cites, read the lines with read_file; follow issues and services with find_related.\n' +
      '3. Ask svc_advisor what calls the suspected definition and who owns its file.\n\n' +
      'Report: a timeline with dates; the most likely cause with the evidence for and against it; who to ask; what is not ' +
      'known. A commit before the incident is a candidate, not a cause. Cite repository, path, lines and commit.',
  ),
  template(
    {
      name: 'explain_change',
      title: 'Explain a change',
      description: 'Explains why something was changed: the commit, its issue, and what it touched.',
      argument: { name: 'change', description: 'A commit, pull request, issue, file or symbol.' },
    },
    (change) =>
      `Explain this change: ${change}\n\n` +
      '1. Call svc_advisor with "Why was this changed?" and the text above.\n' +
      '2. Read the cited issue with get_entity and the touched lines with read_file.\n' +
      '3. Ask svc_advisor what the changed definition is used by.\n\n' +
      'Report: what changed, why (with the issue or discussion behind it), what it touches, and what to watch. Say so where ' +
      'the reason is not recorded anywhere. Cite repository, path, lines and commit.',
  ),
  template(
    {
      name: 'where_to_change',
      title: 'Find where to change',
      description: 'Finds the places that a task has to change, and what that touches.',
      argument: { name: 'task', description: 'The task, or the identifier of its issue.' },
    },
    (task) =>
      `Find where this task has to change the code: ${task}\n\n` +
      '1. Call svc_advisor with the task; if it names an issue, read it with get_entity first.\n' +
      '2. Check the best places with read_file, and similar past changes by the commits that are cited.\n' +
      '3. For each definition to change, ask svc_advisor what a change of it would touch.\n\n' +
      'Report: the files and definitions to change, in order, each with the reason; tests to adapt; owners to ask; open ' +
      'questions. Do not change anything yet. Cite repository, path, lines and commit.',
  ),
];

function template(
  {
    argument,
    ...prompt
  }: Omit<Prompt, 'arguments'> & { readonly argument: { name: string; description: string } },
  textOf: (value: string) => string,
): PromptTemplate {
  return { listing: { ...prompt, arguments: [{ ...argument, required: true }] }, textOf };
}

/** Registers the prompts. They are texts for the model of the client: they name the tools to call and read nothing. */
export function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: templates.map(({ listing }) => listing) }));
  server.setRequestHandler('prompts/get', ({ params }): GetPromptResult => {
    const found = templates.find(({ listing }) => listing.name === params.name);
    if (found === undefined) {
      const known = templates.map(({ listing }) => listing.name).join(', ');
      throw refused(`Unknown prompt: ${params.name}. The prompts of this server: ${known}.`);
    }
    const name = found.listing.arguments?.[0]?.name ?? '';
    const value = visibleText(params.arguments?.[name] ?? '').trim();
    if (value === '') throw refused(`The argument \`${name}\` is missing.`);
    if (value.length > maxArgument)
      throw refused(`The argument \`${name}\` has more than ${maxArgument} characters.`);
    return {
      description: found.listing.description,
      messages: [{ role: 'user', content: { type: 'text', text: found.textOf(value) } }],
    };
  });
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
