import { normalizeRecord } from '../../../mirror/format/print-record.ts';
import type { RecordInput } from '../../../mirror/format/record.ts';
import type { EntityContent } from '../../entities/entity.ts';
import type { Entity } from '../client/shapes.ts';

type ListInput = Extract<RecordInput, { readonly items?: unknown }>;

export function labelItem(label: Entity<'issue-label'>): EntityContent {
  const { id, name, color, description, parent, team } = label;
  return itemOf({
    type: 'labels',
    items: [{ id, name, team: team?.key, parent: parent?.id, color, description }],
  });
}

export function userItem(user: Entity<'user'>): EntityContent {
  const { id, name, displayName, url, active } = user;
  return itemOf({ type: 'users', items: [{ id, name, displayName, url, disabled: !active }] });
}

export function teamItem(team: Entity<'team'>): EntityContent {
  const { id, key, name, description, parent, visibility } = team;
  const isPrivate = visibility !== 'public';
  return itemOf({
    type: 'teams',
    items: [{ id, key, name, description, parent: parent?.key, private: isPrivate }],
  });
}

/** Returns the item as its list contains it. */
function itemOf(list: ListInput): EntityContent {
  const normalized = normalizeRecord(list);
  const [item] = 'items' in normalized ? normalized.items : [];
  if (item === undefined) throw new Error('A list lost its only item.');
  return { list: list.type, item };
}
