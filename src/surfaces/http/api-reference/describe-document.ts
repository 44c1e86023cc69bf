import type { RouteEntry } from '../route-table.ts';
import { requestExamples } from './request-examples.ts';

/** The groups of the API reference, in its order. */
const tags: Readonly<Record<string, string>> = {
  Service: 'The state and the description of the service.',
  Identity: 'Who a credential belongs to, and what it opens.',
  Repositories: 'Sources of code: what is indexed, at which commit, and what went wrong.',
  Search: 'Code search in the query language of the documentation.',
  Source: 'Files and folders of repositories at a commit.',
  History: 'Commits of repositories and what they changed.',
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
  parameters?: object[];
  responses?: Record<string, object>;
  requestBody?: { content?: Record<string, { example?: unknown }> };
}

const etag = {
  ETag: { description: 'Identifies this response; send it as If-None-Match.', schema: { type: 'string' } },
};

const ifNoneMatch = {
  in: 'header',
  name: 'If-None-Match',
  description: 'The ETag of a former response. If it is still current, the answer is 304 without a body.',
  schema: { type: 'string' },
};

const integer = { type: 'integer' };
const text = { type: 'string' };
const retryAfter = {
  'Retry-After': { description: 'Seconds after which to try again.', schema: integer },
};

/** The headers of responses that tell when to try again, by status. */
const headersOf: Readonly<Record<string, object>> = {
  429: {
    ...retryAfter,
    RateLimit: { description: 'What is left of the limit, and the seconds until it is full.', schema: text },
    'RateLimit-Policy': { description: 'The limit, and its window in seconds.', schema: text },
  },
  503: retryAfter,
};

function describeRetries({ responses = {} }: Operation): void {
  for (const [status, headers] of Object.entries(headersOf)) {
    const response = responses[status];
    if (response !== undefined) responses[status] = { ...response, headers };
  }
}

/** Describes conditional requests of an operation that answers them. */
function describeConditional(operation: Operation): void {
  const { parameters = [], responses = {} } = operation;
  operation.parameters = [...parameters, ifNoneMatch];
  operation.responses = {
    ...responses,
    200: { ...responses['200'], headers: etag },
    304: { description: 'The response with the ETag in If-None-Match is still current.', headers: etag },
  };
}

/**
 * Adds the descriptions of the groups that are used, the examples of request bodies, and the headers of limits and of
 * conditional requests.
 */
export function describeDocument<Document extends object>(
  document: Document,
  routes: readonly RouteEntry[],
): Document {
  const conditional = new Set(routes.filter((route) => route.conditional).map((route) => route.operationId));
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  for (const operation of operations) {
    const { operationId = '', requestBody } = operation;
    if (conditional.has(operationId)) describeConditional(operation);
    describeRetries(operation);
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
