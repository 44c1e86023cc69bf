import type { Inquiry } from '../../inquiry.ts';
import { type Target, targetOf } from '../../targets/target.ts';
import { isTestPath } from '../../test-path.ts';

/** A word that the question says to be code: "the Response class", "who changed sendFile last". */
const typedName =
  /\b(?:([\p{L}_$][\w$]{2,80})`?\s+(?:class|function|method|struct|interface|decorator|middleware)\b|(?:class|function|method|struct|interface)\s+`?([\p{L}_$][\w$]{2,80})|(?:changed|touched|modified|edited)\s+(?:the\s+)?`?([\p{L}_$][\w$]{2,80})(?=`?\s+(?:last|recently|most|in)\b))/iu;
const maxDefinitions = 60;

/** Returns the definition whose name the question marks as one, though it looks like a word of the sentence. */
export async function typedTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const { view, scope, ranked, named, asked } = inquiry;
  if (named.symbols.length + named.files.length > 0) return undefined;
  const found = typedName.exec(asked);
  const text = found?.[1] ?? found?.[2] ?? found?.[3];
  if (text === undefined) return undefined;
  const repositories = ranked.named.length === 0 ? undefined : ranked.named.map(({ id }) => id as string);
  const search = { text, kinds: ['symbol'], limit: maxDefinitions, repositories } as const;
  const { nodes } = await view.graph.search(scope, search);
  const own = nodes.filter(({ name, key }) => name.toLowerCase() === text.toLowerCase() && !isTestPath(key));
  const exact = own.filter(({ name }) => name === text);
  const atTop = exact.filter(({ name, props }) => (props['qualifiedName'] ?? name) === name);
  const node = atTop[0] ?? exact[0] ?? own[0];
  return node && targetOf(node, true);
}
