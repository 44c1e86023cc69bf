import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { FactList } from './fact-list.ts';
import { repoKey, serviceName } from './keys.ts';

/** The name of the file that describes the services of a repository. */
export const catalogFile = /(?:^|\/)catalog-info\.ya?ml$/;

const maxLength = 64 * 1024;
/**
 * Maximum length of a line. The parser of YAML is slow on deep nesting, which takes few lines only if they are long.
 */
const maxLine = 1_000;

const entity = z.object({
  kind: z.enum(['Component', 'System', 'API', 'Resource']),
  metadata: z.object({
    name: z.string().min(1).max(200),
    title: z.string().optional(),
    annotations: z.record(z.string(), z.unknown()).optional(),
  }),
  spec: z.object({ owner: z.string().optional() }).optional(),
});

/** Adds the services that a repository says it implements, with their owners and their services of the on-call tool. */
export function addCatalog(facts: FactList, repositoryId: string, path: string, text: string): void {
  for (const { metadata, spec, kind } of readEntities(text)) {
    const { name: id, title = id } = metadata;
    const key = facts.node(`service:catalog:${repositoryId}/${id}`, title, { path, kind });
    const reason = { rule: 'catalog', evidence: `${path} ${id}`, confidence: 100 };
    facts.edge(repoKey(repositoryId), 'implements', key, reason);
    const owner = spec?.owner && ownerKey(facts, spec.owner);
    if (owner) facts.edge(key, 'owned_by', owner, { ...reason, evidence: `${path} spec.owner` });
    for (const [name, value] of Object.entries(metadata.annotations ?? {})) {
      if (!/^[\w.-]+\/service-id$/.test(name) || typeof value !== 'string' || value === '') continue;
      const annotated = { ...reason, evidence: `${path} ${name}` };
      facts.mention(repoKey(repositoryId), 'implements', serviceName(value), annotated);
      facts.mention(key, 'same_as', serviceName(value), annotated);
    }
  }
}

function readEntities(text: string): readonly z.output<typeof entity>[] {
  if (text.length > maxLength || text.split('\n').some((line) => line.length > maxLine)) return [];
  try {
    const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'error' });
    return [...documents].flatMap((document) => {
      const parsed = entity.safeParse(document.toJS({ maxAliasCount: 0 }));
      return parsed.success ? [parsed.data] : [];
    });
  } catch {
    return [];
  }
}

/** Reads a reference such as `group:default/web`, `user:ada` or `web`. */
function ownerKey(facts: FactList, reference: string): string | undefined {
  const [, kind = 'group', name] = /^(?:(\w+):)?(?:[\w.-]+\/)?([\w.-]{1,200})$/.exec(reference.trim()) ?? [];
  if (name === undefined) return undefined;
  return facts.node(kind.toLowerCase() === 'user' ? `person:catalog:${name}` : `team:catalog:${name}`, name);
}
