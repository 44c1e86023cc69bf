interface Described {
  components?: { schemas?: Record<string, unknown> };
}

const prefix = '#/components/schemas/';

/**
 * Removes component schemas without references. Schema ids are registered globally, and each creates one component
 * for input and one for output, also if no route uses it. Sorts the rest by name, because the order of registration
 * is the order of imports.
 */
export function pruneComponents<Document extends object>(document: Document): Document {
  const { components, ...rest } = document as Described;
  const schemas = components?.schemas ?? {};
  const kept = new Set<string>();
  const waiting = referencesOf(rest);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (kept.has(name)) continue;
    kept.add(name);
    waiting.push(...referencesOf(schemas[name]));
  }
  const pruned = Object.fromEntries([...kept].toSorted().map((name) => [name, schemas[name]]));
  return { ...document, components: { ...components, schemas: pruned } };
}

function referencesOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(referencesOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(prefix)
      ? [value.slice(prefix.length)]
      : referencesOf(value),
  );
}
