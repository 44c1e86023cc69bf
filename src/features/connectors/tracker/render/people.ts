import { plainLine } from '../../../mirror/format/plain-text.ts';
import type { Entity } from '../client/shapes.ts';

interface Person {
  readonly id: string;
  readonly name: string;
}

/** Returns who wrote a comment: a user, an integration, or a person of a connected service. */
export function authorOf({
  user,
  botActor,
  externalUser,
}: Pick<Entity<'comment'>, 'user' | 'botActor' | 'externalUser'>): Person | undefined {
  if (user !== undefined) return user;
  if (externalUser !== undefined) return externalUser;
  return botActor === undefined ? undefined : { id: 'bot', name: botActor.name ?? 'bot' };
}

/** Returns a priority; `undefined` for the word that the provider has for none. */
export function priorityOf(label: string): string | undefined {
  const priority = label.toLowerCase();
  return priority === 'no priority' ? undefined : priority;
}

/** Returns a date; `undefined` if the provider gave something else. */
export function dateOf(value: string | undefined): string | undefined {
  return value !== undefined && /^\d{4}-\d\d-\d\d$/u.test(value) ? value : undefined;
}

/** Returns the texts of which something is left without invisible characters. A name that has none says nothing. */
export function visibleTexts(texts: readonly string[]): string[] {
  return texts.filter((text) => plainLine(text) !== '');
}
