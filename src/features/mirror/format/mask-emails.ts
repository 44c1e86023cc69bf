import type { MirroredRecord } from './record.ts';

/**
 * Keys that hold a person or a list of them.
 * @internal Exported for its test.
 */
export const personKeys = new Set([
  'assignee',
  'assignees',
  'author',
  'creator',
  'lead',
  'members',
  'owner',
  'updatedBy',
]);
const nameKeys = new Set(['name', 'displayName']);

/**
 * Removes the domains of e-mail addresses from the names of people in a record, because they would stay in the history
 * of Git for good: providers show the address of a person without a name. Text that people wrote stays as it is.
 */
export function maskEmails<Masked extends MirroredRecord>(record: Masked): Masked {
  return maskIn(record, record.type === 'users') as Masked;
}

/** Returns the ids of the people that a record names. */
export function peopleIn(record: MirroredRecord): ReadonlySet<string> {
  const ids = new Set<string>();
  collectPeople(record, false, ids);
  return ids;
}

function collectPeople(value: unknown, isPerson: boolean, ids: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectPeople(item, isPerson, ids);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isPerson && 'id' in value && typeof value.id === 'string') ids.add(value.id);
  for (const [key, field] of Object.entries(value)) collectPeople(field, personKeys.has(key), ids);
}

/** Returns the same value if there is nothing to mask in it, which is so for nearly all. */
function maskIn(value: unknown, ofPerson: boolean): unknown {
  if (Array.isArray(value)) {
    const masked = value.map((item) => maskIn(item, ofPerson));
    return masked.every((item, index) => item === value[index]) ? value : masked;
  }
  if (typeof value !== 'object' || value === null) return value;
  let masked: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const kept = maskField(key, field, ofPerson);
    if (kept === field) continue;
    masked ??= { ...value };
    masked[key] = kept;
  }
  return masked ?? value;
}

function maskField(key: string, field: unknown, ofPerson: boolean): unknown {
  if (typeof field === 'string') return ofPerson && nameKeys.has(key) ? withoutDomains(field) : field;
  return maskIn(field, ofPerson || personKeys.has(key));
}

/** Shortens each address in a name to the part before the `@`. */
function withoutDomains(name: string): string {
  if (!name.includes('@')) return name;
  const words = name.split(' ').map((word) => {
    const at = word.indexOf('@');
    return at > 0 ? word.slice(0, at).replace(/^[<(]/u, '') : word;
  });
  return words.filter((word) => word !== '').join(' ');
}
