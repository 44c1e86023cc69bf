import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFerry } from '../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { ask } from './ask.ts';

let advisor: OpenedAdvisor;

beforeAll(async () => {
  advisor = await openFerry();
});
afterAll(() => advisor.close());

const askFor = (prompt: string) => ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
const leadOf = (answer: string): string => answer.split('\n\n', 1)[0] ?? '';

describe('an answer to a pasted text', () => {
  it('says where the constant that holds a text is used', async () => {
    const { answer } = await askFor('What does the error "the crew is asleep" mean?');
    expect(leadOf(answer)).toMatch(/^The text “the crew is asleep” is at `\S+src\/crew\.ts:7` in `asleep`/);
    expect(answer).toMatch(/- That is used at `\S+src\/crew\.ts:9` \[1\]\./);
  });

  it('names the innermost frame of a stack trace in the order of its language', async () => {
    const frames = [
      '    at deliverParcel (/srv/ferry/src/deliver.ts:6:11)',
      '    at startFerry (/srv/ferry/src/main.ts:5:3)',
    ];
    const { answer } = await askFor(['TypeError: no harbour', ...frames].join('\n'));
    expect(leadOf(answer)).toMatch(
      /^The error is raised in `deliverParcel` \(`\S+:4`\) \[1\], at line 6: `.*the harbour is closed.*`\./,
    );
    expect(answer).toMatch(/- It was reached through `startFerry`/);
    const python = await askFor(
      [
        'Traceback (most recent call last):',
        '  File "/srv/ferry/src/main.ts", line 5, in startFerry',
        '  File "/srv/ferry/src/deliver.ts", line 600, in deliverParcel',
      ].join('\n'),
    );
    expect(leadOf(python.answer)).toMatch(/^The error (?:occurred|is raised) in `deliverParcel`/);
    expect(python.answer).toMatch(/It was reached through `startFerry`/);
    expect(python.answer).toMatch(/^The trace is of another version/mu);
  });

  it('says that the innermost frame is not in indexed code, and which indexed frame led there', async () => {
    const { answer } = await askFor(
      'TypeError: x at tie (/srv/ferry/node_modules/knot/lib/tie.js:1:2) at deliverParcel (/srv/ferry/src/deliver.ts:6:11)',
    );
    expect(leadOf(answer)).toMatch(/`tie` \(`\S+tie.js:1`\), which is not indexed/);
    expect(leadOf(answer)).toMatch(/innermost frame in indexed code is `deliverParcel`/);
    const other = await askFor('Why?\nTypeError: x\n  at tie (/srv/ferry/node_modules/knot/lib/tie.js:1:2)');
    expect(leadOf(other.answer)).toMatch(/^No frame of this stack trace is in indexed code\./);
  });

  it('says that an error is not raised in indexed code', async () => {
    const { answer } = await askFor('ValueError: I/O operation on closed file');
    expect(leadOf(answer)).toMatch(/^This error is not raised in indexed code/);
  });

  it('says where an error message is raised', async () => {
    const { answer } = await askFor('Error: the harbour is closed');
    expect(leadOf(answer)).toMatch(/^This message comes from `deliverParcel` .*at line 6/);
  });

  it('names the innermost frame of a trace with many frames', async () => {
    const outer = Array.from(
      { length: 9 },
      (_, n) => `  File "/srv/ferry/src/main.ts", line ${n + 1}, in run${n}`,
    );
    const inner = '  File "/srv/ferry/src/deliver.ts", line 6, in deliverParcel';
    const { answer } = await askFor(['Traceback (most recent call last):', ...outer, inner].join('\n'));
    expect(leadOf(answer)).toMatch(/^The error (?:occurred|is raised) in `deliverParcel`/);
  });
});
