/** A parameter of a path or a query that is given once. */
export function textParameter(source: unknown, name: string): string | undefined {
  const value = (source as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
