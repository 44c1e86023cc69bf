import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
} from '@modelcontextprotocol/server';
import type { Access } from '../../../features/identity/access/principal.ts';
import { entityKinds } from '../../../features/mirror/format/record-kind.ts';
import { parseAddress } from '../../../features/search/address.ts';
import { offerExisting } from '../../../features/search/offer-existing.ts';
import { readSource } from '../../../features/search/read-source.ts';
import { isCallerError } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { shorten, visibleLine, visibleSource } from '../../../foundation/kernel/text/visible-text.ts';
import { parseResourceUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import type { McpDeps } from '../deps.ts';
import { entityOfAddress } from '../entities/entity-of-address.ts';
import { entityText } from '../entities/entity-with-edges.ts';
import { maxErrorCharacters } from '../tools/tool.ts';

/** The templates of the addresses of code that tools return. There is no list of all resources: search finds them. */
const codeTemplates = [
  {
    name: 'file',
    title: 'File of a repository',
    uriTemplate: 'ctx://repo/{repo}/file/{+path}{?ref}',
    description: 'The first 500 lines of a file; `ref` is a commit, the default is the indexed one.',
    mimeType: 'text/plain',
  },
  {
    name: 'commit',
    title: 'Commit of a repository',
    uriTemplate: 'ctx://repo/{repo}/commit/{sha}',
    description: 'A commit by its id of 7 digits or more, with its author, files, issues and pull request.',
    mimeType: 'text/plain',
  },
] as const;

/** Maximum number of completed values (MCP, completion). */
const maxValues = 100;

/** Registers the `ctx://` resources of the caller's organization. */
export function serveResources(server: Server, deps: McpDeps, { scope }: Access): void {
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templatesOf(deps) }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, call) => {
    try {
      const text = await readResource(deps, scope, uri, call.mcpReq.signal);
      return { contents: [{ uri, mimeType: 'text/plain', text }] } satisfies ReadResourceResult;
    } catch (error) {
      if (isCallerError(error)) {
        const message = shorten(visibleLine(error.message), maxErrorCharacters);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
      throw error;
    }
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const template = ref.type === 'ref/resource' ? ref.uri : '';
    const known = await valuesOf(deps, scope, template, argument.name);
    const start = argument.value.toLowerCase();
    const values = known.filter((value) => value.toLowerCase().startsWith(start));
    const { length: total } = values;
    const completion = { values: values.slice(0, maxValues), total, hasMore: total > maxValues };
    return { completion } satisfies CompleteResult;
  });
}

/** Returns the templates of all addresses: those of code, and one for the records of each connector. */
function templatesOf({ knowledge }: McpDeps) {
  const ofRecords = knowledge.records.map(({ root, title, description }) => ({
    name: root,
    title,
    uriTemplate: recordTemplate(root),
    description,
    mimeType: 'text/plain',
  }));
  return [...codeTemplates, ...ofRecords];
}

const recordTemplate = (root: string) => `ctx://${root}/{type}/{id}`;

async function readResource(
  deps: McpDeps,
  scope: OrgScope,
  uri: string,
  signal: AbortSignal,
): Promise<string> {
  if (parseResourceUri(uri)?.kind === 'file') {
    const names = [...(await deps.knowledge.repositoryNames(scope)).values()];
    const place = await offerExisting(deps.answers, scope, () => parseAddress(uri, names), signal);
    return visibleSource((await readSource(deps.answers, scope, place, signal)).content);
  }
  const key = await entityOfAddress(deps, scope, uri, signal);
  if (key === uri) {
    const known = templatesOf(deps).map(({ uriTemplate }) => uriTemplate);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown address. Addresses here: ${known.join(', ')}.`,
    );
  }
  return entityText(deps.knowledge, scope, key, signal);
}

async function valuesOf(
  { knowledge }: McpDeps,
  scope: OrgScope,
  template: string,
  argument: string,
): Promise<readonly string[]> {
  if (argument === 'repo' && template.startsWith('ctx://repo/'))
    return [...(await knowledge.repositoryNames(scope)).values()].toSorted();
  const of = argument === 'type' && knowledge.records.find(({ root }) => recordTemplate(root) === template);
  return of ? entityKinds(of.kinds) : [];
}
