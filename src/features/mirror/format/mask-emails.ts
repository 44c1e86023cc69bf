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
 * Removes the e-mail addresses of people from a record, because they would stay in the history of Git for good: the field
 * of users, and the domain in names, because providers show the address of a person without a name. Text that people
 * wrote stays as it is.
 */
export function maskEmails<Masked extends MirroredRecord>(record: Masked): Masked {
  return maskIn(record, record.type === 'users') as Masked;
}

function maskIn(value: unknown, ofPerson: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => maskIn(item, ofPerson));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !ofPerson || key !== 'email');
  return Object.fromEntries(
    entries.map(([key, field]) => {
      if (ofPerson && nameKeys.has(key) && typeof field === 'string') return [key, withoutDomains(field)];
      return [key, maskIn(field, ofPerson || personKeys.has(key))];
    }),
  );
}

/** Shortens each address in a name to the part before the `@`. */
function withoutDomains(name: string): string {
  const words = name.split(' ').map((word) => {
    const at = word.indexOf('@');
    return at > 0 ? word.slice(0, at).replace(/^[<(]/u, '') : word;
  });
  return words.filter((word) => word !== '').join(' ');
}
