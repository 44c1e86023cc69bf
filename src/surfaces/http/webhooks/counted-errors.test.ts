import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryLog } from '../../../../test/support/memory-log.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { countedErrors } from './counted-errors.ts';

describe('the log of refused webhooks', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('logs the first error of each kind at once, and the number of the others a minute later', () => {
    const { log, lines } = memoryLog();
    const errors = countedErrors(log);
    for (let sent = 0; sent < 1_000; sent += 1) errors.log(new Unavailable('overloaded', 'Later.'), log);
    errors.log(new Unavailable('secret_unreadable', 'Not now.', { detail: { connectionId: 'a' } }), log);
    errors.log(new Unavailable('secret_unreadable', 'Not now.', { detail: { connectionId: 'b' } }), log);
    expect(lines).toMatchObject([
      { code: 'overloaded' },
      { code: 'secret_unreadable', detail: { connectionId: 'a' } },
      { code: 'secret_unreadable', detail: { connectionId: 'b' } },
    ]);
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(3)).toMatchObject([{ code: 'overloaded', further: 999 }]);
    errors.log(new Unavailable('overloaded', 'Later.'), log);
    errors.close();
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('logs the cause of an unexpected error', () => {
    const { log, lines } = memoryLog();
    const errors = countedErrors(log);
    errors.log(new Unavailable('unavailable', 'Again.', { cause: new Error('the disk is full') }), log);
    errors.log(new Error('an internal error'), log);
    expect(JSON.stringify(lines[0])).toContain('the disk is full');
    expect(JSON.stringify(lines[1])).toContain('an internal error');
    errors.close();
  });
});
