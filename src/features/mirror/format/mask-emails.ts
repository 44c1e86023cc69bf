import type { MirroredRecord } from './record.ts';

/** Keys that hold a person or a list of them. */
const personKeys = new Set([
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
 * Removes the e-mail addresses of people from a record, because they would stay in the history of Git for good: the
 * field of users, and the domain in names, because providers show the address of a person without a name. Text that
 * people wrote stays as it is.
 */
export function maskEmails<Masked extends MirroredRecord>(record: Masked): Masked {
  return maskIn(record, record.type === 'users') as Masked;
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
    if (kept === undefined) delete masked[key];
    else masked[key] = kept;
  }
  return masked ?? value;
}

/** Returns `undefined` for a field that must not be kept. */
function maskField(key: string, field: unknown, ofPerson: boolean): unknown {
  if (ofPerson && key === 'email') return undefined;
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
