import { requestExamples } from './request-examples.ts';

/** The groups of the API reference, in its order. */
const tags: Readonly<Record<string, string>> = {
  Service: 'The state and the description of the service.',
  Identity: 'Who a credential belongs to, and what it opens.',
  Repositories: 'Sources of code: what is indexed, at which commit, and what went wrong.',
  Search: 'Code search in the query language of the documentation.',
  Source: 'Files and folders of repositories at a commit.',
  Context: 'The evidence for a question, without prose.',
  Conversations: 'Threads of questions of the caller, with their answers.',
  Graph: 'What knows, calls, mentions and changes what.',
  Connections: 'Connections to providers of issues and incidents, and the steps that set one up.',
  'Git hosts': 'Connections to Git hosts, and the SSH key of the organization.',
  Members: 'The people of the organization and their roles.',
  Invitations: 'Links by which people join the organization.',
  'API keys': 'Keys of the caller.',
  Grants: 'OAuth clients that the caller allowed.',
  Audit: 'Who did what.',
  Webhooks: 'What providers and Git hosts send. They sign it; no key is needed.',
  Discovery: 'Metadata of the protected resources and of the authorization server.',
};

interface Operation {
  operationId?: string;
  tags?: string[];
  requestBody?: { content?: Record<string, { example?: unknown }> };
}

/** Adds the descriptions of the groups that are used, and the examples of request bodies. */
export function describeDocument<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  for (const { operationId = '', requestBody } of operations) {
    const example = requestExamples[operationId];
    const body = requestBody?.content?.['application/json'];
    if (body !== undefined && example !== undefined) body.example = example;
  }
  const described = [...used]
    .toSorted((a, b) => rank(a) - rank(b))
    .map((name) => ({ name, description: tags[name] }));
  return { ...document, tags: described };
}

function rank(tag: string): number {
  return Object.keys(tags).indexOf(tag);
}
