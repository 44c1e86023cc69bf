interface Described {
  components?: { schemas?: Record<string, unknown> };
}

const prefix = '#/components/schemas/';

/**
 * Drops component schemas that nothing refers to. Schema ids are registered globally, and each yields one component
 * for input and one for output, so without this the description names things that no route knows.
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
  const pruned = Object.fromEntries(Object.entries(schemas).filter(([name]) => kept.has(name)));
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
