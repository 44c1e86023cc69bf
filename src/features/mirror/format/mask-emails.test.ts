import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { person } from './field-types.ts';
import { personKeys } from './mask-emails.ts';
import { printRecord } from './print-record.ts';
import { type RecordInput, schemas } from './record.ts';

const users: RecordInput = {
  type: 'users',
  items: [
    { id: 'u1', name: 'ada@example.com', displayName: 'Ada <ada@example.com>' },
    { id: 'u2', name: '@bob' },
  ],
};

const incident: RecordInput = {
  type: 'incident',
  id: 'Q1',
  title: 'Mail to ops@example.com bounces',
  status: 'resolved',
  createdAt: '2025-01-01T00:00:00Z',
  assignees: [{ id: 'u1', name: 'ada@example.com' }],
  body: '',
  notes: [
    {
      id: 'n1',
      author: { id: 'u1', name: 'ada@example.com' },
      createdAt: '2025-01-01T00:00:00Z',
      body: 'Write to help@example.com',
    },
  ],
};

/** Returns the schema of one value within an optional field, a default or a list. */
function valueOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return valueOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return valueOf(schema.element);
  return schema instanceof z.ZodPipe ? valueOf(schema.in) : schema;
}

/** Adds the keys of fields of type person, also of those in entries of lists. */
function addPersonKeys(schema: unknown, keys: Set<string>): Set<string> {
  if (!(schema instanceof z.ZodObject)) return keys;
  for (const [key, field] of Object.entries(schema.shape)) {
    const value = valueOf(field);
    if (value === person) keys.add(key);
    else addPersonKeys(value, keys);
  }
  return keys;
}

describe('e-mail addresses', () => {
  it('are looked for in all fields of type person', () => {
    const keys = new Set<string>();
    for (const schema of Object.values(schemas)) addPersonKeys(schema, keys);
    expect([...keys].toSorted()).toEqual([...personKeys].toSorted());
  });

  it('of people are left out, also where a name is an address', () => {
    expect(printRecord(users).content).toBe(
      '- {"id":"u1","name":"ada","displayName":"Ada ada"}\n- {"id":"u2","name":"@bob"}\n',
    );
    expect(printRecord(incident).content).not.toContain('ada@');
  });

  it('in text that people wrote stay', () => {
    expect(printRecord(incident).content).toContain(
      'title: "Mail to ops@example.com bounces"'.replaceAll('"', ''),
    );
    expect(printRecord(incident).content).toContain('> Write to help@example.com');
  });
});
