import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryLog } from '../../../../test/support/memory-log.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { countedFaults } from './counted-faults.ts';

describe('the log of refused webhooks', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has the first of each kind at once, and of the others their number a minute later', () => {
    const { log, lines } = memoryLog();
    const faults = countedFaults(log);
    for (let sent = 0; sent < 1_000; sent += 1) faults.log(new Unavailable('overloaded', 'Later.'), log);
    faults.log(new Unavailable('secret_unreadable', 'Not now.', { detail: { connectionId: 'a' } }), log);
    faults.log(new Unavailable('secret_unreadable', 'Not now.', { detail: { connectionId: 'b' } }), log);
    expect(lines).toMatchObject([
      { code: 'overloaded' },
      { code: 'secret_unreadable', detail: { connectionId: 'a' } },
      { code: 'secret_unreadable', detail: { connectionId: 'b' } },
    ]);
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(3)).toMatchObject([{ code: 'overloaded', further: 999 }]);
    faults.log(new Unavailable('overloaded', 'Later.'), log);
    faults.close();
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('has the cause of what nobody expected', () => {
    const { log, lines } = memoryLog();
    const faults = countedFaults(log);
    faults.log(new Unavailable('unavailable', 'Again.', { cause: new Error('the disk is full') }), log);
    faults.log(new Error('a fault of ours'), log);
    expect(JSON.stringify(lines[0])).toContain('the disk is full');
    expect(JSON.stringify(lines[1])).toContain('a fault of ours');
    faults.close();
  });
});
