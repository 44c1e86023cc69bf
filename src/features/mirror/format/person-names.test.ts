import { describe, expect, it } from 'vitest';
import { printRecord, type RecordInput } from '../../../../test/support/mirror/records.ts';

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

describe('e-mail addresses', () => {
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
