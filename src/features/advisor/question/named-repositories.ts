import { stopWords } from './stop-words.ts';

/** Returns the repositories that a prompt names, by their whole name or its last part. */
export function namedRepositories<Named extends { readonly name: string }>(
  prompt: string,
  repositories: readonly Named[],
): Named[] {
  const words = new Set(
    prompt
      .toLowerCase()
      .split(/[^\p{L}\p{N}_./-]+/u)
      .map((word) => word.replace(/[./-]+$/u, '')),
  );
  const isNamed = (name: string): boolean => {
    const last = name.slice(name.lastIndexOf('/') + 1);
    return words.has(name) || (last.length > 2 && !stopWords.has(last) && words.has(last));
  };
  return repositories.filter(({ name }) => isNamed(name.toLowerCase()));
}
